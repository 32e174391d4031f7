// /sandboxes: created, found, lengthened, paused, resumed, ended.
#include "api/e2b/control.hpp"
#include "api/e2b/errors.hpp"
#include "api/e2b/idempotent_creates.hpp"
#include "api/e2b/lifecycle.hpp"
#include "api/e2b/listing.hpp"
#include "api/e2b/marks.hpp"
#include "api/e2b/new_sandbox.hpp"
#include "api/request_reading.hpp"
#include "net/problem.hpp"
#include "schema/validation.hpp"

#include <boost/json/array.hpp>

namespace atl::api::e2b {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::string_view kReadScope = "sessions:read";
constexpr std::string_view kWriteScope = "sessions:write";
constexpr std::int64_t kForksMax = 20;
constexpr std::string_view kIdempotencyHeader = "Idempotency-Key";

class SandboxRoutes {
public:
    explicit SandboxRoutes(ControlParts parts) : parts_(parts), sessions_(parts.sessions) {}

    asio::awaitable<void> create(net::Exchange& exchange) const {
        const auto body = co_await Body::read(exchange);
        const auto key = exchange.request().headers.get(kIdempotencyHeader);
        if (!key) {
            const auto record = co_await make(exchange, body);
            co_await answer(exchange, 201, record);
            co_return;
        }
        auto attempt = co_await creates_->begin(caller_of(exchange.request()).owner,
                                                std::string(*key), body.digest());
        core::SessionRecord record;
        if (attempt.made()) {
            record = co_await made_before(exchange, *attempt.made());
        } else {
            record = co_await make(exchange, body);
            attempt.made(record.id);
        }
        co_await answer(exchange, 201, record);
    }

    asio::awaitable<void> connect(net::Exchange& exchange) const {
        const auto body = co_await Body::read(exchange);
        const auto timeout = timeout_in(body);
        auto record = co_await sandbox_in(parts_, exchange);
        const bool paused = is_paused(record);
        if (paused) {
            record = co_await resume(sessions_, whose(exchange), record.id, timeout);
        } else {
            record = co_await extend(sessions_, whose(exchange), record.id, timeout);
        }
        record = co_await with_good_key(parts_, std::move(record), exchange);
        co_await answer(exchange, paused ? 201 : 200, record);
    }

    asio::awaitable<void> list(net::Exchange& exchange) const {
        auto wanted = listing_in(exchange.request().target);
        auto page = co_await list_sandboxes(sessions_, whose(exchange), std::move(wanted));
        auto response = listed(page);
        if (!page.next_token.empty()) response.headers.set("X-Next-Token", page.next_token);
        co_await exchange.respond(std::move(response));
    }
    // As it was before there were pages and pauses.
    asio::awaitable<void> list_running(net::Exchange& exchange) const {
        auto wanted = listing_in(exchange.request().target);
        wanted.paused = false;
        wanted.limit = kScannedMax;
        auto page = co_await list_sandboxes(sessions_, whose(exchange), std::move(wanted));
        auto response = listed(page);
        co_await exchange.respond(std::move(response));
    }

    asio::awaitable<void> get(net::Exchange& exchange) const {
        const auto record = co_await sandbox_in(parts_, exchange);
        const auto tokens = tokens_for(parts_, record, exchange.request());
        co_await exchange.respond(json_text(200, detail_view(record, tokens)));
    }

    asio::awaitable<void> remove(net::Exchange& exchange) const {
        const auto record = co_await sandbox_in(parts_, exchange);
        co_await sessions_.remove(whose(exchange), record.id);
        co_await exchange.respond(net::Response::empty());
    }

    // From now on, also shorter than it was.
    asio::awaitable<void> set_timeout(net::Exchange& exchange) const {
        const auto body = co_await Body::read(exchange);
        const auto timeout = timeout_in(body, "timeout", 0);
        const auto record = co_await sandbox_in(parts_, exchange);
        if (is_paused(record)) throw no_such_sandbox(exchange.request().parameter("id"));
        if (timeout.count() == 0) {
            co_await end(exchange, record);
        } else {
            const auto from_now = [timeout](sessions::Standing&, const core::SessionRecord&,
                                            core::SessionPatch& patch) {
                patch.expires_at.emplace(core::time_now() + timeout);
            };
            co_await sessions_.arrange(whose(exchange), record.id, from_now);
        }
        co_await exchange.respond(net::Response::empty());
    }

