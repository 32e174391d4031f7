#pragma once
// The Model Context Protocol between a program's stdin and stdout and a server's /mcp.
//
//     stdin  ── a message a line ──▶ POST /mcp, each request on a thread of its own
//     stdout ◀── a message a line ── the answer, and the progress before it
//
// Owns      the MCP session: begun with the client's initialize, begun anew with the same one if
//           the server has forgotten it, ended with finish().
// Threads   take() on the caller's; a request is sent from its own. What is printed is whole lines.
// Trusts    the server as far as its user does. A line has a limit, and requests at a time do.
// A client that asks without a session (revision 2026-07-28) is told to begin with initialize.
#include "base/result.hpp"
#include "net/client.hpp"

#include <boost/json/object.hpp>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace atl::cli {

// Where a server is, and what opens it.
struct ServerAddress {
    std::string url;
    std::string key;
};

class McpBridge {
public:
    static constexpr std::size_t kLineBytesMax = 8u << 20;
    static constexpr std::size_t kRequestsMax = 32;

    // `session`: of tools that name none; empty: the server's choice.
    McpBridge(ServerAddress address, const std::string& session);
    McpBridge(const McpBridge&) = delete;
    McpBridge& operator=(const McpBridge&) = delete;
    ~McpBridge() {
        wait([] { return false; });
    }

    // One line of the client's.
    void take(std::string line);
    void refuse_long_line();
    // Until all requests are answered. `give_up` is asked now and then: true ends them.
    void wait(const std::function<bool()>& give_up);
    // The session ends.
    void finish();

private:
    struct Session {
        std::string id;  // empty: none
        std::string revision;
        std::uint64_t number = 0;  // counts those that were begun
    };
    struct Asked {
        std::string id;  // as JSON; empty: a notification
        std::string line;
    };

    void join_ended();
    void begin_session(const Asked& asked);
    void ask(const Asked& asked);
    // True: the answer was printed, or needs none.
    [[nodiscard]] bool try_to_ask(const Asked& asked, bool may_begin_anew);
    [[nodiscard]] bool begin_anew(std::uint64_t number);
    [[nodiscard]] Result<net::ClientAnswer> post(net::Client& client, const Session& session,
                                                 const std::string& line,
                                                 const std::function<bool(std::string_view)>& sink);
    [[nodiscard]] Session session();
    void print(std::string_view message);
    void print_fault(const std::string& id, int code, const std::string& sentence);

    const ServerAddress address_;
    std::string path_;
    std::mutex beginning_;  // held while a session is begun anew
    std::mutex mutex_;      // what follows
    Session session_;
    std::string initialize_;  // the client's, to begin anew with
    std::set<std::string> cancelled_;
    std::uint64_t begun_ = 0;
    std::map<std::uint64_t, std::thread> threads_;  // of requests under way
    std::vector<std::thread> ended_;                // to be joined
    std::condition_variable one_ended_;
    std::mutex printing_;
};

}  // namespace atl::cli
