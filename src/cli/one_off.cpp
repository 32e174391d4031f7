#include "cli/one_off.hpp"

#include "base/as_tuple.hpp"
#include "base/write_all.hpp"
#include "cli/archiver.hpp"
#include "cli/build_display.hpp"
#include "cli/server.hpp"
#include "cli/terminal.hpp"
#include "guest_client/files.hpp"
#include "runtimes/native/direct.hpp"
#include "runtimes/native/sandbox.hpp"
#include "sys/cgroup.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <span>
#include <unistd.h>

namespace atl::cli {

namespace asio = boost::asio;
namespace json = boost::json;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::uint32_t kFilesListedMax = 1000;
constexpr int kDepthMax = 16;
constexpr std::size_t kEndBytes = 4096;
constexpr const char* kWorkFolder = "/work";

std::vector<std::string>& arguments() {
    static std::vector<std::string> kept;
    return kept;
}

double milliseconds_since(Clock::time_point began) {
    return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

class Runner {
public:
    Runner(const core::SandboxSpec& spec, OneOff one) : spec_(spec), one_(std::move(one)) {}

    Result<OneOffResult> run() {
        const auto began = Clock::now();
        auto paths = native::Paths::find();
        if (!paths) return paths.error();
        if (spec_.template_name() == "default") {
            BuildDisplay display(tell_build_step);
            const auto there = native::build_missing_default(*paths, display.listener());
            if (!there) return there.error();
        }
        auto from = native::Template::load(*paths, spec_.template_name());
        if (!from) return from.error();
        host_ = sys::CgroupHost::detect();
        sys::sweep_cgroups(host_, native::kSandboxPrefix);
        auto sandbox = native::raise_direct(*paths, host_, *from, spec_);
        if (!sandbox) return sandbox.error();
        sandbox_ = std::move(*sandbox);
        result_.walls_ms = milliseconds_since(began);
        link_ = guest_client::GuestLink::start(context_.get_executor(), sandbox_->take_stream());
        program_.emplace(link_, *sandbox_);
        asio::co_spawn(context_, work(began), [this](std::exception_ptr failed) {
            try {
                if (failed) std::rethrow_exception(failed);
            } catch (const ErrorException& error) {
                failure_ = error.error;
            } catch (const std::exception& error) {
                failure_ = Error{Code::Internal, error.what()};
            }
            context_.stop();
        });
        context_.run();
        sandbox_->destroy();
        if (failure_) return *failure_;
        // A closed pipe is how `head` says that it has enough; anything else lost output.
        if (output_error_ != 0 && output_error_ != EPIPE) {
            return Error{Code::Unavailable, std::string("write the program's output: ") +
                                                std::strerror(output_error_)};
        }
        result_.total_ms = milliseconds_since(began);
        return std::move(result_);
    }

private:
    asio::awaitable<void> put_script() {
        const json::object request{
            {"op", "file.write"}, {"path", one_.script->path}, {"parents", true}};
        const auto channel = link_->open(request, {});
        co_await channel.lend(one_.script->content);
        channel.eof();
        co_await channel.end();
    }

    // As a tar, from a program that reads the folder to one that writes in the sandbox: links,
    // modes and odd names arrive as they are. What cannot be copied is named by the former.
    asio::awaitable<void> put_folder() {
        auto packing = Archiver::pack(*one_.folder).value();
        const guest_client::ByteSource source =
            [&packing](std::span<char> room) -> asio::awaitable<std::size_t> {
            ssize_t n = -1;
            do {
                n = ::read(packing.from(), room.data(), room.size());
            } while (n < 0 && errno == EINTR);
            if (n < 0) throw ErrorException({Code::Unavailable, std::strerror(errno)});
            co_return static_cast<std::size_t>(n);
        };
        guest_client::UnpackOptions options;
        options.bytes_max = spec_.limits().disk_bytes_max;
        const guest_client::Files files(link_);
        const auto unpacker = files.unpacker(kWorkFolder, options);
        const auto copied = co_await files.unpack(*unpacker, source);
        if (copied.quota || !copied.error.empty()) {
            throw ErrorException(
                {Code::TooLarge, "copy " + *one_.folder + " into the sandbox: " + copied.error +
                                     "; more room is --disk, and --mount-rw " + *one_.folder +
                                     ":/work shows the folder itself, without a copy"});
        }
        static_cast<void>(packing.wait());
        if (one_.collect) came_along_ = co_await files_in(kWorkFolder);
    }

    // By its path, each file below a folder.
    using Listed = std::map<std::string, guest_client::FileEntry>;
    asio::awaitable<Listed> files_in(std::string folder) {
        const auto page =
            co_await guest_client::Files(link_).walk(folder, kDepthMax, kFilesListedMax);
        if (!page.complete) result_.files_complete = false;
        Listed found;
        for (const auto& entry : page.entries) {
            if (entry.type == guest_client::FileType::File) {
                found.emplace(folder + "/" + entry.name, entry);
            }
        }
        co_return found;
    }

    // What the program changed: neither its script, nor what came with the folder and stayed as it
    // was, nor the host's.
    asio::awaitable<void> list_files() {
        for (const char* folder : {kWorkFolder, "/session", "/data"}) {
            const auto files = co_await files_in(folder);
            for (const auto& [path, entry] : files) {
                const auto before = came_along_.find(path);
                const bool came = before != came_along_.end();
                const bool same = came && before->second.same_version(entry);
                if (same || (one_.script && path == one_.script->path) || is_mounted(path))
                    continue;
                result_.files.push_back({path, came ? "modified" : "created", entry.size});
            }
            if (folder != kWorkFolder || !result_.files_complete) continue;
            for (const auto& [path, entry] : came_along_) {
                if (!files.contains(path)) result_.files.push_back({path, "removed", 0});
            }
        }
    }

    [[nodiscard]] bool is_mounted(const std::string& path) const {
        const auto& mounts = spec_.mounts();
        return std::any_of(mounts.begin(), mounts.end(), [&](const core::Mount& mount) {
            return path == mount.target || path.starts_with(mount.target + "/");
        });
    }

    asio::awaitable<void> work(Clock::time_point began) {
        if (one_.folder) co_await put_folder();
        if (one_.script) co_await put_script();
        result_.prepare_ms = milliseconds_since(began) - result_.walls_ms;
        one_.request.timeout = spec_.limits().wall_time_max;
        one_.request.output_bytes_max = one_.interactive ? 0 : spec_.limits().output_bytes_max;
        one_.request.environment["PYTHONUNBUFFERED"] = "1";  // output as it is written
        if (one_.interactive) {
            terminal_.emplace();
            one_.request.terminal = Terminal::size();
            if (const char* kind = std::getenv("TERM")) one_.request.environment["TERM"] = kind;
        }
        // Detached: the context is this one's own, and both end with it.
        asio::co_spawn(context_, listen_for_signals(), asio::detached);
        if (one_.request.with_stdin || one_.interactive) {
            asio::co_spawn(context_, forward_input(), asio::detached);
        }
        auto pass_on = [this](core::Stream stream, std::string_view bytes) {
            output(stream, bytes);
        };
        try {
            result_.program = co_await program_->run(one_.request, pass_on);
        } catch (const ErrorException& refused) {
            // The guest's own words; if the link had broken, there would be none.
            if (refused.error.message.rfind("run ", 0) != 0) throw;
            result_.not_started = refused.error;
        }
        terminal_.reset();
        if (one_.collect && link_->alive()) co_await list_files();
    }

    void output(core::Stream stream, std::string_view bytes) {
        const bool to_out = stream == core::Stream::Stdout;
        if (one_.collect) {
            (to_out ? result_.out : result_.err).append(bytes);
            return;
        }
        if (!to_out) keep_end(bytes);
        if (const int cause = write_all(to_out ? STDOUT_FILENO : STDERR_FILENO, bytes);
            cause != 0) {
            output_error_ = cause;
            program_->kill();
        }
    }

    void keep_end(std::string_view bytes) {
        auto& kept = result_.err;
        kept.append(bytes.substr(bytes.size() - std::min(bytes.size(), kEndBytes)));
        if (kept.size() > kEndBytes) kept.erase(0, kept.size() - kEndBytes);
    }

    asio::awaitable<void> listen_for_signals() {
        asio::signal_set signals(context_, SIGINT, SIGTERM, SIGHUP);
        if (one_.interactive) signals.add(SIGWINCH);
        bool asked_before = false;
        for (;;) {
            auto [failed, number] = co_await signals.async_wait(kAsTuple);
            if (failed) co_return;
            if (number == SIGWINCH) {
                program_->resize(Terminal::size());
            } else if (asked_before || number != SIGINT) {
                program_->kill();
            } else {
                asked_before = true;
                program_->signal(number);
                if (!one_.collect && !one_.interactive) {
                    std::fputs("\natoll: stopping the program; Ctrl-C again kills it\n", stderr);
                }
            }
        }
    }

    asio::awaitable<void> forward_input() {
        // A copy, since Asio makes it non-blocking and closes it; the terminal's own stays as it
        // is.
        const int copy = ::dup(STDIN_FILENO);
        if (copy < 0) {
            program_->input_ended();
            co_return;
        }
        boost::system::error_code unusable;
        asio::posix::stream_descriptor input(context_);
        input.assign(copy, unusable);
        std::string piece(64 * 1024, '\0');
        for (;;) {
            // A file or /dev/null cannot be waited for (epoll refuses it) and needs no waiting.
            if (!unusable) {
                auto [failed] =
                    co_await input.async_wait(asio::posix::stream_descriptor::wait_read, kAsTuple);
                if (failed && failed != boost::system::errc::operation_not_permitted) break;
            }
            const ssize_t n = ::read(copy, piece.data(), piece.size());
            if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (n <= 0) break;
            if (!co_await program_->input(piece.substr(0, static_cast<std::size_t>(n)))) break;
        }
        program_->input_ended();
        if (unusable) ::close(copy);
    }

    const core::SandboxSpec& spec_;
    OneOff one_;
    sys::CgroupHost host_;
    asio::io_context context_{1};
    std::unique_ptr<core::Sandbox> sandbox_;
    std::shared_ptr<guest_client::GuestLink> link_;
    std::optional<guest_client::Program> program_;
    std::optional<Terminal> terminal_;
    std::optional<Error> failure_;
    Listed came_along_;
    int output_error_ = 0;
    OneOffResult result_;
};

}  // namespace

// Output is bytes; JSON is text. What is no UTF-8 is replaced, so that the object stays valid.
std::string as_text(const std::string& bytes) {
    std::string text;
    text.reserve(bytes.size());
    for (std::size_t i = 0; i < bytes.size();) {
        const auto lead = static_cast<unsigned char>(bytes[i]);
        std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                                                           : 0;
        bool whole = length > 0 && i + length <= bytes.size();
        for (std::size_t k = 1; whole && k < length; ++k) {
            whole = (static_cast<unsigned char>(bytes[i + k]) & 0xc0) == 0x80;
        }
        if (whole && length == 3) {
            const auto second = static_cast<unsigned char>(bytes[i + 1]);
            whole = !((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f));
        }
        if (whole && length == 4) {
            const auto second = static_cast<unsigned char>(bytes[i + 1]);
            whole = !((lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f));
        }
        if (whole) {
            text.append(bytes, i, length);
            i += length;
        } else {
            text += "\xef\xbf\xbd";
            ++i;
        }
    }
    return text;
}

Result<OneOffResult> run_one_off(const core::SandboxSpec& spec, OneOff one) {
    std::signal(SIGPIPE, SIG_IGN);  // a closed stdout is an error to handle, not an end
    return Runner(spec, std::move(one)).run();
}

namespace {

// What is finer is noise.
double to_microseconds(double ms) { return std::round(ms * 1000) / 1000; }

}  // namespace

// What a session's run has as well has the same name and form there (api/session_types.hpp).
json::object to_json(const OneOffResult& result) {
    json::array files;
    for (const auto& file : result.files) {
        files.push_back({{"path", as_text(file.path)},
                         {"change", file.change},
                         {"type", "file"},
                         {"size", file.bytes}});
    }
    const auto& program = result.program;
    return {
        {"stdout", as_text(result.out)},
        {"stderr", as_text(result.err)},
        {"exit_code", program.exit_code},
        {"signal", program.signal},
        {"reason", core::name_of(program.reason)},
        {"output_truncated", program.output_truncated},
        {"timings_ms",
         {{"walls", to_microseconds(result.walls_ms)},
          {"prepare", to_microseconds(result.prepare_ms)},
          {"run", to_microseconds(program.run_ms)},
          {"total", to_microseconds(result.total_ms)}}},
        {"memory_peak_bytes", program.memory_peak_bytes == 0
                                  ? json::value(nullptr)
                                  : json::value(program.memory_peak_bytes)},
        {"files", std::move(files)},
        {"files_complete", result.files_complete},
    };
}

std::string print_json(const json::value& value) {
    if (value.is_double()) {
        // As short as the same number can be written; far from 1, digits alone would be many.
        const double number = value.get_double();
        const double size = std::abs(number);
        const bool plain = number == 0 || (size >= 1e-6 && size < 1e16);
        if (!plain) return json::serialize(value);
        char digits[64];
        const auto end =
            std::to_chars(std::begin(digits), std::end(digits), number, std::chars_format::fixed);
        std::string text(digits, end.ptr);
        return text.find('.') == std::string::npos ? text + ".0" : text;
    }
    std::string text;
    if (const auto* object = value.if_object()) {
        for (const auto& [key, inner] : *object) {
            text += text.empty() ? "{" : ",";
            text += json::serialize(json::string(key)) + ":" + print_json(inner);
        }
        return text.empty() ? "{}" : text + "}";
    }
    if (const auto* array = value.if_array()) {
        for (const auto& inner : *array) text += (text.empty() ? "[" : ",") + print_json(inner);
        return text.empty() ? "[]" : text + "]";
    }
    return json::serialize(value);
}

void remember_arguments(int argc, char** argv) { arguments().assign(argv, argv + argc); }

bool asked_for_command() {
    // `--` counts when nothing but options stood before it; a script's own `--` comes after its
    // name.
    bool value_follows = false;
    for (std::size_t i = 2; i < arguments().size(); ++i) {
        const std::string& word = arguments()[i];
        if (word == "--") return true;
        if (value_follows) {
            value_follows = false;
        } else if (word.size() > 1 && word.front() == '-') {
            value_follows = word != "--json" && word.find('=') == std::string::npos &&
                            (word.rfind("--", 0) == 0 || word.size() == 2);
        } else {
            return false;
        }
    }
    return false;
}

void say_why(const OneOffResult& result, const core::SandboxSpec& spec) {
    using core::EndReason;
    const auto& limits = spec.limits();
    switch (result.program.reason) {
        case EndReason::Timeout:
            std::fprintf(stderr, "atoll: stopped after %.1f s (--timeout)\n",
                         static_cast<double>(limits.wall_time_max.count()) / 1000);
            break;
        case EndReason::Memory:
            std::fprintf(stderr, "atoll: it ran out of its %s of memory and was ended (--memory)\n",
                         core::format_bytes(limits.memory_bytes_max).c_str());
            break;
        case EndReason::Disk:
            std::fprintf(stderr, "atoll: its disk was full at %s (--disk, --file-size)\n",
                         core::format_bytes(limits.disk_bytes_max).c_str());
            break;
        case EndReason::Output:
            // It may have ended by itself before it could be stopped.
            std::fprintf(stderr, "atoll: %s %s of output (--output)\n",
                         result.program.signal == 0 ? "it ended, and wrote more than was kept:"
                                                    : "stopped: it wrote more than",
                         core::format_bytes(limits.output_bytes_max).c_str());
            break;
        default: break;
    }
}

int exit_status(const guest_client::ProgramResult& result) {
    if (result.reason == core::EndReason::Timeout) return kExitTimeout;
    return result.exit_code;
}

}  // namespace atl::cli
