// Worker: the queue and the thread.
#include "models/runtime/worker.hpp"

#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "models/error.hpp"

namespace seesay::runtime {

struct Worker::State {
    std::size_t batch_limit = 1;
    std::function<void()> prepare;
    Run run;
    std::string closing;

    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::unique_ptr<Job>> queue;
    bool stopping = false;

    /// The next batch; waits for one. Empty when the worker stops.
    Batch next() {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return stopping || !queue.empty(); });
        Batch batch;
        if (stopping) {
            return batch;
        }
        const bool alone = queue.front()->alone();
        do {
            batch.push_back(std::move(queue.front()));
            queue.pop_front();
        } while (!alone && batch.size() < batch_limit && !queue.empty() && !queue.front()->alone());
        return batch;
    }

    /// Everything that is still queued.
    Batch rest() {
        const std::lock_guard lock(mutex);
        Batch jobs(std::make_move_iterator(queue.begin()), std::make_move_iterator(queue.end()));
        queue.clear();
        return jobs;
    }
};

Worker::Worker(const std::string& name, std::size_t batch_limit, std::function<void()> prepare,
               Run run, std::string closing)
    : state_(std::make_shared<State>()) {
    state_->batch_limit = batch_limit;
    state_->prepare = std::move(prepare);
    state_->run = std::move(run);
    state_->closing = std::move(closing);
    thread_ = std::thread([state = state_, name] { work(state, name); });
}

Worker::~Worker() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stopping = true;
    }
    state_->wake.notify_all();
    if (thread_.get_id() == std::this_thread::get_id()) {
        thread_.detach();
    } else {
        thread_.join();
    }
}

void Worker::submit(std::unique_ptr<Job> job) {
    const auto state = state_;  // the job's callback may already destroy this object
    {
        const std::lock_guard lock(state->mutex);
        state->queue.push_back(std::move(job));
    }
    state->wake.notify_one();
}

std::size_t Worker::queued() const {
    const std::lock_guard lock(state_->mutex);
    return state_->queue.size();
}

void Worker::work(const std::shared_ptr<State>& state, const std::string& name) {
    pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
    std::exception_ptr broken;
    try {
        state->prepare();
    } catch (...) {
        broken = std::current_exception();
    }
    for (Batch batch = state->next(); !batch.empty(); batch = state->next()) {
        std::exception_ptr error = broken;
        if (!broken) {
            try {
                state->run(batch);
            } catch (...) {
                error = std::current_exception();
            }
        }
        if (error) {
            for (const auto& job : batch) {
                job->fail(error);
            }
        }
    }
    const auto closed = std::make_exception_ptr(Error(state->closing));
    for (const auto& job : state->rest()) {
        job->fail(closed);
    }
}

}  // namespace seesay::runtime