    asio::awaitable<void> refresh(net::Exchange& exchange) const {
        const auto body = co_await Body::read(exchange);
        const auto duration = timeout_in(body, "duration", 0);
        const auto record = co_await sandbox_in(parts_, exchange);
        if (is_paused(record)) throw no_such_sandbox(exchange.request().parameter("id"));
        co_await extend(sessions_, whose(exchange), record.id, duration);
        co_await exchange.respond(net::Response::empty());
    }

    asio::awaitable<void> pause(net::Exchange& exchange) const {
        const auto body = co_await Body::read(exchange);
        const bool memory = body.flag("memory").value_or(true);
        const auto record = co_await sandbox_in(parts_, exchange);
        using Hold = sessions::Sessions::Hold;
        co_await sessions_.hold(whose(exchange), record.id, memory ? Hold::Frozen : Hold::OnDisk);
        co_await exchange.respond(net::Response::empty());
    }

    asio::awaitable<void> fork(net::Exchange& exchange) const {
        const auto body = co_await Body::read(exchange);
        const auto timeout = timeout_in(body);
        const auto count = body.number("count", 1, kForksMax).value_or(1);
        const auto record = co_await sandbox_in(parts_, exchange);
        auto standing = sessions::standing_in(record.spec_json);
        standing.held = false;
        auto marks = marks_in(standing);
        marks.key_id = caller_of(exchange.request()).key_id;
        note(marks, standing);
        sessions::Sessions::Copies copies{static_cast<std::size_t>(count)};
        copies.standing = std::move(standing);
        copies.expires_at.emplace(core::time_now() + timeout);
        copies.while_in_use = true;
        copies.says_from_where = false;
        const auto made = co_await sessions_.fork(whose(exchange), record.id, std::move(copies));
        json::array answer;
        for (const auto& one : made) {
            auto result = co_await woken(exchange, one);
            answer.push_back(std::move(result));
        }
        co_await exchange.respond(json_text(201, answer));
    }

    asio::awaitable<void> set_network(net::Exchange& exchange) const {
        const auto body = co_await Body::read(exchange);
        const auto record = co_await sandbox_in(parts_, exchange);
        check_network(body);
        if (body.flag("allow_internet_access").value_or(false)) {
            throw ErrorException({Code::InvalidArgument,
                                  "allow_internet_access: sandboxes of this server have no network "
                                  "but loopback"});
        }
        const auto open = body.flag("allowPublicTraffic");
        const auto mask = host_mask_in(body);
        if (open || mask) {
            const auto change = [open, mask](sessions::Standing& standing,
                                             const core::SessionRecord&, core::SessionPatch&) {
                auto marks = marks_in(standing);
                if (open) marks.private_ports = !*open;
                if (mask) marks.host_mask = *mask;
                note(marks, standing);
            };
            co_await sessions_.arrange(whose(exchange), record.id, change);
        }
        co_await exchange.respond(net::Response::empty());
    }

private:
    static net::Response listed(ListPage& page) {
        json::array answer;
        for (auto& view : page.views) answer.emplace_back(std::move(view));
        return json_text(200, answer);
    }

    asio::awaitable<core::SessionRecord> make(net::Exchange& exchange, const Body& body) const {
        const auto wanted = new_sandbox_in(body);
        sessions::Standing standing;
        standing.held_at_end = wanted.auto_pause;
        Marks marks;
        marks.template_id = wanted.template_id;
        marks.key_id = caller_of(exchange.request()).key_id;
        marks.auto_resume = wanted.auto_resume;
        marks.private_ports = wanted.private_ports;
        marks.host_mask = wanted.host_mask;
        note(marks, standing);
        const auto snapshot = co_await snapshot_named(exchange, wanted.template_id);
        core::SessionRecord record;
        if (snapshot) {
            record = co_await from_snapshot(exchange, wanted, standing, *snapshot);
        } else {
            record = co_await from_template(exchange, wanted, standing);
        }
        note_object(exchange, record.id.text());
        co_return record;
    }

