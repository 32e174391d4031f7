#include "net/router.hpp"

#include "net/problem.hpp"

#include <algorithm>
#include <stdexcept>

namespace atl::net {

namespace asio = boost::asio;

struct Router::Node {
    std::map<std::string, std::unique_ptr<Node>, std::less<>> literals;
    std::unique_ptr<Node> parameter;  // {id}
    std::unique_ptr<Node> rest;       // {path...}, always a leaf

    // Of the pattern that ends here. Parameters have names of their own in each, since
    // /{a} and /{b}/x share a node.
    struct Leaf {
        std::string pattern;
        std::vector<std::string> names;
        Handler handler;
    };
    std::map<std::string, Leaf, std::less<>> methods;
};

Router::Router() : root_(std::make_unique<Node>()) {}
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;
Router::~Router() = default;

void Router::add(std::string_view method, std::string_view pattern, Handler handler) {
    const auto bug = [&](const char* what) {
        throw std::logic_error("route " + std::string(pattern) + ": " + what);
    };
    if (!is_token(method) || !handler) bug("no method or no handler");
    if (pattern.substr(0, 1) != "/") bug("does not start with a slash");
    Node::Leaf leaf{std::string(pattern), {}, std::move(handler)};
    Node* node = root_.get();
    auto left = pattern.substr(1);
    for (bool more = true; more;) {
        const auto end = left.find('/');
        const auto segment = left.substr(0, end);
        more = end != std::string_view::npos;
        left.remove_prefix(more ? end + 1 : left.size());
        std::unique_ptr<Node>* next = nullptr;
        if (segment.substr(0, 1) == "{" && segment.size() > 2 && segment.back() == '}') {
            auto name = segment.substr(1, segment.size() - 2);
            const bool takes_rest = name.size() > 3 && name.substr(name.size() - 3) == "...";
            if (takes_rest) name.remove_suffix(3);
            if (takes_rest && more) bug("something after the rest");
            if (!is_token(name)) bug("a parameter's name cannot be read");
            if (std::count(leaf.names.begin(), leaf.names.end(), name) > 0) bug("a name twice");
            leaf.names.emplace_back(name);
            next = takes_rest ? &node->rest : &node->parameter;
        } else {
            if (segment.find_first_of("{}%") != std::string_view::npos) bug("cannot be read");
            next = &node->literals[std::string(segment)];
        }
        if (!*next) *next = std::make_unique<Node>();
        node = next->get();
    }
    if (!node->methods.emplace(std::string(method), std::move(leaf)).second) bug("exists already");
    routes_.push_back({std::string(method), std::string(pattern)});
}

bool Router::walk(const Node& node, const Target& target, std::size_t depth,
                  std::vector<std::string>& values, const Node*& found) {
    if (depth == target.segments.size()) {
        if (node.methods.empty()) return false;
        found = &node;
        return true;
    }
    const auto& segment = target.segments[depth];
    if (const auto literal = node.literals.find(segment); literal != node.literals.end()) {
        if (walk(*literal->second, target, depth + 1, values, found)) return true;
    }
    if (node.parameter && !segment.empty()) {
        values.push_back(segment);
        if (walk(*node.parameter, target, depth + 1, values, found)) return true;
        values.pop_back();
    }
    if (!node.rest) return false;
    std::string rest = segment;
    for (std::size_t i = depth + 1; i < target.segments.size(); ++i) {
        rest.append("/").append(target.segments[i]);
    }
    values.push_back(std::move(rest));
    found = node.rest.get();
    return true;
}

Router::Match Router::match(std::string_view method, const Target& target) const {
    Match match;
    std::vector<std::string> values;
    const Node* node = nullptr;
    if (target.segments.empty() || !walk(*root_, target, 0, values, node)) return match;
    auto leaf = node->methods.find(method);
    if (leaf == node->methods.end() && method == "HEAD") leaf = node->methods.find("GET");
    if (leaf == node->methods.end()) {
        bool has_head = false;
        bool has_get = false;
        for (const auto& [name, unused] : node->methods) {
            match.allow.append(name).append(", ");
            has_head = has_head || name == "HEAD";
            has_get = has_get || name == "GET";
        }
        if (has_get && !has_head) match.allow.append("HEAD, ");
        match.allow.append("OPTIONS");
        return match;
    }
    match.handler = &leaf->second.handler;
    match.route = leaf->second.pattern;
    for (std::size_t i = 0; i < values.size(); ++i) {
        match.parameters.emplace_back(leaf->second.names[i], std::move(values[i]));
    }
    return match;
}

asio::awaitable<void> Router::handle(Exchange& exchange) const {
    Request& request = exchange.request();
    auto found = match(request.method, request.target);
    if (found.handler != nullptr) {
        request.route = std::move(found.route);
        request.parameters = std::move(found.parameters);
        return (*found.handler)(exchange);
    }
    if (request.method == "OPTIONS" && (!found.allow.empty() || request.target.path == "*")) {
        Response response{204, {}, {}};
        response.headers.set("Allow", found.allow.empty()
                                          ? "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
                                          : found.allow);
        return exchange.respond(std::move(response));
    }
    if (!found.allow.empty()) {
        Problem problem(Code::InvalidArgument,
                        request.method + " is not possible here, only " + found.allow);
        problem.status = 405;
        problem.headers.set("Allow", found.allow);
        throw problem;
    }
    if (fallback_) return fallback_(exchange);
    throw Problem(Code::NotFound, "there is nothing at this address");
}

}  // namespace atl::net
