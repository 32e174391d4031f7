#include "sessions/job_log.hpp"

#include "base/result.hpp"

#include <algorithm>
#include <boost/asio/this_coro.hpp>

namespace atl::sessions {

namespace asio = boost::asio;

namespace {

// The store cuts longer pieces itself, but anywhere; a reader that begins at a chunk would then
// meet half a character.
constexpr std::size_t kPieceBytesMax = 60u << 10;
constexpr int kTriesMax = 5;
constexpr std::chrono::milliseconds kLogRetryPause{200};

}  // namespace

std::size_t whole_characters(std::string_view bytes) {
    // A character has at most three bytes after its first.
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
        const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
        if ((byte & 0xC0) == 0x80) continue;
        const std::size_t wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return wanted > back ? bytes.size() - back : bytes.size();
    }
    return bytes.size();
}

JobLog::JobLog(asio::any_io_executor executor, core::Store& store, core::JobHold hold,
               std::uint64_t bytes_max, Listener listener, core::Clock& clock)
    : store_(store),
      clock_(clock),
      hold_(std::move(hold)),
      bytes_max_(bytes_max),
      listener_(std::move(listener)),
      came_(executor, clock) {}

void JobLog::add(core::LogStream stream, std::string_view bytes) {
    std::string& held = held_[static_cast<std::size_t>(stream)];
    std::string text = std::exchange(held, {});
    text.append(bytes);
    const std::size_t whole = whole_characters(text);
    held.assign(text, whole, std::string::npos);
    text.resize(whole);
    std::string_view rest = text;
    while (!rest.empty()) {
        std::string* last = nullptr;
        if (!waiting_.empty() && waiting_.back().stream == stream &&
            waiting_.back().bytes.size() < kPieceBytesMax) {
            last = &waiting_.back().bytes;
        } else {
            last = &waiting_.emplace_back(core::LogPiece{stream, {}}).bytes;
        }
        std::string_view next = rest.substr(0, kPieceBytesMax - last->size());
        if (next.size() < rest.size()) next = next.substr(0, whole_characters(next));
        if (next.empty()) {  // not even one character fits
            waiting_.push_back({stream, {}});
            continue;
        }
        last->append(next);
        rest.remove_prefix(next.size());
    }
    came_.ring();
}

void JobLog::finish() {
    for (const auto stream : {core::LogStream::Stdout, core::LogStream::Stderr}) {
        std::string rest = std::exchange(held_[static_cast<std::size_t>(stream)], {});
        if (!rest.empty()) waiting_.push_back({stream, std::move(rest)});
    }
    finished_ = true;
    came_.ring();
}

asio::awaitable<void> JobLog::write() {
    while (true) {
        const auto seen = came_.rung();
        // What it says may be half a character, which waits for the rest: then nothing is written.
        const auto owed = std::exchange(owed_, 0);
        if (waiting_.empty()) {
            if (owed > 0 && listener_.settled) listener_.settled(owed);
            if (finished_) co_return;
            if (owed == 0) co_await came_.after(seen);
            continue;
        }
        co_await append(std::exchange(waiting_, {}));
        if (owed > 0 && listener_.settled) listener_.settled(owed);
    }
}

asio::awaitable<void> JobLog::append(std::vector<core::LogPiece> pieces) {
    for (int tries = 1; !lost_; ++tries) {
        bool again = false;
        try {
            co_await store_.append_log(hold_, pieces, clock_.wall(), bytes_max_);
        } catch (const ErrorException& failed) {
            lost_ = failed.error.code == Code::Conflict || failed.error.code == Code::NotFound;
            again = !lost_;
        } catch (const std::exception&) {
            again = true;  // no memory: whoever prints must not wait for ever
        }
        if (lost_) break;
        if (!again) {
            if (listener_.written) listener_.written();
            co_return;
        }
        if (tries == kTriesMax) break;
        core::Timer pause(co_await asio::this_coro::executor, clock_);
        pause.expires_after(kLogRetryPause * tries);
        co_await pause.wait();
    }
    for (const auto& piece : pieces) dropped_ += piece.bytes.size();
    if (lost_ && listener_.lost) listener_.lost();
}

}  // namespace atl::sessions
