// Worker with a fake model: order, batches, errors and every way of ending. Meant for TSan too.
#include "models/runtime/worker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include "models/error.hpp"

namespace seesay::runtime {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

constexpr auto kDeadline = 30s;

/// What became of a job: its number doubled, or an error.
struct Answer {
    int value = 0;
    std::string error;
};

class NumberJob final : public Job {
 public:
    using Done = std::function<void(Answer)>;
    NumberJob(int number, bool alone, Done done)
        : Job(alone), number_(number), done_(std::move(done)) {}
    [[nodiscard]] int number() const { return number_; }
    void answer(Answer answer) noexcept {
        if (auto done = std::exchange(done_, nullptr)) {
            done(std::move(answer));
        }
    }
    void fail(std::exception_ptr error) noexcept override {
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& exception) {
            answer({0, exception.what()});
        }
    }

 private:
    int number_;
    Done done_;
};

/// A model that doubles numbers. Its first batch waits for `open()`, so that tests can fill the
/// queue.
class FakeModel {
 public:
    void open() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    bool wait_until_running() {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, kDeadline, [&] { return !batches_.empty(); });
    }
    void run(Worker::Batch& batch) {
        std::vector<int> numbers;
        for (const auto& job : batch) {
            numbers.push_back(dynamic_cast<NumberJob&>(*job).number());
        }
        {
            std::unique_lock lock(mutex_);
            batches_.push_back(numbers);
            changed_.notify_all();
            changed_.wait_for(lock, kDeadline, [&] { return open_; });
        }
        for (const auto& job : batch) {
            auto& own = dynamic_cast<NumberJob&>(*job);
            if (own.number() == kBroken) {
                throw std::runtime_error("the model broke");
            }
            own.answer({2 * own.number(), ""});
        }
    }
    std::vector<std::vector<int>> batches() {
        const std::lock_guard lock(mutex_);
        return batches_;
    }
    static constexpr int kBroken = -1;

 private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = false;
    std::vector<std::vector<int>> batches_;
};

std::unique_ptr<Worker> make_worker(FakeModel& model, std::size_t limit = 4) {
    return std::make_unique<Worker>(
        "seesay-test-worker", limit, [] {}, [&model](Worker::Batch& batch) { model.run(batch); },
        "the worker was closed");
}

std::future<Answer> submit(Worker& worker, int number, bool alone = false) {
    auto promise = std::make_shared<std::promise<Answer>>();
    auto future = promise->get_future();
    worker.submit(std::make_unique<NumberJob>(
        number, alone, [promise](Answer answer) { promise->set_value(std::move(answer)); }));
    return future;
}

std::optional<Answer> wait(std::future<Answer>& future) {
    if (future.wait_for(kDeadline) != std::future_status::ready) {
        return std::nullopt;
    }
    return future.get();
}

TEST(Worker, TakesNeighboursTogetherInOrderUpToTheLimit) {
    FakeModel model;
    const auto worker = make_worker(model, 3);
    std::vector<std::future<Answer>> answers;
    answers.push_back(submit(*worker, 0));
    ASSERT_TRUE(model.wait_until_running());
    for (int i = 1; i <= 5; ++i) {
        answers.push_back(submit(*worker, i));
    }
    model.open();
    for (int i = 0; i <= 5; ++i) {
        const auto answer = wait(answers[static_cast<std::size_t>(i)]);
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->value, 2 * i);
    }
    EXPECT_THAT(model.batches(),
                ElementsAre(std::vector{0}, std::vector{1, 2, 3}, std::vector{4, 5}));
}

TEST(Worker, RunsJobsMarkedAloneAloneAndInTheirTurn) {
    FakeModel model;
    const auto worker = make_worker(model, 8);
    std::vector<std::future<Answer>> answers;
    answers.push_back(submit(*worker, 0));
    ASSERT_TRUE(model.wait_until_running());
    for (int i = 1; i <= 6; ++i) {
        answers.push_back(submit(*worker, i, i == 3 || i == 4));
    }
    model.open();
    for (auto& answer : answers) {
        ASSERT_TRUE(wait(answer));
    }
    EXPECT_THAT(model.batches(), ElementsAre(std::vector{0}, std::vector{1, 2}, std::vector{3},
                                             std::vector{4}, std::vector{5, 6}));
}

TEST(Worker, GivesWhatTheModelThrewToTheJobsOfThatBatchOnly) {
    FakeModel model;
    const auto worker = make_worker(model);
    model.open();
    auto broken = submit(*worker, FakeModel::kBroken);
    const auto first = wait(broken);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->error, "the model broke");
    auto sound = submit(*worker, 21);
    const auto second = wait(sound);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->value, 42);
}

