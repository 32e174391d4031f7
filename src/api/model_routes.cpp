#include "api/model_routes.hpp"

#include "api/model_types.hpp"
#include "api/request_reading.hpp"
#include "api/scopes.hpp"

namespace atl::api {

namespace asio = boost::asio;
using schema::json_answer;
using schema::json_body;

namespace {

constexpr std::string_view kModelTag = "Models";

asio::awaitable<void> send_settings(agent::Models& models, net::Exchange& exchange) {
    co_await exchange.respond(json_response(200, view_of(models.state())));
}

asio::awaitable<void> patch_settings(agent::Models& models, net::Exchange& exchange) {
    auto wanted = co_await read_json<PatchModelSettings>(exchange);
    agent::ModelChange change{std::move(wanted.base_url), std::move(wanted.key),
                              std::move(wanted.model), wanted.questions_may_choose};
    co_await models.change(std::move(change));
    co_await send_settings(models, exchange);
}

asio::awaitable<void> reset_settings(agent::Models& models, net::Exchange& exchange) {
    co_await models.reset();
    co_await send_settings(models, exchange);
}

asio::awaitable<void> list_available(agent::Models& models, net::Exchange& exchange) {
    AvailableModels answer;
    answer.models = co_await models.available();
    const auto state = models.state();
    answer.model = state.model;
    answer.questions_may_choose = !state.offline && state.questions_may_choose;
    co_await exchange.respond(json_response(200, answer));
}

asio::awaitable<void> probe(agent::Models& models, net::Exchange& exchange) {
    auto asked = co_await read_json_if_any<ProbeModels>(exchange);
    LocalModelServers answer;
    if (asked.base_url) {
        answer.servers.push_back(
            view_of(co_await models.look_at_local(std::move(*asked.base_url))));
    } else {
        const auto found = co_await models.find_local();
        for (const auto& one : found) answer.servers.push_back(view_of(one));
    }
    co_await exchange.respond(json_response(200, answer));
}

}  // namespace

void add_model_routes(Api& api, agent::Models& models) {
    using Handler = asio::awaitable<void> (*)(agent::Models&, net::Exchange&);
    const auto add = [&](schema::Route route, Handler handler) {
        api.add(std::move(route),
                [&models, handler](net::Exchange& exchange) { return handler(models, exchange); });
    };
    add({.method = "GET",
         .pattern = "/v1/model-settings",
         .id = "get_model_settings",
         .tag = kModelTag,
         .summary = "Which model answers, and who decided that",
         .answers = {json_answer<ModelSettingsView>(200, "What is in force.")},
         .scope = kAdmin},
        send_settings);
    add({.method = "PATCH",
         .pattern = "/v1/model-settings",
         .id = "patch_model_settings",
         .tag = kModelTag,
         .summary = "Choose the model that answers",
         .description = "From the next question on. What the server's own settings say (the "
                        "environment, the file, the command line) cannot be changed: 409.",
         .bodies = {json_body<PatchModelSettings>()},
         .answers = {json_answer<ModelSettingsView>(200, "What is in force now.")},
         .scope = kAdmin},
        patch_settings);
    add({.method = "DELETE",
         .pattern = "/v1/model-settings",
         .id = "reset_model_settings",
         .tag = kModelTag,
         .summary = "Forget the model that was chosen, and its key",
         .answers = {json_answer<ModelSettingsView>(200, "What is in force now.")},
         .scope = kAdmin},
        reset_settings);
    add({.method = "GET",
         .pattern = "/v1/models/available",
         .id = "list_available_models",
         .tag = kModelTag,
         .summary = "Models that questions can be asked of",
         .description = "What the API in force lists; 503 while it cannot be reached.",
         .answers = {json_answer<AvailableModels>(200, "Their names.")},
         .scope = "threads"},
        list_available);
    auto where = json_body<ProbeModels>();
    where.required = false;
    add({.method = "POST",
         .pattern = "/v1/models/probe",
         .id = "probe_models",
         .tag = kModelTag,
         .summary = "Look for models on the server's machine",
         .description = "On loopback only, never at this server's own ports.",
         .bodies = {where},
         .answers = {json_answer<LocalModelServers>(200, "What was found.")},
         .scope = kAdmin},
        probe);
}

}  // namespace atl::api
