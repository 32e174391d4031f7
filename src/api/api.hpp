#pragma once
// The HTTP API: every route once, with its handler and its description in the OpenAPI document.
//
//     add_session_routes(api, …);  add_run_routes(api, …);  …   one file a resource
//     api.finish(about)                                          then the document is made
//
// Threads   the server's one. Filled before the server starts, then only read.
// Trusts    nothing in a request. Door (door.hpp) has identified the caller before.
#include "core/records.hpp"
#include "net/router.hpp"
#include "schema/document.hpp"
#include "schema/pieces.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace atl::api {

// The caller, as identified by Door.
struct Caller {
    std::string owner;        // empty: nobody known
    std::string key_id = {};  // empty: none was needed
    std::vector<std::string> scopes = {};
    std::string token_session = {};              // with a token: the one session that it opens, and
    std::vector<std::string> token_scopes = {};  // what of it
    std::optional<core::Time> until = {};        // with a token: its end
    // With the token of a page: until when it can be renewed. Nothing that it asks for outlives
    // that, but what it makes for its owner.
    std::optional<core::Time> renewable_until = {};
    std::string refused = {};  // why what was shown is no proof of anybody
    std::string object = {};   // what the request was about, for the audit log
    std::function<void(std::string action, std::string object)> made = {};  // note_made
};
// Unauthenticated when nobody is known: a route that is open to all must not ask.
[[nodiscard]] const Caller& caller_of(const net::Request& request);
// Says what a request made, for the audit log: a new session has no id in its request.
void note_object(net::Exchange& exchange, std::string id);
// The same for what a request made in addition, as a run does that names a session which is not
// there. It is in the audit log at once: the request may go on for hours.
void note_made(const net::Exchange& exchange, std::string action, std::string id);

// What a route asks of its callers.
struct Need {
    std::string id;     // of the route: create_session
    std::string scope;  // scopes.hpp
    bool open = false;  // to everybody
};

// Stands before every handler. Throws to refuse; hears how what it let pass has ended.
class Guard {
public:
    virtual ~Guard() = default;
    virtual void pass(net::Request& request, const Need& need) = 0;
    virtual void ended(const net::Request& request, const Need& need, std::string_view outcome) = 0;
    // While it lasts: it made something that it is not about (note_made).
    virtual void made(const net::Request& request, const Need& need, std::string action,
                      std::string object) = 0;
};

class Api {
public:
    Api() = default;
    Api(const Api&) = delete;  // handlers refer to it
    Api& operator=(const Api&) = delete;

    // Before the server starts. Without a guard nobody passes.
    void guard_with(Guard& guard) { guard_ = &guard; }
    // Before the server starts. While it answers with a sentence, requests that change something
    // are refused with it (503); those that read go on.
    void read_only_while(std::function<std::string()> why) { read_only_ = std::move(why); }
    // Before the routes below `place` are added. Runs ahead of the guard, for callers that show
    // another proof than a key: it says who they are (Request::context), or throws.
    void usher_below(std::string place, net::Handler usher);
    // A handler that throws schema::ValidationError is answered with the list of what is wrong. A
    // route that names no scope has that of the place where it lies (scopes.hpp).
    void add(schema::Route route, net::Handler handler);
    // Where ports have host names; empty: nowhere. The web interface may frame them.
    void show_ports_at(std::string domain) { ports_domain_ = std::move(domain); }
    [[nodiscard]] const std::string& ports_domain() const noexcept { return ports_domain_; }
    // Adds the document's own routes and the page that shows it.
    void finish(const schema::About& about);

    [[nodiscard]] const net::Router& router() const noexcept { return router_; }
    [[nodiscard]] const std::string& document() const noexcept { return document_; }

private:
    void check_writable(const net::Request& request) const;
    [[nodiscard]] net::Handler usher_of(std::string_view pattern) const;

    Guard* guard_ = nullptr;
    std::function<std::string()> read_only_;
    std::vector<std::pair<std::string, net::Handler>> ushers_;
    net::Router router_;
    std::vector<schema::Route> routes_;
    std::deque<std::string> scopes_;  // what the routes refer to
    std::string document_;
    std::string ports_domain_;
};

// Text below this is printed at once; more of it, in pieces of about so many bytes while it is
// sent.
inline constexpr std::size_t kWholeBytesMax = 64 * 1024;
inline constexpr std::size_t kPieceBytes = 128 * 1024;

// A described value as the whole answer. A large one is kept until it is sent: give it away with
// std::move, or it is copied.
template <class T>
requires schema::Described<std::remove_cvref_t<T>>
[[nodiscard]] net::Response json_response(int status, T&& value) {
    net::Response response{status, {}, {}};
    response.headers.set("Content-Type", "application/json");
    if (schema::is_small(value, kWholeBytesMax)) {
        schema::append_json(response.body, value);
        return response;
    }
    struct Kept {
        std::remove_cvref_t<T> value;
        schema::Pieces pieces;
        explicit Kept(T&& given) : value(std::forward<T>(given)), pieces(value) {}
    };
    response.rest = [kept = std::make_shared<Kept>(std::forward<T>(value))](std::string& out) {
        return kept->pieces.next(out, out.size() + kPieceBytes);
    };
    return response;
}

// JSON is read up to this; what is larger goes as a file.
inline constexpr std::size_t kBodyBytesMax = 8u << 20;

}  // namespace atl::api
