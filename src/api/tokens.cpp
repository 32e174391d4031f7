#include "api/tokens.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace atl::api {

namespace json = boost::json;

namespace {

constexpr std::size_t kTokenBytesMax = 4096;
constexpr std::chrono::hours kTokenLife{24};  // the longest that is given (access_types.cpp)

std::string_view bytes_of(const core::Sha256& digest) {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string text_in(const json::object& from, const char* key) {
    const auto* value = from.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->get_string())
                                                  : std::string();
}

}  // namespace

std::string Signer::sign(const Grant& grant) const {
    json::array scopes;
    for (const auto& scope : grant.scopes) scopes.emplace_back(scope);
    json::object said{{"s", grant.session},
                      {"o", grant.owner},
                      {"k", grant.key_id},
                      {"c", std::move(scopes)},
                      {"u", std::int64_t{grant.until.time_since_epoch().count()}}};
    if (grant.renewable_until) {
        said["r"] = std::int64_t{grant.renewable_until->time_since_epoch().count()};
        said["m"] = grant.key_mark;
    }
    const auto payload = letters_of(json::serialize(said));
    std::string token(kTokenPrefix);
    token += payload;
    const auto signature = hmac_sha256(secret_, token);
    return token + "." + letters_of(bytes_of(signature));
}

std::string Signer::seal(std::string_view what, std::string_view text) const {
    // No token begins so, and the length keeps the two parts apart.
    const auto signature = hmac_sha256(secret_, "seal " + std::to_string(what.size()) + " " +
                                                    std::string(what) + std::string(text));
    return letters_of(bytes_of(signature));
}

std::optional<Grant> Signer::read(std::string_view token, core::Time now) const {
    if (token.size() > kTokenBytesMax || !token.starts_with(kTokenPrefix)) return std::nullopt;
    const auto dot = token.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const auto claimed = bytes_of_letters(token.substr(dot + 1));
    if (!claimed || claimed->size() != core::Sha256{}.size()) return std::nullopt;
    core::Sha256 signature{};
    std::copy(claimed->begin(), claimed->end(), signature.begin());
    if (!core::same_digest(signature, hmac_sha256(secret_, token.substr(0, dot)))) {
        return std::nullopt;
    }
    const auto payload = bytes_of_letters(token.substr(0, dot).substr(kTokenPrefix.size()));
    if (!payload) return std::nullopt;
    boost::system::error_code failed;
    const auto parsed = json::parse(*payload, failed);
    if (failed || !parsed.is_object()) return std::nullopt;
    const auto& object = parsed.get_object();
    const auto* until = object.if_contains("u");
    const auto* scopes = object.if_contains("c");
    if (until == nullptr || !until->is_int64() || scopes == nullptr || !scopes->is_array()) {
        return std::nullopt;
    }
    Grant grant;
    grant.session = text_in(object, "s");
    grant.owner = text_in(object, "o");
    grant.key_id = text_in(object, "k");
    grant.until = core::Time(std::chrono::milliseconds(until->get_int64()));
    if (const auto* renewable = object.if_contains("r")) {
        if (!renewable->is_int64()) return std::nullopt;
        grant.renewable_until = core::Time(std::chrono::milliseconds(renewable->get_int64()));
        grant.key_mark = text_in(object, "m");
        if (*grant.renewable_until < grant.until || *grant.renewable_until > now + kTokenLife) {
            return std::nullopt;
        }
    }
    for (const auto& scope : scopes->get_array()) {
        if (scope.is_string()) grant.scopes.emplace_back(scope.get_string());
    }
    // Longer than any lasts: the clock was put back since, and nobody knows how old it is.
    if (grant.owner.empty() || grant.until <= now || grant.until > now + kTokenLife) {
        return std::nullopt;
    }
    return grant;
}

std::string mark_of(const Signer& signer, const core::KeyRecord& key) {
    return signer.seal("key of a page",
                       key.id.text() + " " + letters_of(bytes_of(key.secret_sha256)));
}

}  // namespace atl::api
