#include "api/mcp/progress.hpp"

#include "api/mcp/messages.hpp"
#include "base/as_tuple.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace atl::api::mcp {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::milliseconds kEvery{500};
constexpr std::size_t kLineBytesMax = 200;

}  // namespace

void Progress::begins(std::string_view language) {
    language_ = language;
    wake_.cancel();
}

void Progress::prints(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto end = bytes.find_first_of("\r\n");
        const auto piece = bytes.substr(0, end);
        if (line_.size() < kLineBytesMax) line_ += piece.substr(0, kLineBytesMax - line_.size());
        if (end == std::string_view::npos) return;
        if (!line_.empty()) shown_ = std::move(line_);
        line_.clear();
        bytes.remove_prefix(end + 1);
    }
}

std::string Progress::notification() {
    const auto& line = line_.empty() ? shown_ : line_;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - since_;
    boost::json::object params{{"progressToken", token_}, {"progress", seconds.count()}};
    params["message"] = line.empty() ? "running " + language_
                                     : harmless(as_utf8(cut_utf8(line, kLineBytesMax)), ' ');
    return notification_text("notifications/progress", std::move(params));
}

asio::awaitable<void> Progress::tell(net::EventStream stream) {
    bool waits_for_code = language_.empty();
    while (!ended_) {
        if (waits_for_code) {
            wake_.expires_at(std::chrono::steady_clock::time_point::max());
        } else {
            net::EventStream::Event event;
            event.data = notification();
            co_await stream.send(std::move(event));
            if (ended_) break;
            wake_.expires_after(kEvery);
        }
        co_await wake_.async_wait(kAsTuple);
        waits_for_code = language_.empty();
    }
}

void Progress::end() {
    ended_ = true;
    wake_.cancel();
}

}  // namespace atl::api::mcp
