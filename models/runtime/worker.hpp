// Worker: one long-lived named thread that takes queued jobs in batches. Plain C++: knows nothing
// of networks.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace seesay::runtime {

/// A request on its way. The worker's thread is the only one that touches it after `submit`.
class Job {
 public:
    /// `alone`: never shares a batch.
    explicit Job(bool alone) : alone_(alone) {}
    virtual ~Job() = default;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    [[nodiscard]] bool alone() const { return alone_; }
    /// Gives the error to whoever asked. Does nothing if the job was answered already.
    virtual void fail(std::exception_ptr error) noexcept = 0;

 private:
    bool alone_;
};

/// Jobs run in the order in which they came. Neighbours that are not marked alone are taken
/// together, up to a limit; a job marked alone is a batch of its own and is not overtaken.
class Worker {
 public:
    using Batch = std::vector<std::unique_ptr<Job>>;
    /// Answers every job of the batch. Jobs that it leaves unanswered by throwing fail with what it
    /// threw.
    using Run = std::function<void(Batch&)>;

    /// Starts the thread. `name` is cut to the 15 characters that Linux shows. `prepare` runs first
    /// on the thread (thread count, floating-point modes); if it throws, every job fails with that.
    /// `closing` is the message of the Error that jobs still queued at the end fail with.
    Worker(const std::string& name, std::size_t batch_limit, std::function<void()> prepare, Run run,
           std::string closing);

    /// Lets the batch under way finish, fails the queued jobs on the worker's thread, and joins it.
    /// When called on the worker's own thread (by the last owner, inside a callback), the thread
    /// does the same and ends by itself.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Queues a job. Never blocks on running work. From any thread, also from inside a job.
    void submit(std::unique_ptr<Job> job);

    /// Jobs that wait (those under way not counted).
    [[nodiscard]] std::size_t queued() const;

 private:
    struct State;
    static void work(const std::shared_ptr<State>& state, const std::string& name);

    std::shared_ptr<State> state_;  // shared with the thread, which may outlive this object
    std::thread thread_;
};

}  // namespace seesay::runtime
