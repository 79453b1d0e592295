// Fake inference sessions for element tests: own thread as the real ones, results made by a
// function of the test, and a gate that holds results back until the test lets them go.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "models/runtime/session.hpp"

namespace seesay::testing {

inline constexpr std::chrono::seconds kDeadline{20};

/// Requests in, results out, in order, on one thread.
template <class Request, class Result>
class FakeQueue {
 public:
    using Done = std::function<void(Result)>;
    using Respond = std::function<Result(const Request&)>;

    explicit FakeQueue(Respond respond)
        : respond_(std::move(respond)), thread_([this] { work(); }) {}
    ~FakeQueue() {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
            changed_.notify_all();
        }
        thread_.join();
    }
    FakeQueue(const FakeQueue&) = delete;
    FakeQueue& operator=(const FakeQueue&) = delete;

    void submit(Request request, Done done) {
        const std::lock_guard lock(mutex_);
        seen_.push_back(request);
        waiting_.emplace_back(std::move(request), std::move(done));
        changed_.notify_all();
    }

    /// From now on results wait for `release`.
    void hold() {
        const std::lock_guard lock(mutex_);
        held_ = true;
    }
    /// Lets `count` results go, now or when their requests come.
    void release(std::size_t count = 1) {
        const std::lock_guard lock(mutex_);
        permits_ += count;
        changed_.notify_all();
    }
    /// True once `count` requests came in all; false at the deadline.
    bool wait_for_requests(std::size_t count) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, kDeadline, [&] { return seen_.size() >= count; });
    }
    /// True once `count` results were delivered in all.
    bool wait_for_results(std::size_t count) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, kDeadline, [&] { return delivered_ >= count; });
    }
    std::vector<Request> requests() {
        const std::lock_guard lock(mutex_);
        return seen_;
    }

 private:
    void work() {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(
                lock, [&] { return ending_ || (!waiting_.empty() && (!held_ || permits_ > 0)); });
            if (waiting_.empty()) return;
            if (held_ && permits_ > 0) --permits_;
            auto [request, done] = std::move(waiting_.front());
            waiting_.pop_front();
            lock.unlock();
            done(respond_(request));
            lock.lock();
            ++delivered_;
            changed_.notify_all();
        }
    }

    Respond respond_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::pair<Request, Done>> waiting_;
    std::vector<Request> seen_;
    std::size_t permits_ = 0;
    std::size_t delivered_ = 0;
    bool held_ = false;
    bool ending_ = false;
    std::thread thread_;
};

inline runtime::EncodeResult encode(const runtime::EncodeRequest& request) {
    auto features = std::make_shared<vision::FeatureSet>();
    features->count = 6;
    features->dimension = 2;
    features->vectors.assign(12, 0.5F);
    features->geometry = request.geometry;
    features->geometry.rows = 2;
    features->geometry.columns = 3;
    features->frame = request.frame;
    features->encoder_name = "fake-encoder";
    features->encoder_sha256 = "e0e0";
    return {features, nullptr};
}

class FakeEncoder : public runtime::Encoder,
                    public FakeQueue<runtime::EncodeRequest, runtime::EncodeResult> {
 public:
    explicit FakeEncoder(Respond respond = encode) : FakeQueue(std::move(respond)) {
        preprocessing_.width = preprocessing_.height = 8;
    }
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] const std::string& sha256() const override { return sha256_; }
    [[nodiscard]] const vision::Preprocessing& preprocessing() const override {
        return preprocessing_;
    }
    void submit(runtime::EncodeRequest request, runtime::Encoder::Done done) override {
        FakeQueue::submit(std::move(request), std::move(done));
    }

 private:
    std::string name_ = "fake-encoder";
    std::string sha256_ = "e0e0";
    vision::Preprocessing preprocessing_;
};

/// A caption of the one word `text` for the request's frame.
inline std::shared_ptr<language::Caption> caption_of(const runtime::CaptionRequest& request,
                                                     const std::string& text, double score) {
    auto caption = std::make_shared<language::Caption>();
    caption->tokens = {{1, text, static_cast<float>(score)}};
    caption->text = text;
    caption->language = "en";
    caption->score = score;
    caption->confidence = 0.5F;
    caption->attention.assign(6, 1.F / 6.F);
    caption->attended = 6;
    caption->geometry = request.features->geometry;
    caption->frame = request.features->frame;
    caption->model = {"fake-captioner", "c0c0"};
    return caption;
}

class FakeCaptioner : public runtime::Captioner,
                      public FakeQueue<runtime::CaptionRequest, runtime::CaptionResult> {
 public:
    explicit FakeCaptioner(Respond respond) : FakeQueue(std::move(respond)) {}
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] const std::string& sha256() const override { return sha256_; }
    [[nodiscard]] const std::string& encoder_name() const override { return encoder_name_; }
    [[nodiscard]] const std::string& encoder_sha256() const override { return encoder_sha256_; }
    [[nodiscard]] const language::DecodingOptions& decoding_defaults() const override {
        return decoding_;
    }
    [[nodiscard]] const std::string& language() const override { return language_; }
    void submit(runtime::CaptionRequest request, runtime::Captioner::Done done) override {
        FakeQueue::submit(std::move(request), std::move(done));
    }

 private:
    std::string name_ = "fake-captioner";
    std::string sha256_ = "c0c0";
    std::string encoder_name_ = "fake-encoder";
    std::string encoder_sha256_ = "e0e0";
    std::string language_ = "en";
    language::DecodingOptions decoding_;
};

}  // namespace seesay::testing
