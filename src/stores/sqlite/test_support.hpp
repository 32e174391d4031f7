#pragma once
// What the tests of this room share: a folder that goes away, a loop that runs one coroutine to its
// end, a process of its own for what must be killed, and records to write.
#include "base/fd.hpp"
#include "stores/sqlite/store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::sqlite::testing {

namespace asio = boost::asio;

class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "atoll-store-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
        path_ = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string file() const { return path_ + "/atoll.db"; }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

[[nodiscard]] inline std::unique_ptr<SqliteStore> open_store(const std::string& file,
                                                             StoreOptions options = {}) {
    options.path = file;
    return SqliteStore::open(std::move(options)).value();
}

// Runs a coroutine on a loop of its own, to its end.
template <class T>
T await(asio::awaitable<T> what) {
    asio::io_context loop;
    std::exception_ptr failed;
    if constexpr (std::is_void_v<T>) {
        asio::co_spawn(loop, std::move(what), [&](std::exception_ptr e) { failed = e; });
        loop.run();
        if (failed) std::rethrow_exception(failed);
    } else {
        std::optional<T> value;
        // co_spawn wants a T to show even when there is none, so the answer travels beside it.
        auto hold = [](asio::awaitable<T> inner, std::optional<T>* out) -> asio::awaitable<void> {
            out->emplace(co_await std::move(inner));
        };
        asio::co_spawn(loop, hold(std::move(what), &value),
                       [&](std::exception_ptr e) { failed = e; });
        loop.run();
        if (failed) std::rethrow_exception(failed);
        return std::move(*value);
    }
}

// The error that a coroutine ends with; an empty one of code Internal when it ends well.
template <class T>
Error error_of(asio::awaitable<T> what) {
    try {
        if constexpr (std::is_void_v<T>) {
            await(std::move(what));
        } else {
            (void)await(std::move(what));
        }
    } catch (const ErrorException& thrown) { return thrown.error; }
    return {Code::Internal, ""};
}

[[nodiscard]] inline core::Time at(std::int64_t ms) {
    return core::Time(std::chrono::milliseconds(ms));
}

[[nodiscard]] inline core::SessionRecord session(const std::string& id, const std::string& owner,
                                                 std::int64_t created_ms) {
    core::SessionRecord record;
    record.id = SessionId(id);
    record.owner = owner;
    record.name = "name of " + id;
    record.state = core::SessionState::Hot;
    record.spec_json = R"({"limits":{"memory_bytes_max":536870912}})";
    record.created_at = at(created_ms);
    record.last_used_at = at(created_ms);
    return record;
}

[[nodiscard]] inline core::JobRecord job(const std::string& id, const std::string& owner,
                                         std::int64_t created_ms) {
    core::JobRecord record;
    record.id = JobId(id);
    record.owner = owner;
    record.kind = core::JobKind::Shell;
    record.code = "echo hello";
    record.created_at = at(created_ms);
    return record;
}

[[nodiscard]] inline core::JobRequest job_request(const std::string& instance,
                                                  std::int64_t now_ms) {
    core::JobRequest wanted;
    wanted.instance = instance;
    wanted.now = at(now_ms);
    return wanted;
}

// A process of its own. It says what is wrong through a pipe; nothing said is well. Fork with no
// other thread alive, so that the child's heap is whole.
class Child {
public:
    explicit Child(const std::function<void(int say)>& live) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
        UniqueFd read(ends[0]);
        UniqueFd write(ends[1]);
        pid_ = ::fork();
        if (pid_ < 0) throw std::runtime_error("fork");
        if (pid_ == 0) {
            read.reset();
            try {
                live(write.get());
            } catch (const std::exception& thrown) {
                const std::string text = std::string("thrown: ") + thrown.what() + "\n";
                [[maybe_unused]] const auto unread = ::write(write.get(), text.data(), text.size());
            }
            ::_exit(0);
        }
        heard_ = std::move(read);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (pid_ > 0) kill();
    }
    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] int heard() const { return heard_.get(); }
    void kill() {
        ::kill(pid_, SIGKILL);
        wait();
    }
    int wait() {
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = -1;
        return status;
    }
    // All that it says until it ends.
    std::string listen() {
        std::string said;
        char piece[4096];
        ssize_t n = 0;
        while ((n = ::read(heard_.get(), piece, sizeof piece)) > 0) {
            said.append(piece, static_cast<std::size_t>(n));
        }
        return said;
    }

private:
    pid_t pid_ = -1;
    UniqueFd heard_;
};

inline void say(int fd, const std::string& text) {
    [[maybe_unused]] const auto unread = ::write(fd, text.data(), text.size());
}

}  // namespace atl::sqlite::testing
