#include "runtimes/native/nest.hpp"

#include "base/as_tuple.hpp"
#include "base/at_exit.hpp"
#include "base/fields.hpp"
#include "base/watched.hpp"
#include "runtimes/native/enclosure.hpp"
#include "runtimes/native/guest_config.hpp"
#include "runtimes/native/handshake.hpp"
#include "runtimes/native/root_tree.hpp"
#include "sys/descriptor_passing.hpp"
#include "sys/files.hpp"
#include "sys/seccomp/policy.hpp"
#include "sys/syscalls.hpp"
#include "wire/assembler.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::native {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr int kControlInside = 3;
constexpr std::size_t kMessageBytesMax = 256 * 1024;
// An import of everything from cold storage on a busy machine takes long; a zygote that hangs
// must not hang us.
constexpr auto kImportTimeMax = std::chrono::seconds(120);
constexpr auto kForkTimeMax = std::chrono::seconds(20);
constexpr int kEndTimeMaxMs = 30'000;

// What another process of the same user may have caused for a moment.
bool may_pass(int cause) noexcept {
    return cause == ETOOMANYREFS || cause == ENOBUFS || cause == ENOMEM;
}

// A message that cannot be sent says nothing about the zygote: it fails the call that it is for.
Error cannot_send(int cause) {
    if (cause == EMSGSIZE) {
        return {
            Code::InvalidArgument,
            "the sandbox's initial configuration (its environment above all) is larger than the " +
                std::to_string(kMessageBytesMax) + " bytes of a message to the zygote"};
    }
    if (cause == ETOOMANYREFS) {
        return {Code::Unavailable,
                "too many descriptors of this user are in flight between processes; try again"};
    }
    errno = cause;
    return sys::errno_error("ask the zygote", Code::Unavailable);
}

// As large as our messages may be, whatever the host's default is. A smaller one is met as
// EMSGSIZE.
void allow_large_messages(int socket) noexcept {
    const int bytes = static_cast<int>(kMessageBytesMax);
    ::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

// A pidfd tells which process it is in the numbers of whoever asks.
pid_t pid_of(int pidfd) {
    const auto text = sys::read_small_file("/proc/self/fdinfo/" + std::to_string(pidfd));
    if (!text) return -1;
    const auto at = text->find("Pid:");
    if (at == std::string::npos) return -1;
    const auto digits = text->find_first_of("-0123456789", at);
    pid_t pid = -1;
    if (digits != std::string::npos) {
        std::from_chars(text->data() + digits, text->data() + text->size(), pid);
    }
    return pid;
}

// The child of the nest's init: where the imports happen and memory is to be measured.
pid_t only_child_of(pid_t pid) {
    const std::string id = std::to_string(pid);
    const auto text = sys::read_small_file("/proc/" + id + "/task/" + id + "/children");
    pid_t child = -1;
    if (text) std::from_chars(text->data(), text->data() + text->size(), child);
    return child;
}

Result<UniqueFd> config_file(const Template& from) {
    json::array preload;
    for (const auto& module : from.preload) preload.emplace_back(module);
    const std::string text =
        json::serialize(json::object{{"library", std::string(kGuestInside) + "/libatoll_guest.so"},
                                     {"control_fd", kControlInside},
                                     {"preload", std::move(preload)},
                                     {"warm", true}});
    UniqueFd file(::memfd_create("atoll-zygote", MFD_CLOEXEC));
    if (file.get() < 0) return sys::errno_error("make a memory file");
    if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        ::lseek(file.get(), 0, SEEK_SET) != 0) {
        return sys::errno_error("write a memory file");
    }
    return file;
}

// For a sandbox whose zygote is gone.
json::array kernel_program() {
    const std::string folder = std::string(kGuestInside) + "/python";
    return {std::string(kEnvironmentInside) + "/bin/python", "-I", "-c",
            "import sys; sys.path.insert(0, '" + folder +
                "'); from atoll_guest import kernel; sys.path.remove('" + folder +
                "'); sys.exit(kernel.main(['3']))"};
}

