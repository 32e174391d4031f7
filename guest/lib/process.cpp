#include "guest/lib/process.hpp"

#include "guest/lib/names.hpp"
#include "guest/lib/process_tree.hpp"
#include "guest/lib/root_namespace.hpp"
#include "guest/lib/spawn.hpp"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::guest {

namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr int kInputPauseBytes = 1 << 20;

bool nonblocking(int fd) { return ::fcntl(fd, F_SETFL, O_NONBLOCK) == 0; }

bool make_pipe(UniqueFd& ours, UniqueFd& theirs, bool we_read) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    ours = UniqueFd(ends[we_read ? 0 : 1]);
    theirs = UniqueFd(ends[we_read ? 1 : 0]);
    return nonblocking(ours.get());
}

winsize size_of(const json::object& size) {
    winsize result{};
    result.ws_row = static_cast<unsigned short>(number_of(size, "rows", 24));
    result.ws_col = static_cast<unsigned short>(number_of(size, "cols", 80));
    return result;
}

}  // namespace

std::map<std::string, std::string> environment_for(const Surroundings& surroundings,
                                                   const json::object& request,
                                                   const std::string& mark) {
    auto environment = surroundings.environment;
    if (text_of(request, "user") == "root") {
        environment["HOME"] = "/root";
        environment["USER"] = environment["LOGNAME"] = "root";
        // What root installs with pip is the session's: kernels look there, and nowhere else.
        environment.insert({"PYTHONUSERBASE", "/home/user/.local"});
    }
    if (const auto* extra = request.if_contains("env"); extra != nullptr && extra->is_object()) {
        for (const auto& [name, value] : extra->get_object()) {
            if (value.is_string()) environment[std::string(name)] = value.get_string().c_str();
        }
    }
    environment[kRunMark] = mark;
    return environment;
}

bool Process::open_terminal(const json::object& size, const Surroundings& surroundings,
                            int child_ends[3]) {
    UniqueFd master(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (master.get() < 0 || ::unlockpt(master.get()) != 0) return false;
    const int slave = ::ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0) return false;
    const winsize window = size_of(size);
    ::ioctl(master.get(), TIOCSWINSZ, &window);
    // So that programs can open their terminal by name.
    if (surroundings.user.change_ids) {
        [[maybe_unused]] const int unchecked =
            ::fchown(slave, surroundings.user.uid, surroundings.user.gid);
    }
    child_ends[0] = child_ends[1] = child_ends[2] = slave;
    out_ = std::move(master);
    terminal_ = true;
    return nonblocking(out_.get());
}

bool Process::open_pipes(bool with_stdin, bool merge, int child_ends[3]) {
    UniqueFd in_theirs, out_theirs, err_theirs;
    if (with_stdin) {
        if (!make_pipe(in_, in_theirs, false)) return false;
    } else {
        in_theirs = UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    }
    if (!make_pipe(out_, out_theirs, true)) return false;
    if (!merge && !make_pipe(err_, err_theirs, true)) return false;
    child_ends[0] = in_theirs.release();
    child_ends[1] = out_theirs.release();
    child_ends[2] = merge ? child_ends[1] : err_theirs.release();
    return child_ends[0] >= 0;
}

