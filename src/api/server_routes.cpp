#include "api/server_routes.hpp"

#include "api/sandbox_options.hpp"
#include "base/workers.hpp"
#include "schema/describe.hpp"

namespace atl::api {

namespace asio = boost::asio;

struct Health {
    std::string status;
    std::string store;
    std::string threads;
    std::optional<std::string> sentence;
};
ATOLL_DESCRIBED(Health);
BOOST_DESCRIBE_STRUCT(Health, (), (status, store, threads, sentence))
ATOLL_TYPE(Health) {
    return response("How the server is.",
                    field<&T::status>("ok, or degraded: it serves, and something is wrong."),
                    field<&T::store>("ok, failing or read_only."),
                    field<&T::threads>("The same of where threads are kept: here, or in Redis."),
                    field<&T::sentence>("What is wrong and what to do."));
}

struct Info {
    std::string version;
    std::vector<std::string> runtimes;
    std::string walls;
    std::vector<std::string> networks;
    std::vector<std::string> datasets;
    std::string data_root;
    std::uint64_t sandboxes_ready = 0;
    std::uint64_t sessions_hot = 0;
    std::uint64_t sessions_warm = 0;
    std::string model;
    std::string model_note;
};
ATOLL_DESCRIBED(Info);
BOOST_DESCRIBE_STRUCT(Info, (),
                      (version, runtimes, walls, networks, datasets, data_root, sandboxes_ready,
                       sessions_hot, sessions_warm, model, model_note))
ATOLL_TYPE(Info) {
    return response("What this server is.", field<&T::version>("Of Atoll."),
                    field<&T::runtimes>("What can build walls here."),
                    field<&T::walls>("What holds sandboxes on this host."),
                    field<&T::networks>("What sandboxes may be asked to reach."),
                    field<&T::datasets>("Names of data sets that sessions may ask for."),
                    field<&T::data_root>("Where a session's data shows, besides /data."),
                    field<&T::sandboxes_ready>("Waiting in the pool."),
                    field<&T::sessions_hot>("Running now."),
                    field<&T::sessions_warm>("Frozen now."),
                    field<&T::model>("Who answers questions in threads.", example("offline")),
                    field<&T::model_note>("The same for people."));
}

BOOST_DESCRIBE_STRUCT(TemplateView, (), (name, description, ready, bytes, problem))
ATOLL_TYPE(TemplateView) {
    return response("What sandboxes start from.", field<&T::name>("Its name.", example("default")),
                    field<&T::description>("What its maker says of it."),
                    field<&T::ready>("Whether sessions can start from it."),
                    field<&T::bytes>("On disk."),
                    field<&T::problem>("Why it cannot be used; empty: it can."));
}

struct TemplateList {
    std::vector<TemplateView> templates;
};
ATOLL_DESCRIBED(TemplateList);
BOOST_DESCRIBE_STRUCT(TemplateList, (), (templates))
ATOLL_TYPE(TemplateList) {
    return response("Templates of this server.", field<&T::templates>("By their names."));
}

namespace {

constexpr std::string_view kServerTag = "Server";

std::size_t count_of(const sessions::Sessions& sessions, core::SessionState state) {
    const auto awake = sessions.counts().awake;
    const auto found = awake.find(state);
    return found == awake.end() ? 0 : found->second;
}

}  // namespace

void add_server_routes(Api& api, ServerFacts facts, sessions::Sessions& sessions,
                       core::Store& store) {
    const auto health = [facts, &store](net::Exchange& exchange) -> asio::awaitable<void> {
        using State = core::StoreHealth::State;
        const auto here = store.health();
        const auto threads = facts.shared_threads().value_or(here);
        Health answer;
        const auto storage = facts.storage();
        const bool is_well =
            here.state == State::Ok && threads.state == State::Ok && storage.empty();
        answer.status = is_well ? "ok" : "degraded";
        answer.store = std::string(core::name_of(here.state));
        answer.threads = std::string(core::name_of(threads.state));
        for (const auto& sentence : {here.sentence, storage, threads.sentence}) {
            if (sentence.empty()) continue;
            answer.sentence = sentence;
            break;
        }
        co_await exchange.respond(json_response(200, answer));
    };
    api.add({.method = "GET",
             .pattern = "/healthz",
             .id = "health",
             .tag = kServerTag,
             .summary = "Whether the server lives",
             .answers = {schema::json_answer<Health>(200, "It lives.")},
             .security = schema::Security::None},
            health);
    const auto ready = [facts, &store](net::Exchange& exchange) -> asio::awaitable<void> {
        if (facts.stopping()) throw ErrorException({Code::Unavailable, "the server is stopping"});
        const auto state = store.health();
        if (state.state == core::StoreHealth::State::ReadOnly) {
            throw ErrorException(
                {Code::Unavailable, "this server is read-only: " + state.sentence});
        }
        if (const auto storage = facts.storage(); !storage.empty()) {
            throw ErrorException({Code::Unavailable, storage});
        }
        // Whoever shares the work out may send it to a server that reaches them.
        const auto threads = facts.shared_threads();
        if (threads && threads->state != core::StoreHealth::State::Ok) {
            throw ErrorException({Code::Unavailable, threads->sentence});
        }
        co_await exchange.respond(net::Response::empty());
    };
    api.add({.method = "GET",
             .pattern = "/readyz",
             .id = "ready",
             .tag = kServerTag,
             .summary = "Whether the server takes work",
             .answers = {schema::empty_answer(204, "It does.")},
             .security = schema::Security::None},
            ready);
    const auto info = [facts, &sessions](net::Exchange& exchange) -> asio::awaitable<void> {
        Info answer;
        answer.version = facts.version;
        answer.runtimes = {kRuntime};
        answer.networks = {kNetwork};
        for (const auto& one : sessions.options().data_sets) answer.datasets.push_back(one.first);
        answer.data_root = facts.data_root;
        answer.walls = facts.walls();
        answer.sandboxes_ready = facts.pooled();
        answer.sessions_hot = count_of(sessions, core::SessionState::Hot);
        answer.model = facts.model();
        answer.model_note = facts.model_note();
        answer.sessions_warm = count_of(sessions, core::SessionState::Warm);
        co_await exchange.respond(json_response(200, answer));
    };
    api.add({.method = "GET",
             .pattern = "/v1/info",
             .id = "info",
             .tag = kServerTag,
             .summary = "What this server is",
             .answers = {schema::json_answer<Info>(200, "Version, runtimes, walls in force.")}},
            info);
    const auto templates = [facts](net::Exchange& exchange) -> asio::awaitable<void> {
        TemplateList answer;
        answer.templates = co_await workers_of(exchange.executor()).run(facts.templates);
        co_await exchange.respond(json_response(200, answer));
    };
    api.add({.method = "GET",
             .pattern = "/v1/templates",
             .id = "list_templates",
             .tag = kServerTag,
             .summary = "What sessions can start from",
             .answers = {schema::json_answer<TemplateList>(200, "All of them.")}},
            templates);
}

}  // namespace atl::api
