// atoll-driver: the native runtime on a leash, for tests.
//
// Reads one JSON object a line from stdin and answers with one a line on stdout, in any order, each
// with the `id` of its question. Tests in Python thereby drive the real runtime, guest and kernels
// without a server: create, request (any operation of the guest protocol), freeze, destroy, …
#include "core/spec_grants_for_tests.hpp"
#include "guest_client/guest_link.hpp"
#include "runtimes/native/runtime.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <csignal>
#include <iostream>
#include <unistd.h>

namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace atl;
using Clock = std::chrono::steady_clock;
constexpr auto as_tuple = asio::as_tuple(asio::use_awaitable);

std::string text_in(const json::object& from, std::string_view key, std::string otherwise = "") {
    const auto* value = from.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : otherwise;
}

std::int64_t number_in(const json::object& from, std::string_view key, std::int64_t otherwise) {
    const auto* value = from.if_contains(key);
    return value != nullptr && value->is_number() ? value->to_number<std::int64_t>() : otherwise;
}

std::string printable(std::string_view bytes) {  // Latin-1 as UTF-8: every byte survives the JSON
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) {
            text.push_back(c);
        } else {
            text.push_back(static_cast<char>(0xc0 | (byte >> 6)));
            text.push_back(static_cast<char>(0x80 | (byte & 0x3f)));
        }
    }
    return text;
}

std::string bytes_of(std::string_view text) {  // the reverse
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto lead = static_cast<unsigned char>(text[i]);
        if (lead < 0x80 || i + 1 >= text.size()) {
            bytes.push_back(text[i]);
        } else {
            bytes.push_back(static_cast<char>((lead & 3) << 6 | (text[++i] & 0x3f)));
        }
    }
    return bytes;
}

struct Collector {
    std::string out, err, bytes;
    std::uint64_t out_bytes = 0;
    bool discard = false;
    json::array events;
    Clock::time_point began = Clock::now();
    double first_ms = -1;
    void mark() {
        if (first_ms < 0) {
            first_ms = std::chrono::duration<double, std::milli>(Clock::now() - began).count();
        }
    }
    // It must outlive the channel that gets them.
    guest_client::ChannelHandlers handlers() {
        guest_client::ChannelHandlers calls;
        calls.event = [this](json::object event) {
            mark();
            events.push_back(std::move(event));
        };
        calls.output = [this](core::Stream stream, std::string_view piece) {
            mark();
            out_bytes += piece.size();
            if (!discard) (stream == core::Stream::Stdout ? out : err).append(piece);
        };
        calls.data = [this](std::string_view piece) {
            out_bytes += piece.size();
            if (!discard) bytes.append(piece);
        };
        return calls;
    }
};

class Driver {
public:
    explicit Driver(asio::io_context& context) : context_(context) {}

    asio::awaitable<void> read() {
        asio::posix::stream_descriptor input(context_, ::dup(STDIN_FILENO));
        asio::streambuf buffer;
        for (;;) {
            auto [failed, n] = co_await asio::async_read_until(input, buffer, '\n', as_tuple);
            if (failed) break;
            std::string line(asio::buffers_begin(buffer.data()),
                             asio::buffers_begin(buffer.data()) + static_cast<std::ptrdiff_t>(n));
            buffer.consume(n);
            auto question = json::parse(line).as_object();
            asio::co_spawn(context_, answer(std::move(question)), asio::detached);
        }
        sandboxes_.clear();
        if (runtime_) co_await runtime_->stop();
        context_.stop();
    }

private:
    struct Live {
        std::unique_ptr<core::Sandbox> sandbox;
        std::shared_ptr<guest_client::GuestLink> link;
    };

    asio::awaitable<void> answer(json::object question) {
        json::object reply{{"id", question["id"]}};
        const auto began = Clock::now();
        try {
            co_await carry_out(question, reply);
            reply["ok"] = true;
        } catch (const ErrorException& error) {
            reply["ok"] = false;
            reply["error"] = error.error.message;
        } catch (const std::exception& error) {
            reply["ok"] = false;
            reply["error"] = std::string("driver: ") + error.what();
        }
        reply["ms"] = std::chrono::duration<double, std::milli>(Clock::now() - began).count();
        std::cout << json::serialize(reply) << '\n' << std::flush;
    }

    core::SandboxSpec spec_of(const json::object& question) {
        core::SpecBuilder builder;
        core::Limits limits;
        if (const auto* given = question.if_contains("limits"); given != nullptr) {
            const auto& from = given->as_object();
            limits.memory_bytes_max = static_cast<std::uint64_t>(number_in(
                from, "memory_bytes_max", static_cast<std::int64_t>(limits.memory_bytes_max)));
            limits.processes_max =
                static_cast<std::uint32_t>(number_in(from, "processes_max", limits.processes_max));
            limits.disk_bytes_max = static_cast<std::uint64_t>(number_in(
                from, "disk_bytes_max", static_cast<std::int64_t>(limits.disk_bytes_max)));
            limits.disk_files_max = static_cast<std::uint64_t>(number_in(
                from, "disk_files_max", static_cast<std::int64_t>(limits.disk_files_max)));
            limits.open_files_max = static_cast<std::uint32_t>(
                number_in(from, "open_files_max", limits.open_files_max));
            limits.file_bytes_max = static_cast<std::uint64_t>(number_in(
                from, "file_bytes_max", static_cast<std::int64_t>(limits.file_bytes_max)));
            const auto* cpus = from.if_contains("cpus_max");
            if (cpus != nullptr && cpus->is_number()) limits.cpus_max = cpus->to_number<double>();
        }
        builder.from_template(text_in(question, "template", "default")).limits(limits);
        if (const auto* variables = question.if_contains("env"); variables != nullptr) {
            for (const auto& [name, value] : variables->as_object()) {
                builder.environment(std::string(name), std::string(value.as_string()));
            }
        }
        if (const auto* mounts = question.if_contains("mounts"); mounts != nullptr) {
            for (const auto& value : mounts->as_array()) {
                const auto& mount = value.as_object();
                const auto* writable = mount.if_contains("writable");
                builder.mount(
                    core::GrantsForTests::mount({text_in(mount, "source"), text_in(mount, "target"),
                                                 writable != nullptr && writable->as_bool()}));
            }
        }
        if (const auto kept = text_in(question, "kept_folder"); !kept.empty()) {
            builder.keep_in(core::GrantsForTests::folder(kept));
        }
        return builder.build().value();
    }

