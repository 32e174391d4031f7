#pragma once
// A server, for the commands that are its clients: its address, requests to it, and errors as
// sentences for people.
//
// Owns      the connection. Threads: the command's one; it waits.
// Trusts    nothing: an answer that is not what the API promises is an Error, never a crash.
#include "base/result.hpp"
#include "cli/failure.hpp"
#include "net/client.hpp"
#include "net/websocket_client.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <CLI/App.hpp>
#include <set>
#include <string>

namespace atl::cli {

inline constexpr int kExitUsage = 2;
inline constexpr int kExitTimeout = 124;
inline constexpr int kExitAtoll = 125;
inline constexpr int kExitInterrupted = 130;

class Server {
public:
    // From ATOLL_URL and ATOLL_API_KEY.
    [[nodiscard]] static Server from_environment();
    Server(std::string url, std::string key) : key_(key), client_(std::move(url), std::move(key)) {}

    // A status of 400 and more has become an Error, with the server's own sentence.
    [[nodiscard]] Result<net::ClientAnswer> send(const net::ClientRequest& request);
    // The answer's JSON; an empty object when it has no body.
    [[nodiscard]] Result<boost::json::object> ask(const std::string& method,
                                                  const std::string& path,
                                                  const boost::json::object* body = nullptr);
    // Open, or the server's own sentence why not.
    [[nodiscard]] Result<net::WebSocketClient> open_websocket(const std::string& path);
    [[nodiscard]] Result<boost::json::object> get(const std::string& path) {
        return ask("GET", path);
    }

    // What the last answer said in addition to its message, if it was an error.
    [[nodiscard]] const Refusal& refusal() const noexcept { return refusal_; }
    // An earlier one, which is what shall be told.
    void recall(Refusal refusal) { refusal_ = std::move(refusal); }

private:
    [[nodiscard]] Error refused(const net::ClientAnswer& answer);

    std::string key_;
    net::Client client_;
    Refusal refusal_;
};

// A path of the API with an id or a name in it: whatever stands in it is one segment.
[[nodiscard]] std::string api_path(const std::string& before, const std::string& segment,
                                   const std::string& after = "");
[[nodiscard]] std::string session_path(const std::string& id, const std::string& after = "");

// The cursors of a list that is read page by page. A server that gives one twice would be asked for
// ever: that is an Error.
class Pages {
public:
    // Of the page that is asked for; empty: the first.
    [[nodiscard]] const std::string& cursor() const noexcept { return cursor_; }
    // What that page named; false when it was the last.
    [[nodiscard]] Result<bool> go_on(std::string next);

private:
    std::string cursor_;
    std::set<std::string> seen_;
};

// So that a shell reads the word as it is.
[[nodiscard]] std::string quoted(const std::string& word);
// As it is where a shell would read it the same.
[[nodiscard]] std::string quoted_if_needed(const std::string& word);

// Tells it (cli/failure.hpp); the exit status that goes with it.
int report(const Error& error, For whom = For::People, const Refusal& refusal = {});

// While it lives, Ctrl-C ends the request under way instead of the program.
class InterruptByKey {
public:
    InterruptByKey();
    ~InterruptByKey();
    InterruptByKey(const InterruptByKey&) = delete;
    InterruptByKey& operator=(const InterruptByKey&) = delete;
};

[[nodiscard]] std::string text_in(const boost::json::object& object, std::string_view key);
[[nodiscard]] std::int64_t number_in(const boost::json::object& object, std::string_view key,
                                     std::int64_t otherwise = 0);

}  // namespace atl::cli
