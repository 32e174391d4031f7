#include "core/host_paths.hpp"

#include <algorithm>

namespace atl::core {

namespace {

constexpr std::string_view kShown[] = {"/session", "/data", "/work", "/home/user"};
constexpr std::string_view kInstead = "(a path of the server)";

// What may stand before a path; in the middle of a word a slash is no beginning of one.
bool may_precede(char c) {
    return c == ' ' || c == '"' || c == '\'' || c == '`' || c == '(' || c == '=' || c == ':' ||
           c == ',' || c == '[' || c == '<' || c == '>' || c == '\t' || c == '\n';
}

bool ends_path(char c) {
    return c == ' ' || c == '"' || c == '\'' || c == '`' || c == ')' || c == ':' || c == ',' ||
           c == ';' || c == ']' || c == '<' || c == '>' || c == '\t' || c == '\n';
}

bool is_shown(std::string_view path) {
    return std::any_of(std::begin(kShown), std::end(kShown), [&](std::string_view root) {
        return path == root || (path.starts_with(root) && path[root.size()] == '/');
    });
}

}  // namespace

std::string without_host_paths(std::string_view sentence) {
    std::string shown;
    std::size_t at = 0;
    while (at < sentence.size()) {
        // Two slashes belong to the address of a server.
        const bool begins = sentence[at] == '/' && (at == 0 || may_precede(sentence[at - 1])) &&
                            at + 1 < sentence.size() && sentence[at + 1] != '/' &&
                            !ends_path(sentence[at + 1]);
        if (!begins) {
            shown += sentence[at++];
            continue;
        }
        std::size_t end = at;
        while (end < sentence.size() && !ends_path(sentence[end])) ++end;
        const auto path = sentence.substr(at, end - at);
        shown += is_shown(path) ? path : kInstead;
        at = end;
    }
    return shown;
}

Error without_host_paths(Error error) {
    error.message = without_host_paths(std::string_view(error.message));
    return error;
}

}  // namespace atl::core
