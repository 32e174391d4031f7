#pragma once
// The HTTP API: every route once, with its handler and its description in the OpenAPI document.
//
//     add_session_routes(api, …);  add_run_routes(api, …);  …   one file a resource
//     api.finish(about)                                          then the document is made
//
// Threads   the server's one. Filled before the server starts, then only read.
// Trusts    nothing in a request. Who is calling was settled by Door (door.hpp) before.
#include "api/schema/document.hpp"
#include "net/router.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace atl::api {

// Who is calling, as the door found out.
struct Caller {
    std::string owner;
};
[[nodiscard]] const Caller& caller_of(const net::Request& request);

class Api {
public:
    // A handler that throws schema::ValidationError is answered with the list of what is wrong.
    void add(schema::Route route, net::Handler handler);
    // Adds the document's own routes and the page that shows it.
    void finish(const schema::About& about);

    [[nodiscard]] const net::Router& router() const noexcept { return router_; }
    [[nodiscard]] const std::string& document() const noexcept { return document_; }

private:
    net::Router router_;
    std::vector<schema::Route> routes_;
    std::string document_;
};

// A described value as the whole answer.
template <schema::Described T>
[[nodiscard]] net::Response json_response(int status, const T& value) {
    net::Response response{status, {}, {}};
    response.headers.set("Content-Type", "application/json");
    schema::append_json(response.body, value);
    return response;
}

// JSON is read up to this; what is larger goes as a file.
inline constexpr std::size_t kBodyBytesMax = 8u << 20;

}  // namespace atl::api
