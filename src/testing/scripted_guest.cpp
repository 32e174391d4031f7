#include "testing/scripted_guest.hpp"

#include "base/as_tuple.hpp"
#include "base/fields.hpp"
#include "base/must.hpp"
#include "wire/assembler.hpp"
#include "wire/flow.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <csignal>
#include <sstream>
#include <sys/socket.h>
#include <vector>

namespace atl::testing {

namespace asio = boost::asio;
namespace json = boost::json;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr milliseconds kForEver = std::chrono::hours{24 * 365};

json::object failed(const char* code, const std::string& message) {
    return {{"ok", false}, {"code", code}, {"message", message}};
}

json::object died() {
    return {{"ok", true}, {"died", true}, {"signal", SIGKILL}, {"state_lost", true}};
}

json::object file_entry(const std::string& name, const std::string& bytes) {
    return {{"name", name},  {"type", "file"}, {"size", bytes.size()},        {"mode", 0644},
            {"mtime_ns", 1}, {"inode", 1},     {"stored_bytes", bytes.size()}};
}

}  // namespace

ScriptedGuest::ScriptedGuest(asio::any_io_executor executor, core::Clock& clock, Dice dice,
                             UniqueFd stream, Disk& disk, std::string folder)
    : executor_(executor),
      clock_(clock),
      dice_(dice),
      stream_(executor, stream.release()),
      disk_(disk),
      life_(disk.life()),
      folder_(std::move(folder)),
      changed_(executor, asio::steady_timer::time_point::max()) {
    stream_.non_blocking(true);
}

void ScriptedGuest::start() {
    send(wire::Kind::Hello, 0, json::serialize(json::object{{"version", 1}, {"kernels", true}}));
    asio::co_spawn(
        executor_, [self = shared_from_this()] { return self->read(); }, asio::detached);
}

void ScriptedGuest::die() noexcept {
    if (!alive_) return;
    alive_ = false;
    boost::system::error_code ignored;
    stream_.close(ignored);
    const auto channels = std::move(channels_);
    channels_.clear();
    for (const auto& [id, channel] : channels) {
        channel->cancelled = true;
        channel->time.cancel();
        channel->news.cancel();
    }
    changed_.cancel();
}

void ScriptedGuest::freeze(bool frozen) {
    frozen_ = frozen;
    for (const auto& [id, channel] : channels_) channel->time.cancel();
    changed_.cancel();
}