    Live& live(const json::object& question) {
        const auto found = sandboxes_.find(text_in(question, "name", "a"));
        if (found == sandboxes_.end()) throw std::runtime_error("no sandbox of that name");
        return found->second;
    }

    asio::awaitable<void> carry_out(const json::object& question, json::object& reply) {
        const std::string what = text_in(question, "do");
        if (what == "start") {
            native::RuntimeOptions options;
            options.pool_size = static_cast<std::size_t>(number_in(question, "pool", 2));
            options.kept_root = text_in(question, "kept_root");
            options.nest_idle_max = std::chrono::milliseconds(
                number_in(question, "nest_idle_ms", options.nest_idle_max.count()));
            runtime_.emplace(context_.get_executor(), native::Paths::find().value(), options);
            co_await runtime_->start();
            reply["import_ms"] = runtime_->nest()->import_ms();
        } else if (what == "create") {
            auto spec = spec_of(question);
            auto sandbox = co_await runtime_->create(spec);
            reply["sandbox"] = sandbox->id().text();
            auto& native_sandbox = static_cast<native::NativeSandbox&>(*sandbox);
            reply["pid"] = native_sandbox.host_pid();
            reply["first_id"] = native_sandbox.first_id();
            auto link =
                guest_client::GuestLink::start(context_.get_executor(), sandbox->take_stream());
            sandboxes_[text_in(question, "name", "a")] = Live{std::move(sandbox), std::move(link)};
        } else if (what == "request") {
            co_await request(question, reply);
        } else if (what == "destroy") {
            auto& gone = live(question);
            gone.link->close();
            gone.sandbox->destroy();
            sandboxes_.erase(text_in(question, "name", "a"));
        } else if (what == "usage") {
            const auto usage = live(question).sandbox->usage();
            reply["memory_bytes"] = usage.memory_bytes;
            reply["memory_peak_bytes"] = usage.memory_peak_bytes;
            reply["processes"] = usage.processes;
            reply["memory_kills"] = usage.memory_kills;
            reply["cpu_us"] = usage.cpu_us;
        } else if (what == "freeze") {
            const auto* frozen = question.if_contains("frozen");
            live(question).sandbox->freeze(frozen == nullptr || frozen->as_bool()).value();
        } else if (what == "info") {
            const auto nest = runtime_->nest();
            reply["pooled"] = runtime_->pooled();
            reply["warmed"] = runtime_->warmed();
            reply["zygote_pid"] = nest ? nest->zygote_pid() : -1;
            reply["nest_pid"] = nest ? nest->init_pid() : -1;
            reply["alive"] = nest && nest->alive();
            reply["driver_pid"] = ::getpid();
        } else if (what == "stop") {
            sandboxes_.clear();
            co_await runtime_->stop();
            runtime_.reset();
        } else {
            throw std::runtime_error("unknown: " + what);
        }
    }

    asio::awaitable<void> request(const json::object& question, json::object& reply) {
        const auto link = live(question).link;
        Collector collector;
        const auto* discard = question.if_contains("discard");
        collector.discard = discard != nullptr && discard->as_bool();
        const auto channel = link->open(question.at("request").as_object(), collector.handlers());
        if (const auto* input = question.if_contains("data"); input != nullptr) {
            co_await channel.data(bytes_of(input->as_string()));
            channel.eof();
        }
        if (const auto* later = question.if_contains("controls"); later != nullptr) {
            for (const auto& value : later->as_array()) {
                const auto& control = value.as_object();
                asio::steady_timer pause(context_);
                pause.expires_after(std::chrono::milliseconds(number_in(control, "after_ms", 0)));
                co_await pause.async_wait(as_tuple);
                channel.control(control);
            }
        }
        json::object end = co_await channel.end();
        reply["stdout"] = printable(collector.out);
        reply["stderr"] = printable(collector.err);
        reply["data"] = printable(collector.bytes);
        reply["bytes"] = collector.out_bytes;
        reply["first_ms"] = collector.first_ms;
        reply["events"] = std::move(collector.events);
        reply["end"] = std::move(end);
    }

    asio::io_context& context_;
    std::optional<native::NativeRuntime> runtime_;
    std::map<std::string, Live> sandboxes_;
};

}  // namespace

int main() {
    std::signal(SIGPIPE, SIG_IGN);
    asio::io_context context(1);
    Driver driver(context);
    asio::co_spawn(context, driver.read(), asio::detached);
    context.run();
}
