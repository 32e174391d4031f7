#include "stores/recall/worker.hpp"

#include <csignal>
#include <pthread.h>

namespace atl::recall {

Worker::Worker(RecallOptions options)
    : tasks_max_(options.queue_tasks_max),
      bytes_max_(options.queue_bytes_max),
      index_(std::move(options)),
      thread_([this] { live(); }) {}

Worker::~Worker() {
    {
        const std::lock_guard guard(mutex_);
        stopping_ = true;
    }
    came_.notify_one();
    thread_.join();
}

void Worker::submit(std::unique_ptr<Task> task) {
    {
        const std::lock_guard guard(mutex_);
        // A queue that is empty takes a task of any size: it could never be done otherwise.
        if (queue_.size() < tasks_max_ &&
            (queue_.empty() || queue_bytes_ + task->bytes <= bytes_max_)) {
            queue_bytes_ += task->bytes;
            queue_.push_back(std::move(task));
        } else {
            task->fail({Code::Unavailable, "the index is busy: " + std::to_string(queue_.size()) +
                                               " requests wait already"});
        }
    }
    if (task) {
        task->answer();
    } else {
        came_.notify_one();
    }
}

void Worker::live() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    ::pthread_setname_np(::pthread_self(), "atoll-recall");
    while (true) {
        std::unique_ptr<Task> task;
        {
            std::unique_lock guard(mutex_);
            came_.wait(guard, [this] { return stopping_ || !queue_.empty(); });
            if (queue_.empty()) return;
            task = std::move(queue_.front());
            queue_.pop_front();
            queue_bytes_ -= task->bytes;
        }
        try {
            task->run(index_);
        } catch (const ErrorException& failed) {
            task->fail(failed.error);
        } catch (const std::exception& failed) {
            // No memory for a graph, say. An index is never worth more than a sentence.
            task->fail({Code::Unavailable, std::string("the index failed: ") + failed.what()});
        }
        task->answer();
    }
}

}  // namespace atl::recall