    // For a create that was sent again.
    asio::awaitable<core::SessionRecord> made_before(net::Exchange& exchange, SessionId id) const {
        std::optional<core::SessionRecord> found;
        try {
            found = co_await sessions_.get(whose(exchange), id);
        } catch (const ErrorException& error) {
            if (error.error.code != Code::NotFound) throw;
        }
        if (!found || is_over(*found)) {
            throw ErrorException({Code::Conflict,
                                  "the sandbox that was made with this Idempotency-Key has ended; "
                                  "use a new one"});
        }
        co_return std::move(*found);
    }

    asio::awaitable<void> answer(net::Exchange& exchange, int status,
                                 const core::SessionRecord& record) const {
        const auto tokens = tokens_for(parts_, record, exchange.request());
        co_await exchange.respond(json_text(status, sandbox_view(record, tokens)));
    }

    asio::awaitable<std::optional<core::SessionRecord>> snapshot_named(
        net::Exchange& exchange, std::string template_id) const {
        if (own_template(template_id) == "default") co_return std::nullopt;
        if (const auto id = session_id_of(template_id)) {
            try {
                auto record = co_await sessions_.get(whose(exchange), *id);
                if (is_snapshot(record)) co_return record;
            } catch (const ErrorException& error) {
                if (error.error.code != Code::NotFound) throw;
            }
            throw net::Problem(Code::NotFound,
                               "there is no snapshot " + schema::quoted(template_id, 64));
        }
        Listing newest;
        newest.limit = 1;
        const auto page =
            co_await list_snapshots(sessions_, whose(exchange), newest, {}, template_id);
        if (page.views.empty()) co_return std::nullopt;
        const auto id = session_id_of(page.views.front().at("snapshotID").as_string());
        co_return co_await sessions_.get(whose(exchange), id.value());
    }

    asio::awaitable<core::SessionRecord> from_template(net::Exchange& exchange, NewSandbox wanted,
                                                       sessions::Standing standing) const {
        sessions::NewSession session;
        session.owner = caller_of(exchange.request()).owner;
        session.metadata = wanted.metadata;
        session.template_name = own_template(wanted.template_id);
        session.limits = sessions_.options().limits;
        session.environment = wanted.environment;
        // It runs until its deadline, used or not, and programs in it go on.
        session.idle_to_warm = session.idle_to_cold = std::chrono::seconds(0);
        session.lifetime = wanted.timeout;
        session.standing = std::move(standing);
        std::optional<Error> failed;
        try {
            co_return co_await sessions_.create(std::move(session));
        } catch (const ErrorException& error) { failed = error.error; }
        if (failed->code != Code::NotFound) throw ErrorException(*failed);
        throw net::Problem(Code::NotFound,
                           "there is no template " + schema::quoted(wanted.template_id, 64) +
                               "; this server has base, code-interpreter-v1, and what `atoll "
                               "template list` shows");
    }

    asio::awaitable<core::SessionRecord> from_snapshot(net::Exchange& exchange, NewSandbox wanted,
                                                       sessions::Standing standing,
                                                       core::SessionRecord snapshot) const {
        sessions::Sessions::Copies copies;
        copies.metadata = wanted.metadata;
        copies.standing = std::move(standing);
        copies.expires_at.emplace(core::time_now() + wanted.timeout);
        copies.environment = wanted.environment;
        copies.while_in_use = true;
        copies.says_from_where = false;
        const auto made = co_await sessions_.fork(whose(exchange), snapshot.id, std::move(copies));
        const auto id = made.front().id;
        std::optional<Error> failed;
        try {
            const auto use = co_await sessions_.use(whose(exchange), id);
            co_return use->record();
        } catch (const ErrorException& error) { failed = error.error; }
        co_await give_up(exchange, id);
        throw ErrorException(*failed);
    }