TEST(Worker, FailsEveryJobIfItsThreadCannotBePrepared) {
    FakeModel model;
    Worker worker(
        "w", 4, [] { throw Error("no such thread count"); },
        [&model](Worker::Batch& batch) { model.run(batch); }, "closed");
    for (int i = 0; i < 2; ++i) {
        auto job = submit(worker, i);
        const auto answer = wait(job);
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->error, "no such thread count");
    }
    EXPECT_TRUE(model.batches().empty());
}

TEST(Worker, NamesItsThread) {
    std::promise<std::string> name;
    Worker worker(
        "seesay-very-long-name", 1,
        [&] {
            std::array<char, 32> buffer{};
            pthread_getname_np(pthread_self(), buffer.data(), buffer.size());
            name.set_value(buffer.data());
        },
        [](Worker::Batch&) {}, "closed");
    auto future = name.get_future();
    ASSERT_EQ(future.wait_for(kDeadline), std::future_status::ready);
    EXPECT_EQ(future.get(), "seesay-very-lon");
}

// The last owner may be a callback: closing then happens on the worker's own thread.
TEST(Worker, ClosingFinishesTheBatchAndFailsTheQueueAlsoFromACallback) {
    FakeModel model;
    auto worker = make_worker(model);
    std::promise<Answer> first;
    worker->submit(std::make_unique<NumberJob>(1, false, [&](Answer answer) {
        worker.reset();
        first.set_value(std::move(answer));
    }));
    ASSERT_TRUE(model.wait_until_running());
    auto queued = submit(*worker, 2);
    EXPECT_EQ(worker->queued(), 1U);
    model.open();
    auto running = first.get_future();
    const auto finished = wait(running);
    const auto dropped = wait(queued);
    ASSERT_TRUE(finished && dropped);
    EXPECT_EQ(finished->value, 2);
    EXPECT_EQ(dropped->error, "the worker was closed");
}

TEST(Worker, AnswersAllOfManyThreadsEachInItsOwnOrder) {
    constexpr int kStreams = 4;
    constexpr int kJobs = 200;
    FakeModel model;
    model.open();
    std::array<std::vector<int>, kStreams> order;  // each written by the worker's thread only
    std::atomic<int> answered{0};
    {
        const auto worker = make_worker(model, 5);
        std::vector<std::thread> streams;
        for (int stream = 0; stream < kStreams; ++stream) {
            streams.emplace_back([&, stream] {
                for (int i = 0; i < kJobs; ++i) {
                    worker->submit(std::make_unique<NumberJob>(
                        stream * kJobs + i, i % 7 == 0, [&, stream](Answer answer) {
                            order[static_cast<std::size_t>(stream)].push_back(answer.value);
                            ++answered;
                        }));
                }
            });
        }
        for (auto& stream : streams) {
            stream.join();
        }
        std::promise<Answer> last;
        worker->submit(std::make_unique<NumberJob>(
            7, true, [&](Answer answer) { last.set_value(std::move(answer)); }));
        ASSERT_EQ(last.get_future().wait_for(kDeadline), std::future_status::ready);
    }
    EXPECT_EQ(answered, kStreams * kJobs);
    for (int stream = 0; stream < kStreams; ++stream) {
        for (int i = 0; i < kJobs; ++i) {
            ASSERT_EQ(order[static_cast<std::size_t>(stream)][static_cast<std::size_t>(i)],
                      2 * (stream * kJobs + i));
        }
    }
}

TEST(Worker, AnswersEveryJobOnceWhenClosedInTheMiddle) {
    for (int round = 0; round < 20; ++round) {
        FakeModel model;
        model.open();
        std::array<std::atomic<int>, 100> answers{};
        {
            const auto worker = make_worker(model, 3);
            for (std::size_t i = 0; i < answers.size(); ++i) {
                worker->submit(std::make_unique<NumberJob>(static_cast<int>(i), false,
                                                           [&, i](Answer) { ++answers[i]; }));
            }
        }
        for (const auto& count : answers) {
            ASSERT_EQ(count, 1);
        }
    }
}

TEST(Worker, CallbacksMaySubmitAgain) {
    FakeModel model;
    model.open();
    const auto worker = make_worker(model);
    std::promise<int> done;
    worker->submit(std::make_unique<NumberJob>(3, false, [&](Answer first) {
        worker->submit(std::make_unique<NumberJob>(
            first.value, false, [&](Answer second) { done.set_value(second.value); }));
    }));
    auto future = done.get_future();
    ASSERT_EQ(future.wait_for(kDeadline), std::future_status::ready);
    EXPECT_EQ(future.get(), 12);
}

}  // namespace
}  // namespace seesay::runtime
