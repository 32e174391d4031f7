#pragma once
// API types of keys, tokens and the audit log.
#include "core/records.hpp"
#include "schema/json.hpp"

#include <boost/json/object.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace atl::api {

struct CreateKey {
    std::string name;
    std::string owner = "local";
    std::vector<std::string> scopes;
    std::optional<std::chrono::milliseconds> lifetime;
    bool e2b = false;
};
ATOLL_DESCRIBED(CreateKey);

struct KeyView {
    std::string id;
    std::string owner;
    std::string name;
    std::vector<std::string> scopes;
    std::string created_at;
    std::optional<std::string> last_used_at;
    std::optional<std::string> expires_at;
    std::optional<std::string> revoked_at;
    std::optional<std::string> key;  // once, when it was made
};
ATOLL_DESCRIBED(KeyView);
[[nodiscard]] KeyView view_of(const core::KeyRecord& record);

struct KeyList {
    std::vector<KeyView> keys;
    std::optional<std::string> next_cursor;
};
ATOLL_DESCRIBED(KeyList);

struct KeyPath {
    std::string id;
};
ATOLL_DESCRIBED(KeyPath);

struct ListKeys {
    std::string cursor;
    std::uint32_t limit = 100;
};
ATOLL_DESCRIBED(ListKeys);

enum class TokenFor { Terminal, Ports, Files };
ATOLL_DESCRIBED(TokenFor);

struct CreateToken {
    std::vector<TokenFor> scopes;
    std::uint32_t seconds = 300;
};
ATOLL_DESCRIBED(CreateToken);

struct TokenView {
    std::string token;
    std::string session;
    std::vector<TokenFor> scopes;
    std::string expires_at;
};
ATOLL_DESCRIBED(TokenView);

struct PageTokenView {
    std::string token;
    std::string owner;
    std::string key_id;
    std::vector<std::string> scopes;
    std::string expires_at;
    std::uint32_t seconds = 0;
    std::string renewable_until;
};
ATOLL_DESCRIBED(PageTokenView);

struct ListAudit {
    std::string from;
    std::string until;
    std::string cursor;
    std::uint32_t limit = 100;
};
ATOLL_DESCRIBED(ListAudit);

struct AuditView {
    std::uint64_t sequence = 0;
    std::string time;
    std::string owner;
    std::string key_id;
    std::string action;
    std::string object;
    std::string outcome;
    std::string request_id;
    boost::json::object detail;
};
ATOLL_DESCRIBED(AuditView);

struct AuditList {
    std::vector<AuditView> records;
    std::optional<std::string> next_cursor;
};
ATOLL_DESCRIBED(AuditList);

}  // namespace atl::api
