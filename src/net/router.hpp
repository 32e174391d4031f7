#pragma once
// Which handler a request is for. Patterns are made of whole segments:
//
//     /v1/sessions                        as it stands
//     /v1/sessions/{id}                   one segment, not empty, decoded; %2F does not split it
//     /v1/sessions/{id}/files/{path...}   the rest, at least the slash before it, decoded
//
// A literal segment wins over {id}, which wins over {path...}. HEAD goes to GET when it has no
// handler of its own. No handler: 404, or 405 with Allow, or 204 with Allow for OPTIONS.
//
// Filled before the server starts, then only read.
#include "net/exchange.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace atl::net {

class Router {
public:
    struct Route {
        std::string method;
        std::string pattern;
    };

    Router();
    Router(Router&&) noexcept;
    Router& operator=(Router&&) noexcept;
    ~Router();

    // A pattern that cannot be read, or a route that exists, is a bug: std::logic_error.
    void add(std::string_view method, std::string_view pattern, Handler handler);
    // For what no pattern matches, e.g. a web page's own paths. Without one: 404.
    void fallback(Handler handler) { fallback_ = std::move(handler); }

    // Finds the handler, sets the request's route and parameters, runs it. Throws Problem.
    boost::asio::awaitable<void> handle(Exchange& exchange) const;

    struct Match {
        const Handler* handler = nullptr;  // null: see `allow`
        std::string route;
        std::vector<std::pair<std::string, std::string>> parameters;
        std::string allow;  // methods of the pattern that matched; empty: none matched
    };
    [[nodiscard]] Match match(std::string_view method, const Target& target) const;

    [[nodiscard]] const std::vector<Route>& routes() const noexcept { return routes_; }

private:
    struct Node;
    static bool walk(const Node& node, const Target& target, std::size_t depth,
                     std::vector<std::string>& values, const Node*& found);
    std::unique_ptr<Node> root_;
    std::vector<Route> routes_;
    Handler fallback_;
};

}  // namespace atl::net