    // A copy that does not wake: nobody has heard of it.
    asio::awaitable<void> give_up(net::Exchange& exchange, SessionId copy) const {
        try {
            co_await sessions_.remove(whose(exchange), copy);
        } catch (const ErrorException&) {
            // It has a deadline.
        }
    }

    // A copy is there, or it says why it is not, by itself.
    asio::awaitable<json::value> woken(net::Exchange& exchange, core::SessionRecord copy) const {
        std::optional<Error> failed;
        try {
            const auto use = co_await sessions_.use(whose(exchange), copy.id);
            const auto tokens = tokens_for(parts_, use->record(), exchange.request());
            co_return json::object{{"sandbox", sandbox_view(use->record(), tokens)}};
        } catch (const ErrorException& error) { failed = error.error; }
        co_await give_up(exchange, copy.id);
        co_return json::object{
            {"error", {{"code", net::status_of(failed->code)}, {"message", failed->message}}}};
    }

    asio::awaitable<void> end(net::Exchange& exchange, core::SessionRecord record) const {
        if (sessions::standing_in(record.spec_json).held_at_end) {
            co_await sessions_.hold(whose(exchange), record.id, sessions::Sessions::Hold::Frozen);
        } else {
            co_await sessions_.remove(whose(exchange), record.id);
        }
    }

    ControlParts parts_;
    sessions::Sessions& sessions_;
    std::shared_ptr<IdempotentCreates> creates_ = std::make_shared<IdempotentCreates>();
};

}  // namespace

void add_sandbox_routes(Api& api, ControlParts parts) {
    const SandboxRoutes routes(parts);
    using Handle = asio::awaitable<void> (SandboxRoutes::*)(net::Exchange&) const;
    const auto add = [&](std::string_view method, std::string_view pattern, std::string_view id,
                         Handle handle) {
        const auto scope = method == "GET" ? kReadScope : kWriteScope;
        api.add(unlisted(method, pattern, id, scope),
                [routes, handle](net::Exchange& exchange) { return (routes.*handle)(exchange); });
    };
    add("POST", "/v2/sandboxes", "create_sandbox", &SandboxRoutes::create);
    add("POST", "/sandboxes", "create_sandbox", &SandboxRoutes::create);
    add("GET", "/v2/sandboxes", "list_sandboxes", &SandboxRoutes::list);
    add("GET", "/sandboxes", "list_sandboxes", &SandboxRoutes::list_running);
    add("POST", "/v2/sandboxes/{id}/connect", "connect_sandbox", &SandboxRoutes::connect);
    add("POST", "/sandboxes/{id}/connect", "connect_sandbox", &SandboxRoutes::connect);
    add("POST", "/sandboxes/{id}/resume", "connect_sandbox", &SandboxRoutes::connect);
    add("GET", "/sandboxes/{id}", "get_sandbox", &SandboxRoutes::get);
    add("DELETE", "/sandboxes/{id}", "delete_sandbox", &SandboxRoutes::remove);
    add("POST", "/sandboxes/{id}/timeout", "set_sandbox_timeout", &SandboxRoutes::set_timeout);
    add("POST", "/sandboxes/{id}/refreshes", "refresh_sandbox", &SandboxRoutes::refresh);
    add("POST", "/sandboxes/{id}/pause", "pause_sandbox", &SandboxRoutes::pause);
    add("POST", "/sandboxes/{id}/fork", "fork_sandbox", &SandboxRoutes::fork);
    add("PUT", "/sandboxes/{id}/network", "set_sandbox_network", &SandboxRoutes::set_network);
}

void add_control_routes(Api& api, ControlParts parts) {
    add_sandbox_routes(api, parts);
    add_snapshot_routes(api, parts);
    add_metric_routes(api, parts);
    add_template_routes(api, parts);
}

}  // namespace atl::api::e2b