namespace {

// What is longer than an argument may be (128 KiB), as a file in memory that the program reads.
UniqueFd memory_file(std::string_view text) {
    UniqueFd file(::memfd_create("script", MFD_CLOEXEC));
    while (file.get() >= 0 && !text.empty()) {
        const ssize_t n = ::write(file.get(), text.data(), text.size());
        if (n <= 0) return UniqueFd();
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    if (file.get() >= 0) ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

}  // namespace

bool Process::become_root(sys::Confinement& confinement, Surroundings& surroundings) {
    sys::StepFailure failure;
    if (!have_root_namespace(surroundings, failure)) {
        // Where the machine has none left, or a security module refuses them.
        fail("unavailable", std::string("programs cannot run as root here: ") + failure.step +
                                ": " + std::strerror(failure.cause) +
                                "; run it as the ordinary user");
        return false;
    }
    confinement.names = sys::Names::Root;
    confinement.root_namespace_fd = surroundings.root_namespace_fd;
    return true;
}

void Process::start(const json::object& request, Surroundings& surroundings) {
    Launch launch;
    if (const auto* argv = request.if_contains("argv"); argv != nullptr && argv->is_array()) {
        for (const auto& part : argv->get_array()) {
            if (!part.is_string()) return fail("invalid_argument", "argv may hold only strings");
            launch.argv.emplace_back(part.get_string().c_str());
        }
    }
    if (launch.argv.empty()) return fail("invalid_argument", "argv is empty");
    mark_ = std::to_string(channel());
    for (const auto& [name, value] : environment_for(surroundings, request, mark_)) {
        launch.environment.push_back(name + "=" + value);
    }
    launch.directory = name_in(request, "cwd");
    if (launch.directory.empty()) launch.directory = "/session";
    launch.confinement = surroundings.confinement();
    launch.oom_score_fd = surroundings.oom_score_fd;
    if (const std::string user = text_of(request, "user"); user == "root") {
        if (!become_root(launch.confinement, surroundings)) return;
    } else if (!user.empty() && user != "user") {
        return fail("invalid_argument", "user: must be user or root");
    }

    UniqueFd script;
    if (const auto* text = request.if_contains("script"); text != nullptr && text->is_string()) {
        script = memory_file(text->get_string());
        if (script.get() < 0) return fail_errno("hand over the script");
        launch.link = script.get();
    }
    int ends[3] = {-1, -1, -1};
    const auto* pty = request.if_contains("pty");
    const bool opened =
        pty != nullptr && pty->is_object()
            ? open_terminal(pty->get_object(), surroundings, ends)
            : open_pipes(flag_of(request, "stdin"), flag_of(request, "merge"), ends);
    if (!opened) {
        fail_errno("connect the program's streams");
    } else {
        launch.in = ends[0];
        launch.out = ends[1];
        launch.err = ends[2];
        launch.controlling_terminal = terminal_;
        pid_ = spawn(launch);
    }
    for (int i = 0; i < 3; ++i) {
        if (ends[i] >= 0 && (i == 0 || ends[i] != ends[i - 1])) ::close(ends[i]);
    }
    if (ended()) return;
    if (pid_ < 0) {
        errno = launch.failure.cause;
        return fail_errno(launch.failure.step);
    }
    if (const auto limit = number_of(request, "timeout_ms"); limit > 0) {
        deadline_ = Clock::now() + std::chrono::milliseconds(limit);
    }
    grace_ = std::chrono::milliseconds(std::max<std::int64_t>(0, number_of(request, "grace_ms")));
    event({{"event", "started"}, {"pid", pid_}});
}

void Process::watch(PollSet& set) {
    const bool room = may_send();
    if (out_.get() >= 0 && room) set.add(out_.get(), POLLIN);
    if (err_.get() >= 0 && room) set.add(err_.get(), POLLIN);
    const int input = terminal_ ? out_.get() : in_.get();
    in_slot_ = input_.empty() ? PollSet::kNoSlot : set.add(input, POLLOUT);
}

bool Process::pass_on(UniqueFd& source, wire::Kind kind) {
    char piece[kReadBytes];
    while (source.get() >= 0) {
        if (!may_send()) return true;
        const ssize_t n = ::read(source.get(), piece, sizeof piece);
        if (n > 0) {
            send(kind, {piece, static_cast<std::size_t>(n)});
            continue;
        }
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return false;
        source = UniqueFd();  // end of file, or a terminal whose other side is gone (EIO)
    }
    return false;
}

void Process::ready(const PollSet& set) {
    if (set.ready(in_slot_)) write_input();
    const bool out_waits = pass_on(out_, wire::Kind::Stdout);
    const bool err_waits = pass_on(err_, wire::Kind::Stderr);
    if (!out_waits && !err_waits) finish_if_done();
}

void Process::write_input() {
    const int fd = terminal_ ? out_.get() : in_.get();
    while (!input_.empty() && fd >= 0) {
        const ssize_t n = ::write(fd, input_.data(), input_.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n < 0) {  // nobody reads any more: the rest is dropped, as a shell's pipe would
            consumed(input_.size());
            input_.clear();
            in_ = UniqueFd();
            return;
        }
        consumed(static_cast<std::size_t>(n));
        input_.erase(0, static_cast<std::size_t>(n));
    }
    if (input_ended_ && !terminal_) in_ = UniqueFd();
}

void Process::data(std::string_view bytes) {
    if ((!terminal_ && in_.get() < 0) || input_.size() > kInputPauseBytes) {
        consumed(bytes.size());
        return;
    }
    input_.append(bytes);
    write_input();
}

void Process::eof() {
    input_ended_ = true;
    if (terminal_) {
        input_.push_back('\x04');  // what a person's Ctrl-D sends
    }
    write_input();
}

void Process::control(const json::object& command) {
    const std::string what = text_of(command, "do");
    if (pid_ <= 0) return;
    if (what == "signal") {
        // To the group, so that a shell's children hear it too.
        const auto number = static_cast<int>(number_of(command, "signal", SIGTERM));
        if (::kill(-pid_, number) != 0) ::kill(pid_, number);
    } else if (what == "resize" && terminal_) {
        const winsize window = size_of(command);
        ::ioctl(out_.get(), TIOCSWINSZ, &window);
    } else if (what == "cancel") {
        cancelled_ = true;
        kill_tree(pid_, mark_);
    }
}

void Process::time_is_up() {
    if (!timed_out_ && grace_.count() > 0) {
        timed_out_ = true;
        ::kill(-pid_, SIGTERM);
        deadline_ = Clock::now() + grace_;
        return;
    }
    timed_out_ = true;
    deadline_.reset();
    kill_tree(pid_, mark_);
}

void Process::child_ended(pid_t pid, int status) {
    if (pid != pid_) return;
    status_ = status;
    const bool out_waits = pass_on(out_, wire::Kind::Stdout);
    const bool err_waits = pass_on(err_, wire::Kind::Stderr);
    if (!out_waits && !err_waits) finish_if_done();
}

void Process::finish_if_done() {
    if (!status_ || ended()) return;
    json::object result{{"timed_out", timed_out_}, {"cancelled", cancelled_}};
    if (WIFSIGNALED(*status_)) {
        result["signal"] = WTERMSIG(*status_);
        result["exit_code"] = 128 + WTERMSIG(*status_);
    } else {
        result["exit_code"] = WEXITSTATUS(*status_);
    }
    end(std::move(result));
}

}  // namespace atl::guest
