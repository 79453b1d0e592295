// CaptionerSession: requests to one batch of sentence tasks and back.
#include "models/runtime/captioner_session.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "models/error.hpp"
#include "models/language/decoding.hpp"
#include "models/tensor/threads.hpp"

namespace seesay::runtime {
namespace {

constexpr std::size_t kSentenceBatch = 8;

class CaptionJob final : public Job {
 public:
    CaptionJob(CaptionRequest request, Captioner::Done done)
        : Job(request.alone), request_(std::move(request)), done_(std::move(done)) {}

    [[nodiscard]] const CaptionRequest& request() const { return request_; }
    void answer(CaptionResult result) noexcept {
        if (auto done = std::exchange(done_, nullptr)) {
            done(std::move(result));
        }
    }
    void fail(std::exception_ptr error) noexcept override {
        answer({nullptr, nullptr, std::move(error)});
    }

 private:
    CaptionRequest request_;
    Captioner::Done done_;
};

/// Scores the words of `previous` again on the features of picture `picture`.
language::SentenceTask score_again(const language::Captioner& captioner,
                                   const CaptionRequest& request, int picture) {
    const language::Caption& previous = *request.previous;
    if (previous.model.sha256 != captioner.identity().sha256) {
        throw Error("captioner " + captioner.identity().name +
                    " cannot score a caption of another package (" + previous.model.name + ")");
    }
    language::SentenceTask task;
    task.picture = picture;
    task.options = request.decoding;
    task.given = true;
    task.ends = previous.complete;
    for (const language::Token& token : previous.tokens) {
        task.tokens.push_back(token.id);
    }
    return task;
}

/// Captions all jobs in one batch and answers them; throws if any of them cannot be done.
void caption(const language::Captioner& captioner, const std::vector<CaptionJob*>& jobs) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<const vision::FeatureSet*> features;
    std::vector<language::SentenceTask> tasks;
    for (const CaptionJob* job : jobs) {
        const CaptionRequest& request = job->request();
        if (!request.features) {
            throw Error("captioner " + captioner.identity().name + ": a request has no features");
        }
        const int picture = static_cast<int>(features.size());
        features.push_back(request.features.get());
        tasks.push_back({picture, request.decoding});
        if (request.previous) {
            tasks.push_back(score_again(captioner, request, picture));
        }
    }
    const auto prepared = captioner.prepare(features);
    const auto sentences = language::decode(captioner, *prepared, tasks);
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begin;
    const std::int64_t share = took.count() / static_cast<std::int64_t>(jobs.size());
    std::size_t next = 0;
    for (CaptionJob* job : jobs) {
        const CaptionRequest& request = job->request();
        const auto take = [&] {
            return std::make_shared<const language::Caption>(
                language::to_caption(captioner, *request.features, sentences[next++], share));
        };
        CaptionResult result;
        result.caption = take();
        if (request.previous) {
            result.previous = take();
        }
        job->answer(std::move(result));
    }
}

void run(const language::Captioner& captioner, Worker::Batch& batch) {
    std::vector<CaptionJob*> jobs;
    for (const auto& job : batch) {
        jobs.push_back(static_cast<CaptionJob*>(job.get()));
    }
    if (jobs.size() > 1) {
        try {
            caption(captioner, jobs);
            return;
        } catch (const std::exception&) {
            // One request may be at fault: each runs again on its own and gets its own error.
        }
    }
    for (CaptionJob* job : jobs) {
        try {
            caption(captioner, {job});
        } catch (...) {
            job->fail(std::current_exception());
        }
    }
}

}  // namespace

CaptionerSession::CaptionerSession(std::unique_ptr<language::Captioner> captioner, int threads)
    : captioner_(std::move(captioner)),
      worker_(
          "seesay-caption", kSentenceBatch,
          [threads] {
              tensor::set_num_threads(threads);
              tensor::flush_denormals(true);
          },
          [captioner = captioner_](Worker::Batch& batch) { run(*captioner, batch); },
          "captioner " + captioner_->identity().name +
              ": the session was closed before this frame's turn") {
}

void CaptionerSession::submit(CaptionRequest request, Done done) {
    worker_.submit(std::make_unique<CaptionJob>(std::move(request), std::move(done)));
}

}  // namespace seesay::runtime