// Left alone, bun fetches packages that are not there and reads .env files.
json::array javascript_program() {
    const std::string folder = std::string(kGuestInside) + "/typescript";
    return {folder + "/bun", "--no-install", "--no-env-file", folder + "/kernel/main.ts"};
}

}  // namespace

Nest::Nest(asio::any_io_executor executor, UniqueFd control, Template from, bool watch_memory)
    : executor_(executor),
      control_(watched(executor, std::move(control))),
      template_(std::move(from)),
      watch_memory_(watch_memory) {
    control_.non_blocking(true);
}

Nest::~Nest() {
    if (pidfd_.get() >= 0) {
        sys::pidfd_send_signal(pidfd_.get(), SIGKILL);
        // Its last process takes a moment to go. One that never does must not hold us.
        pollfd ended{pidfd_.get(), POLLIN, 0};
        while (::poll(&ended, 1, kEndTimeMaxMs) < 0 && errno == EINTR) {}
        ::waitpid(init_pid_, nullptr, WNOHANG);
    }
}

std::optional<std::chrono::steady_clock::duration> Nest::idle_time() const {
    if (!slots_.none_taken() || !waiting_.empty()) return std::nullopt;
    return std::chrono::steady_clock::now() - last_used_;
}

void Nest::end() noexcept {
    if (pidfd_.get() >= 0) sys::pidfd_send_signal(pidfd_.get(), SIGKILL);
}

asio::awaitable<std::shared_ptr<Nest>> Nest::raise(const Paths& paths, Template from,
                                                   core::Limits defaults, bool watch_memory,
                                                   NestFolders folders) {
    const auto executor = co_await asio::this_coro::executor;
    const auto began = std::chrono::steady_clock::now();
    const bool root = ::geteuid() == 0;
    Plan plan;
    std::optional<IdBlock> ids;
    if (root) {
        ids = IdBlock::take(paths.run).value();
        plan.ids = {0, ids->first_id(), kSlotsABlock * kIdsASlot, 0};
    } else {
        plan.ids = {0, ::geteuid(), 1, ::getegid()};
    }
    plan_root(plan, paths, from);
    // Root hands each sandbox a mount of its own folder; an ordinary user cannot (walls.cpp).
    if (!root && !folders.kept_root.empty()) {
        plan.entries.push_back({Entry::Kind::Folder, kAllKeptInside, "", 0755});
        plan.trees.push_back({folders.kept_root, kAllKeptInside, true, false, false, -1});
    }
    if (!root && !folders.shown.empty()) {
        plan.entries.push_back({Entry::Kind::Folder, kAllShownInside, "", 0755});
        for (std::size_t i = 0; i < folders.shown.size(); ++i) {
            const std::string path = std::string(kAllShownInside) + "/" + std::to_string(i);
            plan.entries.push_back({Entry::Kind::Folder, path, "", 0755});
            // A missing one is reported to whoever requests it; the others are served.
            plan.trees.push_back({folders.shown[i], path, false, false, true, -1});
        }
    }
    if (folders.data_root != "/data") {
        for (auto slash = folders.data_root.find('/', 1); slash != std::string::npos;
             slash = folders.data_root.find('/', slash + 1)) {
            const auto above = folders.data_root.substr(0, slash);
            if (above == "/mnt") continue;  // there already
            plan.entries.push_back({Entry::Kind::Folder, above, "", 0755});
        }
        plan.entries.push_back({Entry::Kind::Link, folders.data_root, "/data", 0});
    }
    plan.own_tmp = true;  // packages want one while they are imported
    plan.filter = sys::compile_filter(sys::Profile::Guest).value();
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        throw ErrorException(sys::errno_error("make the zygote's socket"));
    }
    UniqueFd ours(ends[0]), theirs(ends[1]);
    allow_large_messages(ours.get());
    const UniqueFd config = config_file(from).value();
    plan.descriptors = {{theirs.get(), kControlInside}, {config.get(), kConfigInside}};
    plan.argv = {std::string(kGuestInside) + "/atoll-guest",
                 "nest",
                 "--",
                 std::string(kEnvironmentInside) + "/bin/python",
                 "-I",
                 std::string(kGuestInside) + "/python/atoll_guest/zygote.py",
                 "fd:" + std::to_string(kConfigInside)};
    // A clean environment: nothing of the server's, no secret, ever reaches a zygote.
    for (const auto& [name, value] : base_environment(from)) {
        plan.environment.push_back(name + "=" + value);
    }
    plan.environment.push_back("MPLCONFIGDIR=" + std::string(kTemplateInside) + "/cache");

    std::shared_ptr<Nest> nest(new Nest(executor, std::move(ours), std::move(from), watch_memory));
    nest->ids_ = std::move(ids);
    auto enclosure = raise_enclosure(plan);
    if (!enclosure)
        throw ErrorException(enclosure.error().during("raise the nest of " + nest->template_.name));
    nest->pidfd_ = std::move(enclosure->pidfd);
    nest->init_pid_ = enclosure->pid;
    theirs = UniqueFd();

    auto ready = std::make_shared<Waiting>(
        Waiting{std::nullopt, asio::steady_timer(executor, kImportTimeMax)});
    nest->waiting_.push_back(ready);
    // Nobody waits for the reader: it holds the nest, refers to nothing else, and ends when the
    // zygote does or the nest is closed. However it ends, nobody may wait for the zygote any more.
    asio::co_spawn(
        executor, [nest]() -> asio::awaitable<void> { return nest->read(); },
        [nest](const std::exception_ptr&) { nest->fail("its messages are no longer read"); });
    // Whoever reads keeps it alive: a nest that could not be raised must not stay for that.
    AtExit abandoned([nest] { nest->fail("its start failed"); });
    while (!ready->reply) {
        auto [cancelled] = co_await ready->came.async_wait(kAsTuple);
        if (!nest->alive_) break;
        if (!cancelled) nest->fail("the zygote did not finish its imports within 120 s");
    }
    if (!nest->alive_) {
        throw ErrorException({Code::Unavailable,
                              "start the template " + nest->template_.name + ": " + nest->death_});
    }
    auto filter = sys::compile_filter(sys::Profile::User).value();
    json::object variables;
    for (const auto& [name, value] : base_environment(nest->template_)) variables[name] = value;
    // Named, not written inside the co_await: g++ 12 cannot keep a braced list across one.
    const json::object init{{"type", "init"},
                            {"limits", guest_limits(defaults, watch_memory)},
                            {"user", guest_user(root)},
                            {"env", std::move(variables)},
                            {"kernel_program", kernel_program()},
                            {"javascript_program", javascript_program()},
                            {"filter", hex(filter)}};
    const std::vector<int> nothing;
    co_await nest->ask(init, nothing);
    nest->zygote_pid_ = only_child_of(nest->init_pid_);
    nest->import_ms_ =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
    abandoned.cancel();
    co_return nest;
}

