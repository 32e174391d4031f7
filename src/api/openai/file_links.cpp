#include "api/openai/file_links.hpp"

#include "api/api.hpp"
#include "api/base_url.hpp"
#include "api/secrets.hpp"
#include "base/encoding.hpp"
#include "net/problem.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace atl::api::openai {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kTokenBytesMax = 8192;
constexpr std::string_view kKind = "file link";

std::string member_text(const json::object& from, const char* name) {
    const auto* value = from.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string())
                                                  : std::string();
}

}  // namespace

std::string signed_link(const Signer& signer, const FileLink& link) {
    const json::object what{{"o", link.owner},
                            {"k", link.key_id},
                            {"t", link.thread},
                            {"p", link.path},
                            {"u", std::int64_t{link.until.time_since_epoch().count()}}};
    const auto letters = letters_of(json::serialize(what));
    return letters + "." + signer.seal(kKind, letters);
}

std::optional<FileLink> read_link(const Signer& signer, std::string_view token, core::Time now,
                                  std::chrono::milliseconds life) {
    const auto dot = token.find('.');
    if (token.size() > kTokenBytesMax || dot == std::string_view::npos) return std::nullopt;
    const auto letters = token.substr(0, dot);
    // Digests of both, so that the comparison tells nothing by its time.
    if (!core::same_digest(sha256(token.substr(dot + 1)), sha256(signer.seal(kKind, letters)))) {
        return std::nullopt;
    }
    const auto bytes = bytes_of_letters(letters);
    if (!bytes) return std::nullopt;
    boost::system::error_code failed;
    const auto parsed = json::parse(*bytes, failed);
    if (failed || !parsed.is_object()) return std::nullopt;
    const auto& what = parsed.get_object();
    const auto* until = what.if_contains("u");
    if (until == nullptr || !until->is_int64()) return std::nullopt;
    FileLink link;
    link.owner = member_text(what, "o");
    link.key_id = member_text(what, "k");
    link.thread = member_text(what, "t");
    link.path = member_text(what, "p");
    link.until = core::Time(std::chrono::milliseconds(until->get_int64()));
    // Longer than any is given: the clock was put back since, or the setting was.
    if (link.owner.empty() || link.until <= now || link.until > now + life) { return std::nullopt; }
    return link;
}

std::function<std::string(std::string_view)> FileLinks::links_for(const net::Request& request,
                                                                  std::string thread) const {
    const Caller& caller = caller_of(request);
    FileLink link;
    link.owner = caller.owner;
    link.key_id = caller.key_id;
    link.thread = std::move(thread);
    const auto base = options_.public_url.empty() ? base_url_of(request) : options_.public_url;
    return [this, base, link](std::string_view path) {
        auto one = link;
        one.path = path;
        one.until = core::time_now() + options_.life;
        const auto name = path.substr(path.rfind('/') + 1);
        return base + std::string(kLinkPlace) + percent_encoded(name) +
               "?link=" + signed_link(signer_, one);
    };
}

FileLink FileLinks::link_in(const net::Request& request) const {
    const auto now = core::time_now();
    const std::string token(request.target.parameter("link").value_or(""));
    auto link = read_link(signer_, token, now, options_.life);
    const bool key_is_good =
        link && (link->key_id.empty() ? !keys_needed_() : keys_.is_good(link->key_id, now));
    if (!key_is_good) {
        throw net::Problem(Code::Unauthenticated,
                           "this link is not one of this server's, or its time is over; ask for "
                           "the file again")
            .with_header("WWW-Authenticate", "Bearer realm=\"atoll\", error=\"invalid_token\"");
    }
    return std::move(*link);
}

asio::awaitable<void> FileLinks::admit(net::Exchange& exchange) const {
    auto link = link_in(exchange.request());
    Caller caller;
    caller.owner = std::move(link.owner);
    caller.key_id = std::move(link.key_id);
    caller.scopes = {"threads"};
    caller.until = link.until;
    exchange.request().context = std::move(caller);
    co_return;
}

}  // namespace atl::api::openai
