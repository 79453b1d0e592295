// EncoderSession: requests to batches of pictures and back.
#include "models/runtime/encoder_session.hpp"

#include <torch/torch.h>

#include <utility>
#include <vector>

#include "models/error.hpp"
#include "models/tensor/threads.hpp"

namespace seesay::runtime {
namespace {

constexpr std::size_t kBatchLimit = 8;

class EncodeJob final : public Job {
 public:
    EncodeJob(EncodeRequest request, Encoder::Done done)
        : Job(request.alone), request_(std::move(request)), done_(std::move(done)) {}

    [[nodiscard]] EncodeRequest& request() { return request_; }
    void answer(EncodeResult result) noexcept {
        if (auto done = std::exchange(done_, nullptr)) {
            done(std::move(result));
        }
    }
    void fail(std::exception_ptr error) noexcept override { answer({nullptr, std::move(error)}); }

 private:
    EncodeRequest request_;
    Encoder::Done done_;
};

/// Encodes the jobs together and answers them; throws if the network did.
void encode(vision::GridEncoder& encoder, std::vector<EncodeJob*> jobs) {
    std::vector<vision::Image> pictures;
    std::vector<vision::FeatureSet> features(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        pictures.push_back(jobs[i]->request().input);
        features[i].frame = jobs[i]->request().frame;
        features[i].geometry = jobs[i]->request().geometry;
    }
    encoder.encode(pictures, features);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        jobs[i]->answer(
            {std::make_shared<const vision::FeatureSet>(std::move(features[i])), nullptr});
    }
}

void run(vision::GridEncoder& encoder, Worker::Batch& batch) {
    const c10::InferenceMode inference;
    std::vector<EncodeJob*> jobs;
    for (const auto& job : batch) {
        jobs.push_back(static_cast<EncodeJob*>(job.get()));
    }
    if (jobs.size() > 1) {
        try {
            encode(encoder, jobs);
            return;
        } catch (const std::exception&) {
            // One picture may be at fault: each runs again on its own and gets its own error.
        }
    }
    for (EncodeJob* job : jobs) {
        try {
            encode(encoder, {job});
        } catch (...) {
            job->fail(std::current_exception());
        }
    }
}

}  // namespace

EncoderSession::EncoderSession(std::unique_ptr<vision::GridEncoder> encoder)
    : encoder_(std::move(encoder)),
      worker_(
          "seesay-encode", kBatchLimit,
          [encoder = encoder_] {
              tensor::set_num_threads(encoder->threads());
              tensor::flush_denormals(true);
          },
          [encoder = encoder_](Worker::Batch& batch) { run(*encoder, batch); },
          "encoder " + encoder_->name() + ": the session was closed before this frame's turn") {
}

void EncoderSession::submit(EncodeRequest request, Done done) {
    worker_.submit(std::make_unique<EncodeJob>(std::move(request), std::move(done)));
}

}  // namespace seesay::runtime