asio::awaitable<void> Nest::read() {
    const auto self = shared_from_this();
    std::string buffer(kMessageBytesMax, '\0');
    while (alive_) {
        auto [failed] =
            co_await control_.async_wait(asio::posix::stream_descriptor::wait_read, kAsTuple);
        if (failed) break;
        std::vector<UniqueFd> along;
        const ssize_t n =
            sys::receive_with(control_.native_handle(), buffer.data(), buffer.size(), 0, along);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (n <= 0) {
            fail("the zygote has ended");
            break;
        }
        UniqueFd pidfd = along.empty() ? UniqueFd() : std::move(along.front());
        std::string_view text(buffer.data(), static_cast<std::size_t>(n));
        // Python's own report of a failed start comes in a kernel's framing: length and type first.
        if (!text.empty() && text.front() != '{' && text.size() > 5) text.remove_prefix(5);
        auto message = fields::parse_object(text);
        if (!message || fields::text_of(*message, "event") == "error") {
            fail(message ? fields::text_of(*message, "message") : message.error().message);
            break;
        }
        if (waiting_.empty()) continue;
        const auto first = waiting_.front();
        waiting_.pop_front();
        first->reply.emplace(Reply{std::move(*message), std::move(pidfd)});
        first->came.cancel();
    }
}

