#pragma once
// What the tests of this room share: a folder that goes away, somebody to be, a loop that runs one
// coroutine to its end, and trees that nobody would make by accident.
#include "base/fd.hpp"
#include "stores/folders/disk_folders.hpp"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::folders::testing {

namespace asio = boost::asio;
namespace fs = std::filesystem;

inline constexpr Ids kNobody{1899999999, 1899999999};
inline constexpr uid_t kOrdinary = 54321;

[[noreturn]] inline void give_up(const std::string& what) {
    throw std::runtime_error(what + ": " + std::strerror(errno));
}

// In memory where there is such a place: a disk that discards what was removed, or ext4 that looks
// for an inode that was not deleted seconds ago, makes the tests' own trees cost most of the time.
// With TMPDIR set, all of them run there.
[[nodiscard]] inline std::string quick_place() {
    const bool told = std::getenv("TMPDIR") != nullptr;
    return !told && ::access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                                    : fs::temp_directory_path().string();
}
// A disk, as far as anybody knows.
[[nodiscard]] inline std::string disk_place() { return fs::temp_directory_path().string(); }

// Removed at the end by rm, so that a fault of ours leaves nothing behind.
class Folder {
public:
    explicit Folder(uid_t owner = ::geteuid(), const std::string& where = quick_place()) {
        std::string name = where + "/atoll-folders-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) give_up("mkdtemp");
        path_ = name;
        if (owner != ::geteuid() && ::chown(path_.c_str(), owner, owner) != 0) give_up("chown");
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        const pid_t child = ::fork();
        if (child == 0) {
            ::execlp("rm", "rm", "-rf", "--", path_.c_str(), static_cast<char*>(nullptr));
            ::_exit(127);
        }
        ::waitpid(child, nullptr, 0);
    }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string root() const { return path_ + "/sessions"; }

private:
    std::string path_;
};

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

// The error that a coroutine ends with; one without words when it ends well.
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

// While it lives this process gets no new descriptor. A loop must be there before.
class NoDescriptors {
public:
    NoDescriptors() {
        if (::getrlimit(RLIMIT_NOFILE, &before_) != 0) give_up("getrlimit");
        const rlimit none{0, before_.rlim_max};
        if (::setrlimit(RLIMIT_NOFILE, &none) != 0) give_up("setrlimit");
    }
    NoDescriptors(const NoDescriptors&) = delete;
    NoDescriptors& operator=(const NoDescriptors&) = delete;
    ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};

// What the worker does by itself, waited for.
inline bool eventually(const std::function<bool()>& holds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!holds()) {
        if (std::chrono::steady_clock::now() > until) return false;
        ::usleep(2000);
    }
    return true;
}

[[nodiscard]] inline FolderOptions few_ready() {
    FolderOptions options;
    options.ready_max = 4;
    return options;
}
[[nodiscard]] inline std::unique_ptr<DiskFolders> open_folders(
    const std::string& root, FolderOptions options = few_ready()) {
    return DiskFolders::open(root, kNobody, options).value();
}

// Runs `body` in a process of its own, as root (when we are) and as an ordinary user, each with a
// folder that is theirs. A failed expectation in there is one here.
inline void as_process(uid_t who, const std::function<void(Folder&)>& body,
                       const std::string& where = quick_place()) {
    Folder folder(who, where);
    const pid_t child = ::fork();
    if (child < 0) give_up("fork");
    if (child == 0) {
        if (who != ::geteuid() &&
            (::setresgid(who, who, who) != 0 || ::setresuid(who, who, who) != 0)) {
            ::_exit(3);
        }
        ::umask(027);  // not the one that the code would like best
        try {
            body(folder);
        } catch (const std::exception& thrown) { ADD_FAILURE() << "thrown: " << thrown.what(); }
        std::fflush(nullptr);
        ::_exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << "as user " << who << " (status " << status << ")";
}
inline void as_everybody(const std::function<void(Folder&)>& body,
                         const std::string& where = quick_place()) {
    as_process(::geteuid(), body, where);
    if (::geteuid() == 0) as_process(kOrdinary, body, where);
}

inline void write_file(const std::string& path, const std::string& text, mode_t mode = 0644) {
    std::ofstream(path, std::ios::binary) << text;
    if (::chmod(path.c_str(), mode) != 0) give_up("write " + path);
}
[[nodiscard]] inline std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}
[[nodiscard]] inline struct stat look(const std::string& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) give_up("look at " + path);
    return info;
}
[[nodiscard]] inline bool exists(const std::string& path) {
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0;
}
[[nodiscard]] inline std::size_t entries_in(const std::string& path) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), {}));
}
[[nodiscard]] inline std::size_t open_descriptors() { return entries_in("/proc/self/fd"); }

// `levels` folders named d inside one another, a file f in each.
inline void make_deep(const std::string& where, int levels) {
    UniqueFd here(::open(where.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int i = 0; i < levels; ++i) {
        if (::mkdirat(here.get(), "d", 0755) != 0) give_up("mkdirat");
        here = UniqueFd(::openat(here.get(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        const UniqueFd file(::openat(here.get(), "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
        if (!here || !file || ::write(file.get(), "x", 1) != 1) give_up("openat");
    }
}
// How many there are.
[[nodiscard]] inline int depth_of(const std::string& where) {
    UniqueFd here(::open(where.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int levels = 0;; ++levels) {
        UniqueFd next(::openat(here.get(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!next) return levels;
        if (::faccessat(next.get(), "f", R_OK, 0) != 0) return -1;
        here = std::move(next);
    }
}

}  // namespace atl::folders::testing
