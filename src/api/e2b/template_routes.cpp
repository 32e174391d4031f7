// /templates, /volumes, /secrets: what this server has under these names is little. The rest is
// refused with where to do it instead.
#include "api/e2b/control.hpp"
#include "api/e2b/new_sandbox.hpp"
#include "api/scopes.hpp"
#include "net/problem.hpp"
#include "schema/validation.hpp"

#include <array>
#include <boost/json/object.hpp>

namespace atl::api::e2b {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr const char* kBuiltBy =
    "this server does not build templates over the network: its administrator makes them with "
    "`atoll template build`, and they are used by their names";
constexpr const char* kNoVolumes =
    "this server has no volumes; files that stay are those of a sandbox that is paused, or of a "
    "snapshot";
constexpr const char* kNoSecrets =
    "this server keeps no secrets for sandboxes; pass what they shall see in envVars";

asio::awaitable<void> send_alias(net::Exchange& exchange) {
    const std::string alias = exchange.request().parameter("alias");
    if (own_template(alias) != "default") {
        throw net::Problem(Code::NotFound, "there is no alias " + schema::quoted(alias, 64));
    }
    const json::object answer{{"templateID", alias}, {"public", true}};
    co_await exchange.respond(json_text(200, answer));
}

net::Handler refuse_with(const char* why) {
    return [why](net::Exchange&) -> asio::awaitable<void> {
        throw net::Problem(Code::Unsupported, why);
        co_return;
    };
}

}  // namespace

void add_template_routes(Api& api, ControlParts) {
    api.add(unlisted("GET", "/templates/aliases/{alias}", "get_template_alias", kAnyScope),
            send_alias);
    struct Missing {
        std::string_view method, pattern, id;
        const char* why;
    };
    static constexpr std::array<Missing, 16> kMissing{{
        {"GET", "/templates", "list_e2b_templates", kBuiltBy},
        {"POST", "/templates", "build_template", kBuiltBy},
        {"POST", "/v2/templates", "build_template", kBuiltBy},
        {"GET", "/v2/templates", "list_e2b_templates", kBuiltBy},
        {"POST", "/v3/templates", "build_template", kBuiltBy},
        {"GET", "/templates/{id}", "get_e2b_template", kBuiltBy},
        {"PATCH", "/templates/{id}", "change_template", kBuiltBy},
        {"POST", "/templates/tags", "tag_template", kBuiltBy},
        {"GET", "/templates/{id}/{path...}", "get_template_build", kBuiltBy},
        {"POST", "/v2/templates/{id}/{path...}", "start_template_build", kBuiltBy},
        {"GET", "/volumes", "list_volumes", kNoVolumes},
        {"POST", "/volumes", "make_volume", kNoVolumes},
        {"GET", "/volumes/{id}", "get_volume", kNoVolumes},
        {"DELETE", "/volumes/{id}", "delete_volume", kNoVolumes},
        {"GET", "/secrets", "list_secrets", kNoSecrets},
        {"POST", "/secrets", "make_secret", kNoSecrets},
    }};
    for (const auto& [method, pattern, id, why] : kMissing) {
        api.add(unlisted(method, pattern, id, kAnyScope), refuse_with(why));
    }
}

}  // namespace atl::api::e2b