void Nest::fail(const std::string& why) {
    if (!alive_) return;
    alive_ = false;
    death_ = why;
    boost::system::error_code ignored;
    control_.close(ignored);
    for (const auto& waiting : waiting_) waiting->came.cancel();
    waiting_.clear();
}

asio::awaitable<std::shared_ptr<Nest::Waiting>> Nest::send(const std::string& text,
                                                           const std::vector<int>& descriptors) {
    if (text.size() > kMessageBytesMax) throw ErrorException(cannot_send(EMSGSIZE));
    asio::steady_timer pause(executor_);
    for (int tries = 1; alive_;) {
        if (sys::send_with(control_.native_handle(), text, descriptors) >= 0) {
            auto waiting = std::make_shared<Waiting>(
                Waiting{std::nullopt, asio::steady_timer(executor_, kForkTimeMax)});
            waiting_.push_back(waiting);
            co_return waiting;
        }
        const int cause = errno;
        if (cause == EINTR) continue;
        if (cause == EAGAIN) {
            co_await control_.async_wait(asio::posix::stream_descriptor::wait_write, kAsTuple);
        } else if (cause == EPIPE || cause == ECONNRESET || cause == ENOTCONN) {
            fail("the zygote has ended");
        } else if (may_pass(cause) && tries < kSendTriesMax) {
            ++tries;
            pause.expires_after(kSendPause);
            co_await pause.async_wait(kAsTuple);
        } else {
            throw ErrorException(cannot_send(cause));
        }
    }
    throw ErrorException({Code::Unavailable, death_});
}

asio::awaitable<Nest::Reply> Nest::ask(const json::object& message, std::vector<int> descriptors) {
    const auto self = shared_from_this();
    const std::string text = json::serialize(message);
    const auto waiting = co_await send(text, descriptors);
    while (alive_ && !waiting->reply) {
        auto [cancelled] = co_await waiting->came.async_wait(kAsTuple);
        if (!cancelled && !waiting->reply) fail("the zygote does not answer");
    }
    if (!waiting->reply) throw ErrorException({Code::Unavailable, death_});
    if (fields::text_of(waiting->reply->message, "type") == "error") {
        throw ErrorException(
            {Code::Unavailable,
             "fork a sandbox: " + fields::text_of(waiting->reply->message, "message")});
    }
    co_return std::move(*waiting->reply);
}

asio::awaitable<Forked> Nest::fork(const core::SandboxSpec& spec,
                                   const std::vector<UniqueFd>& doors, bool owned) {
    const auto self = shared_from_this();
    const bool root = ids_.has_value();
    Forked forked;
    forked.slot = slots_.take().value();
    // Whatever happens below, the slot goes back; but a fork that may have happened keeps it.
    AtExit slot_back([this, slot = forked.slot] { give_back(slot); });
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        throw ErrorException(sys::errno_error("make a stream to the guest"));
    }
    forked.stream = UniqueFd(ends[0]);
    const UniqueFd theirs(ends[1]);
    // Not the environment, which may hold somebody's secrets: what the nest has read lies in its
    // memory, of which every later sandbox is a clone. It goes to the sandbox alone, with a claim.
    const json::object request{{"type", "fork"},
                               {"hostname", spec.hostname()},
                               {"limits", guest_limits(spec.limits(), watch_memory_)},
                               {"inside_id", root ? 0u : kUserInside},
                               {"outside_id", root ? forked.slot * kIdsASlot : 0u},
                               {"ids", root ? kIdsASlot : 1u},
                               {"owned", owned}};
    std::vector<int> along{theirs.get()};
    for (const auto& door : doors) along.push_back(door.get());
    auto reply = co_await ask(request, along);
    if (reply.pidfd.get() < 0) {
        // It was forked, but we have no hold on it: it ends when its stream closes, and its ids are
        // not given to another before we know that.
        slot_back.cancel();
        throw ErrorException({Code::Unavailable,
                              "the handle of a new sandbox is missing: this process has too many "
                              "open files"});
    }
    forked.pidfd = std::move(reply.pidfd);
    slot_back.cancel();
    forked.pid = pid_of(forked.pidfd.get());
    co_return forked;
}

}  // namespace atl::native