asio::awaitable<void> ScriptedGuest::read() {
    const auto self = shared_from_this();
    while (alive_) {
        const auto [gone] =
            co_await stream_.async_wait(asio::posix::stream_descriptor::wait_read, kAsTuple);
        while (frozen_ && alive_) co_await changed_.async_wait(kAsTuple);
        if (gone || !alive_) break;
        const ssize_t n =
            ::recv(stream_.native_handle(), decoder_.writable(kReadBytes), kReadBytes, 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (n <= 0) break;
        decoder_.wrote(static_cast<std::size_t>(n));
        while (alive_) {
            const auto frame = decoder_.next();
            must(frame.has_value(), "the host keeps to the protocol");
            if (!frame->has_value()) break;
            take(**frame);
        }
    }
    die();
}

void ScriptedGuest::take(const wire::Frame& frame) {
    if (frame.kind == wire::Kind::Request) {
        ++requests_;
        auto request = fields::parse_object(frame.payload);
        must(request.has_value(), "a request is an object");
        const auto channel = std::make_shared<Channel>(executor_, clock_);
        must(channels_.emplace(frame.channel, channel).second, "a channel is opened once");
        asio::co_spawn(executor_, answer(frame.channel, channel, std::move(*request)),
                       asio::detached);
        return;
    }
    const auto found = channels_.find(frame.channel);
    if (found == channels_.end()) return;  // it has ended, which the host could not know
    Channel& channel = *found->second;
    switch (frame.kind) {
        case wire::Kind::Data: channel.in += frame.payload; break;
        case wire::Kind::Eof: channel.eof = true; break;
        case wire::Kind::Control: {
            const auto command = fields::parse_object(frame.payload);
            must(command.has_value(), "a command is an object");
            const auto what = fields::text_of(*command, "do");
            if (what == "cancel") channel.cancelled = true;
            if (what == "interrupt") channel.interrupted = true;
            if (what == "tell") channel.tell = fields::number_of(*command, "number");
            channel.time.cancel();
            break;
        }
        default: break;
    }
    channel.news.cancel();
}

asio::awaitable<void> ScriptedGuest::answer(std::uint32_t id, ChannelPtr channel,
                                            json::object request) {
    const auto self = shared_from_this();
    json::object end = co_await work(id, channel, std::move(request));
    while ((orders.silent || frozen_) && alive_) co_await changed_.async_wait(kAsTuple);
    if (!alive_) co_return;
    channels_.erase(id);
    const bool lies = std::exchange(orders.breaks_protocol, false);
    send(wire::Kind::End, lies ? id + 1'000'000 : id, json::serialize(end));
}

// A little while for everything: who asks twice at once hears the answers in any order.
asio::awaitable<json::object> ScriptedGuest::work(std::uint32_t id, ChannelPtr channel,
                                                  json::object request) {
    const auto op = fields::text_of(request, "op");
    if (op == "file.changes") co_return co_await changes(id, channel);
    co_await pass(channel, milliseconds(dice_.between(1, 20)));
    if (orders.refuses) co_return failed("unavailable", "the guest will not");
    if (op == "kernel.run") co_return co_await run(id, channel, std::move(request));
    if (op == "kernel.call") co_return co_await call_kernel(id, channel, std::move(request));
    if (op == "process.start") co_return co_await process(id, channel, std::move(request));
    if (op.rfind("file.", 0) == 0) co_return co_await file(id, channel, std::move(request));
    if (op == "kernel.list") {
        json::array all;
        for (const auto& [name, kernel] : kernels_) {
            json::object about{{"context", name}, {"idle", !kernel->busy}, {"runs", kernel->runs}};
            about["cwd"] = "/session";
            about["state_lost"] = fell_.count(name) > 0;
            all.push_back(std::move(about));
        }
        json::object end{{"ok", true}};
        end["kernels"] = std::move(all);
        co_return end;
    }
    if (op == "process.list") {
        json::array all;
        if (orders.works) all.push_back({{"pid", 7}, {"command", "server --port 8000"}});
        json::object end{{"ok", true}};
        end["processes"] = std::move(all);
        co_return end;
    }
    if (op == "kernel.delete" || op == "kernel.restart") {
        kernels_.erase(fields::text_of(request, "context"));
        if (op == "kernel.restart") {
            kernels_[fields::text_of(request, "context")] = std::make_shared<Kernel>();
        }
    }
    json::object end{{"ok", true}};
    end["memory_kills"] = 0;
    co_return end;
}

asio::awaitable<bool> ScriptedGuest::pass(ChannelPtr channel, milliseconds time, bool deaf) {
    using Time = std::chrono::steady_clock::duration;
    auto left = Time(time);
    while (alive_ && left > Time::zero()) {
        if (!deaf && (channel->cancelled || channel->interrupted)) co_return false;
        if (frozen_) {
            co_await changed_.async_wait(kAsTuple);
            continue;
        }
        const auto began = clock_.now();
        channel->time.expires_after(left);
        co_await channel->time.wait();
        left -= clock_.now() - began;
    }
    co_return alive_;
}

// One thing at a time in a kernel. It is made by the first who asks.
asio::awaitable<ScriptedGuest::KernelPtr> ScriptedGuest::enter(ChannelPtr channel,
                                                               std::string context) {
    const auto kernel = [&]() -> KernelPtr& {
        auto& place = kernels_[context];
        if (!place) place = std::make_shared<Kernel>();
        return place;
    };
    while (alive_ && !channel->cancelled && kernel()->busy) {
        co_await changed_.async_wait(kAsTuple);
    }
    if (!alive_ || channel->cancelled) co_return nullptr;
    kernel()->busy = true;
    co_return kernel();
}

// Another kernel takes the place of one that died, empty, and the next run hears of it.
void ScriptedGuest::replace(const std::string& context, const Kernel& dead) {
    auto fresh = std::make_shared<Kernel>();
    fresh->runs = dead.runs;
    if (dead.runs > 0 || dead.imported) fell_.insert(context);
    kernels_[context] = std::move(fresh);
    changed_.cancel();
}

void ScriptedGuest::end_kernels() {
    const auto kernels = kernels_;
    for (const auto& [context, kernel] : kernels) {
        if (!kernel->busy) replace(context, *kernel);
    }
}

asio::awaitable<json::object> ScriptedGuest::run(std::uint32_t id, ChannelPtr channel,
                                                 json::object request) {
    const auto context = fields::text_of(request, "context");
    const KernelPtr kernel = co_await enter(channel, context);
    if (kernel == nullptr) co_return failed("conflict", "cancelled");
    const auto timeout = milliseconds(fields::number_of(request, "timeout_ms"));
    const auto grace = milliseconds(fields::number_of(request, "grace_ms"));
    auto left = timeout.count() > 0 ? timeout : kForEver;
    ++kernel->runs;
    const bool fell = fell_.erase(context) > 0;
    bool timed_out = false, killed = false;
    std::istringstream code(fields::text_of(request, "code"));
    for (std::string line; alive_ && !timed_out && !killed && std::getline(code, line);) {
        if (channel->interrupted || channel->cancelled) break;
        std::istringstream words(line);
        std::string verb, name, value;
        words >> verb >> name;
        std::getline(words >> std::ws, value);
        if (verb == "set") kernel->variables[name] = value;
        if (verb == "get") {
            const auto found = kernel->variables.find(name);
            const bool there = found != kernel->variables.end();
            send(wire::Kind::Stdout, id, there ? found->second + "\n" : "unset\n");
        }
        if (verb == "print") send(wire::Kind::Stdout, id, name + "\n");
        if (verb == "write" && !write_file(name, value)) {
            send(wire::Kind::Stderr, id, "no space left on device\n");
            kernel->busy = false;
            changed_.cancel();
            json::object end{{"ok", true}};
            end["kernel"] = json::object{{"status", "error"}, {"execution_count", kernel->runs}};
            if (fell) end["state_lost_before"] = true;
            co_return end;
        }
        if (verb == "read") {
            const auto* found = find_file(name);
            send(wire::Kind::Stdout, id, found != nullptr ? *found + "\n" : "unset\n");
        }
        if (verb == "sleep") {
            const auto time = milliseconds(std::stoll(name));
            co_await pass(channel, std::min(time, left));
            timed_out = time > left && !channel->interrupted && !channel->cancelled;
            left -= std::min(time, left);
        }
        if (verb == "hang") {  // the guest waits for the grace, then ends the kernel
            co_await pass(channel, left);
            timed_out = !channel->interrupted && !channel->cancelled;
            co_await pass(channel, grace, true);
            killed = true;
        }
        if (verb == "die") killed = true;
        if (verb == "exit") die();
    }
    if (!alive_) co_return failed("unavailable", "gone");
    if (killed) {
        replace(context, *kernel);
        auto end = died();
        if (timed_out) end["timed_out"] = true;
        co_return end;
    }
    kernel->busy = false;
    changed_.cancel();
    json::object end{{"ok", true}};
    const bool stopped = timed_out || channel->interrupted || channel->cancelled;
    end["kernel"] =
        json::object{{"status", stopped ? "error" : "ok"}, {"execution_count", kernel->runs}};
    if (fell) end["state_lost_before"] = true;
    if (timed_out) end["timed_out"] = true;
    if (channel->interrupted || channel->cancelled) end["interrupted"] = true;
    co_return end;
}

asio::awaitable<json::object> ScriptedGuest::call_kernel(std::uint32_t id, ChannelPtr channel,
                                                         json::object request) {
    const auto context = fields::text_of(request, "context");
    const KernelPtr kernel = co_await enter(channel, context);
    if (kernel == nullptr) co_return failed("conflict", "cancelled");
    const auto* part = request.if_contains("request");
    const auto op = part != nullptr && part->is_object() ? fields::text_of(part->get_object(), "op")
                                                         : std::string();
    const auto timeout = milliseconds(fields::number_of(request, "timeout_ms"));
    const bool exports = op == "export", imports = op == "import";
    while (imports && alive_ && !channel->eof && !channel->cancelled) {
        co_await channel->news.async_wait(kAsTuple);
    }
    co_await pass(channel, milliseconds(dice_.between(1, 200)));
    const bool hangs = (exports && orders.export_hangs) || (imports && orders.import_hangs);
    const bool dies = (exports && orders.export_dies) || (imports && orders.import_dies);
    if (hangs) co_await pass(channel, timeout.count() > 0 ? timeout : kForEver);
    if (!alive_) co_return failed("unavailable", "gone");
    if (hangs || dies) {
        replace(context, *kernel);
        auto end = died();
        if (hangs) end["timed_out"] = true;
        co_return end;
    }
    json::object about{{"status", "ok"}};
    if (exports) {
        json::object all;
        json::array left_out;
        for (const auto& [name, value] : kernel->variables) {
            if (value.rfind('!', 0) != 0) {
                all[name] = value;
                continue;
            }
            left_out.push_back(
                {{"name", name}, {"type", "lock"}, {"reason", "it cannot be pickled"}});
        }
        send(wire::Kind::Data, id, json::serialize(all));
        about["failed"] = std::move(left_out);
    }
    if (imports && !channel->cancelled) {
        const auto all = fields::parse_object(channel->in);
        if (!all) {
            about["error"] = "what was saved is damaged";
        } else {
            kernel->imported = true;
            for (const auto& [name, value] : *all) {
                kernel->variables[std::string(name)] = std::string(value.as_string());
            }
        }
    }
    kernel->busy = false;
    changed_.cancel();
    json::object end{{"ok", true}};
    end["kernel"] = std::move(about);
    co_return end;
}

asio::awaitable<json::object> ScriptedGuest::process(std::uint32_t id, ChannelPtr channel,
                                                     json::object request) {
    std::vector<std::string> argv;
    if (const auto* list = request.if_contains("argv"); list != nullptr && list->is_array()) {
        for (const auto& one : list->get_array()) argv.emplace_back(one.as_string());
    }
    if (argv.size() != 2 || argv[0] != "sleep") {
        co_return failed("not_found", "there is no such program");
    }
    event(id, {{"event", "started"}, {"pid", id}});
    co_await pass(channel, milliseconds(std::stoll(argv[1])));
    json::object end{{"ok", true}};
    end["exit_code"] = channel->cancelled ? 128 + SIGKILL : 0;
    end["signal"] = channel->cancelled ? SIGKILL : 0;
    co_return end;
}

asio::awaitable<json::object> ScriptedGuest::file(std::uint32_t id, ChannelPtr channel,
                                                  json::object request) {
    const auto op = fields::text_of(request, "op");
    const auto path = fields::text_of(request, "path");
    if (op == "file.write") {
        while (alive_ && !channel->eof && !channel->cancelled) {
            co_await channel->news.async_wait(kAsTuple);
        }
        if (channel->cancelled) co_return failed("conflict", "cancelled");
        const bool replaced = find_file(path) != nullptr;
        if (!write_file(path, channel->in)) co_return failed("exhausted", "no space left");
        json::object end{{"ok", true}};
        end["entry"] = file_entry("", channel->in);
        end["replaced"] = replaced;
        co_return end;
    }
    const auto* found = find_file(path);
    if (found == nullptr) co_return failed("not_found", "there is no file " + path);
    const std::string bytes = *found;
    json::object end{{"ok", true}};
    if (op == "file.stat") end["entry"] = file_entry("", bytes);
    if (op == "file.remove") disk_.trees[folder_].files.erase(path);
    if (op == "file.read") {
        auto opened = file_entry("", bytes);
        opened["event"] = "opened";
        event(id, opened);
        send(wire::Kind::Data, id, bytes);
    }
    co_return end;
}

asio::awaitable<json::object> ScriptedGuest::changes(std::uint32_t id, ChannelPtr channel) {
    while (alive_ && !channel->cancelled) {
        if (channel->tell && !frozen_ && !orders.silent) {
            const auto number = *std::exchange(channel->tell, std::nullopt);
            event(id, {{"event", "told"}, {"complete", true}, {"number", number}});
            continue;
        }
        co_await channel->news.async_wait(kAsTuple);
    }
    co_return json::object{{"ok", true}};
}

bool ScriptedGuest::write_file(const std::string& path, const std::string& text) {
    const auto tree = disk_.trees.find(folder_);
    if (disk_.faults.full || life_ != disk_.life() || tree == disk_.trees.end()) return false;
    tree->second.files[path] = text;
    return true;
}

const std::string* ScriptedGuest::find_file(const std::string& path) const {
    const auto tree = disk_.trees.find(folder_);
    if (tree == disk_.trees.end()) return nullptr;
    const auto found = tree->second.files.find(path);
    return found == tree->second.files.end() ? nullptr : &found->second;
}

void ScriptedGuest::event(std::uint32_t id, const json::object& what) {
    send(wire::Kind::Event, id, json::serialize(what));
}

void ScriptedGuest::send(wire::Kind kind, std::uint32_t id, std::string_view payload) {
    if (const auto found = channels_.find(id);
        found != channels_.end() && wire::costs_credit(kind)) {
        found->second->sent += payload.size();
        must(found->second->sent < static_cast<std::size_t>(wire::kInitialCredit),
             "a scripted guest says little");
    }
    wire::append_frame(out_, kind, id, payload);
    flush();
}

void ScriptedGuest::flush() {
    if (writing_ || !alive_) return;
    while (!out_.empty()) {
        const ssize_t n = ::send(stream_.native_handle(), out_.data(), out_.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) break;
        if (n < 0) {  // the reader will notice
            out_.clear();
            return;
        }
        out_.erase(0, static_cast<std::size_t>(n));
    }
    if (out_.empty()) return;
    writing_ = true;
    stream_.async_wait(asio::posix::stream_descriptor::wait_write,
                       [self = shared_from_this()](boost::system::error_code gone) {
                           self->writing_ = false;
                           if (!gone) self->flush();
                       });
}

}  // namespace atl::testing
