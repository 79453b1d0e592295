// InferenceLane: one element's way to a session. At most one request is under way and one waits; a
// waiting request gives way to a newer one, and whoever waits for a result is woken by a flush or
// by the end of the run.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace seesay::elements {

/// Thrown where a streaming thread was woken by a flush or a stop.
struct Flushing {};

/// How long the end of a stream waits for what is still being computed: a live stream is being
/// stopped by somebody who waits, in a file the last frame deserves its caption.
inline std::chrono::steady_clock::time_point drain_deadline(bool live) {
    return std::chrono::steady_clock::now() + std::chrono::seconds(live ? 1 : 30);
}

/// `run`, `offer`, `poll` and `wait_until` belong to one thread (the streaming thread); `start`,
/// `stop` and the flushes may come from any. A result that arrives after a flush or a stop is
/// thrown away, also when it arrives after the lane itself is gone; nothing here keeps the session
/// alive, so its last owner is never its own thread.
template <class Request, class Result>
class InferenceLane {
 public:
    using Done = std::function<void(Result)>;
    /// Hands a request to the session; `Done` is called once, on any thread.
    using Submit = std::function<void(Request, Done)>;

    ~InferenceLane() { stop(); }
    InferenceLane() = default;
    InferenceLane(const InferenceLane&) = delete;
    InferenceLane& operator=(const InferenceLane&) = delete;

    void start(Submit submit) {
        auto next = std::make_shared<Submit>(std::move(submit));  // after the swap: the last one
        const std::lock_guard lock(state_->mutex);
        forget();
        submit_.swap(next);
        state_->flushing = false;
    }

    /// Forgets all work and wakes the waiting; until `start` nothing is taken.
    void stop() {
        std::shared_ptr<Submit> last;  // destroyed outside the lock: it may own the session
        const std::lock_guard lock(state_->mutex);
        forget();
        last.swap(submit_);
    }

    /// As `stop`, until `flush_stop`.
    void flush_start() {
        const std::lock_guard lock(state_->mutex);
        forget();
        state_->flushing = true;
    }

    void flush_stop() {
        const std::lock_guard lock(state_->mutex);
        forget();
        state_->flushing = false;
    }

    /// Mode `every`: submits and waits. Empty if a flush or stop came first.
    std::optional<Result> run(Request request) {
        std::unique_lock lock(state_->mutex);
        forget();  // what `offer` may have left
        const std::uint64_t generation = state_->generation;
        if (!submit(lock, std::move(request))) return std::nullopt;
        state_->changed.wait(
            lock, [&] { return state_->finished.has_value() || state_->generation != generation; });
        return take(generation);
    }

    /// Mode `latest`: never waits. Submits if nothing is under way, else takes the waiting place.
    /// Returns how many requests were thrown out for it (0 or 1).
    std::size_t offer(Request request) {
        std::unique_lock lock(state_->mutex);
        if (!submit_ || state_->flushing) return 0;
        const std::size_t displaced = waiting_.has_value() ? 1 : 0;
        waiting_ = std::move(request);
        if (!state_->finished)
            submit_waiting(lock);  // a result not yet fetched must not be overtaken
        return displaced;
    }

    /// Mode `latest`: the finished result, once; and submits the waiting request if its turn has
    /// come.
    std::optional<Result> poll() {
        std::unique_lock lock(state_->mutex);
        auto result = take(state_->generation);
        submit_waiting(lock);
        return result;
    }

    /// At the end of a stream: the next result, waiting for it while there is work. Empty when
    /// there is none left, at the deadline, or if a flush or stop came.
    std::optional<Result> wait_until(std::chrono::steady_clock::time_point deadline) {
        std::unique_lock lock(state_->mutex);
        const std::uint64_t generation = state_->generation;
        if (!state_->finished) submit_waiting(lock);
        state_->changed.wait_until(lock, deadline, [&] {
            return state_->finished.has_value() || !state_->under_way ||
                   state_->generation != generation;
        });
        return take(generation);
    }

    /// Requests that are under way or wait.
    [[nodiscard]] std::size_t pending() const {
        const std::lock_guard lock(state_->mutex);
        return (state_->under_way ? 1U : 0U) + (waiting_ ? 1U : 0U);
    }

 private:
    /// What a session's thread may touch, however late.
    struct State {
        std::mutex mutex;
        std::condition_variable changed;
        std::uint64_t generation = 0;  ///< counts flushes, starts and stops
        bool flushing = false;
        bool under_way = false;
        std::optional<Result> finished;
    };

    void forget() {
        ++state_->generation;
        state_->under_way = false;
        state_->finished.reset();
        waiting_.reset();
        state_->changed.notify_all();
    }

    bool submit(std::unique_lock<std::mutex>& lock, Request request) {
        if (!submit_ || state_->flushing) return false;
        auto submit = submit_;  // outlives a concurrent stop
        const std::uint64_t generation = state_->generation;
        state_->under_way = true;
        lock.unlock();
        try {
            (*submit)(std::move(request), [state = state_, generation](Result result) {
                const std::lock_guard guard(state->mutex);
                if (state->generation != generation) return;
                state->under_way = false;
                state->finished = std::move(result);
                state->changed.notify_all();
            });
        } catch (...) {
            submit.reset();
            lock.lock();
            if (state_->generation == generation) state_->under_way = false;
            throw;
        }
        submit.reset();  // unlocked: it may own the session, whose end waits for a last result
        lock.lock();
        return true;
    }

    void submit_waiting(std::unique_lock<std::mutex>& lock) {
        if (!waiting_ || state_->under_way) return;
        Request request = std::move(*waiting_);
        waiting_.reset();
        submit(lock, std::move(request));
    }

    std::optional<Result> take(std::uint64_t generation) {
        if (state_->generation != generation) return std::nullopt;
        return std::exchange(state_->finished, std::nullopt);
    }

    std::shared_ptr<State> state_ = std::make_shared<State>();
    std::shared_ptr<Submit> submit_;
    std::optional<Request> waiting_;
};

}  // namespace seesay::elements
