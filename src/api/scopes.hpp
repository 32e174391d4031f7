#pragma once
// What a key may do, and what each route asks for.
//
// Fails closed: a route that neither says what it needs nor lies where that is known needs `admin`.
#include "schema/document.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace atl::api {

struct KeyScope {
    std::string_view name;
    std::string_view says;
};
inline constexpr std::array<KeyScope, 8> kScopes{{
    {"sessions:read", "see sessions"},
    {"sessions:write", "make, change and remove sessions"},
    {"run", "run code, processes, terminals and ports"},
    {"files", "read and write files of sessions"},
    {"jobs", "schedule and see jobs; those in a session take `run` as well"},
    {"threads", "upload files, ask questions about them and see the answers"},
    {"metrics", "read the server's figures"},
    {"admin", "all of it, keys and the audit log"},
}};
inline constexpr std::string_view kAdmin = "admin";
inline constexpr std::string_view kMakeSessionScope = "sessions:write";
inline constexpr std::string_view kAnyScope = "any";  // whoever is known

[[nodiscard]] bool is_scope(std::string_view name);
// Of a key that names none: all but the server's own, metrics and admin.
[[nodiscard]] std::vector<std::string> usual_scopes();
// `admin` has them all.
[[nodiscard]] bool grants(const std::vector<std::string>& scopes, std::string_view needed);

// The route's own word, or by where it lies.
[[nodiscard]] std::string scope_of(const schema::Route& route);

// What a token for one session opens there: the segment after the session's id.
struct TokenScope {
    std::string_view name;     // terminal, ports, files: also the segment
    std::string_view key_has;  // the scope that whoever makes the token must have
};
inline constexpr std::array<TokenScope, 3> kTokenScopes{{
    {"terminal", "run"},
    {"ports", "run"},
    {"files", "files"},
}};

}  // namespace atl::api
