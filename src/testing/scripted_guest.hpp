#pragma once
// A guest that speaks the real protocol (wire, docs/guest-protocol.md) over a socket pair, on the
// same loop as the server that it is for, and does what it is told: also to die, hang or lie.
//
// Its kernels run a language of lines:
//     set NAME VALUE | get NAME | print TEXT | sleep MS | write PATH TEXT | read PATH
//     die (the kernel ends) | exit (the sandbox does) | hang (for ever, whoever asks)
// A variable whose value begins with `!` cannot be exported.
//
// Owns      its end of the stream, its kernels. Files are the Disk's.
// Threads   one. Its time stands still while it is frozen.
// Not here  credit: all that is said on one channel fits into what it begins with.
#include "base/fd.hpp"
#include "core/clock.hpp"
#include "testing/dice.hpp"
#include "testing/memory_disk.hpp"
#include "wire/frame.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace atl::testing {

class ScriptedGuest : public std::enable_shared_from_this<ScriptedGuest> {
public:
    // What it does wrong from now on.
    struct Orders {
        bool silent = false;        // answers nothing
        bool export_hangs = false;  // an object whose __reduce__ never ends
        bool export_dies = false;   // … or takes the kernel along
        bool import_hangs = false;
        bool import_dies = false;
        bool breaks_protocol = false;  // its next answer is on a channel that nobody opened
        bool refuses = false;          // each request ends with `unavailable`
        bool works = false;            // a program runs in the background
        std::string killed_because;    // by its runtime; with `silent`, it has not gone yet
    };

    ScriptedGuest(boost::asio::any_io_executor executor, core::Clock& clock, Dice dice,
                  UniqueFd stream, Disk& disk, std::string folder);
    void start();
    void freeze(bool frozen);
    // At once, and with it everything in it.
    void die() noexcept;
    // Kernels that do nothing right now die; others take their places.
    void end_kernels();

    [[nodiscard]] bool alive() const noexcept { return alive_; }
    [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }
    [[nodiscard]] const std::string& folder() const noexcept { return folder_; }
    Orders orders;

private:
    struct Channel {
        Channel(const boost::asio::any_io_executor& executor, core::Clock& clock)
            : time(executor, clock), news(executor, boost::asio::steady_timer::time_point::max()) {}
        core::Timer time;
        boost::asio::steady_timer news;  // cancelled when anything below has changed
        std::string in;
        bool eof = false;
        bool cancelled = false;
        bool interrupted = false;
        std::optional<std::int64_t> tell;  // the question about changes that is not answered yet
        std::size_t sent = 0;
    };
    using ChannelPtr = std::shared_ptr<Channel>;
    struct Kernel {
        std::map<std::string, std::string> variables;
        std::int64_t runs = 0;
        bool busy = false;
        bool imported = false;
    };
    using KernelPtr = std::shared_ptr<Kernel>;

    void replace(const std::string& context, const Kernel& dead);
    boost::asio::awaitable<void> read();
    void take(const wire::Frame& frame);
    boost::asio::awaitable<void> answer(std::uint32_t id, ChannelPtr channel,
                                        boost::json::object request);
    boost::asio::awaitable<boost::json::object> work(std::uint32_t id, ChannelPtr channel,
                                                     boost::json::object request);
    boost::asio::awaitable<boost::json::object> run(std::uint32_t id, ChannelPtr channel,
                                                    boost::json::object request);
    boost::asio::awaitable<boost::json::object> call_kernel(std::uint32_t id, ChannelPtr channel,
                                                            boost::json::object request);
    boost::asio::awaitable<boost::json::object> process(std::uint32_t id, ChannelPtr channel,
                                                        boost::json::object request);
    boost::asio::awaitable<boost::json::object> file(std::uint32_t id, ChannelPtr channel,
                                                     boost::json::object request);
    boost::asio::awaitable<boost::json::object> changes(std::uint32_t id, ChannelPtr channel);
    // Of its own time; false when it was cut short.
    boost::asio::awaitable<bool> pass(ChannelPtr channel, std::chrono::milliseconds time,
                                      bool deaf = false);
    boost::asio::awaitable<KernelPtr> enter(ChannelPtr channel, std::string context);
    [[nodiscard]] bool write_file(const std::string& path, const std::string& text);
    [[nodiscard]] const std::string* find_file(const std::string& path) const;

    void send(wire::Kind kind, std::uint32_t id, std::string_view payload);
    void event(std::uint32_t id, const boost::json::object& what);
    void flush();

    boost::asio::any_io_executor executor_;
    core::Clock& clock_;
    Dice dice_;
    boost::asio::posix::stream_descriptor stream_;
    Disk& disk_;
    const std::uint64_t life_;
    const std::string folder_;
    wire::FrameDecoder decoder_;
    std::map<std::uint32_t, ChannelPtr> channels_;
    std::map<std::string, KernelPtr> kernels_;
    std::set<std::string> fell_;         // contexts whose kernel ended, and no run has said so yet
    boost::asio::steady_timer changed_;  // cancelled when it thaws, dies, or a kernel is free
    std::string out_;
    bool writing_ = false;
    bool frozen_ = false;
    bool alive_ = true;
    std::uint64_t requests_ = 0;
};

}  // namespace atl::testing
