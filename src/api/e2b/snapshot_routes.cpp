// /snapshots: a snapshot is a session that sandboxes are made from: files and variables as they
// were, asleep on disk, without an end.
#include "api/e2b/control.hpp"
#include "api/e2b/listing.hpp"
#include "api/e2b/marks.hpp"
#include "api/e2b/sandbox_id.hpp"
#include "api/request_reading.hpp"
#include "net/problem.hpp"
#include "schema/validation.hpp"

#include <boost/json/array.hpp>

namespace atl::api::e2b {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kSnapshotNameBytesMax = 128;

asio::awaitable<void> take_snapshot(ControlParts parts, net::Exchange& exchange) {
    const auto body = co_await Body::read(exchange);
    const auto name = body.text("name", kSnapshotNameBytesMax).value_or("");
    const auto record = co_await sandbox_in(parts, exchange);
    auto marks = marks_of(record);
    marks.snapshot_of = record.id.text();
    marks.snapshot_name = name;
    sessions::Standing standing;
    note(marks, standing);
    sessions::Sessions::Copies copies;
    copies.metadata.emplace();
    copies.standing = std::move(standing);
    copies.expires_at.emplace(std::nullopt);
    copies.while_in_use = true;
    const auto made = co_await parts.sessions.fork(whose(exchange), record.id, std::move(copies));
    note_object(exchange, made.front().id.text());
    co_await exchange.respond(json_text(201, snapshot_view(made.front())));
}

asio::awaitable<void> send_snapshots(ControlParts parts, net::Exchange& exchange) {
    const auto& target = exchange.request().target;
    auto wanted = listing_in(target);
    std::string of;
    if (const auto sandbox = target.parameter("sandboxID")) {
        // Of one that cannot be there are none.
        const auto id = session_id_of(*sandbox);
        of = id ? id->text() : std::string(*sandbox);
    }
    const std::string name(target.parameter("name").value_or(""));
    auto page =
        co_await list_snapshots(parts.sessions, whose(exchange), std::move(wanted), of, name);
    json::array answer;
    for (auto& view : page.views) answer.emplace_back(std::move(view));
    auto response = json_text(200, answer);
    if (!page.next_token.empty()) response.headers.set("X-Next-Token", page.next_token);
    co_await exchange.respond(std::move(response));
}

// To this API a snapshot is a template, and no other template goes this way.
asio::awaitable<void> remove_snapshot(ControlParts parts, net::Exchange& exchange) {
    const std::string name = exchange.request().parameter("id");
    std::optional<core::SessionRecord> found;
    if (const auto id = session_id_of(name)) {
        try {
            found = co_await parts.sessions.get(whose(exchange), *id);
        } catch (const ErrorException& error) {
            if (error.error.code != Code::NotFound) throw;
        }
    }
    if (!found || !is_snapshot(*found)) {
        throw net::Problem(Code::NotFound, "there is no snapshot " + schema::quoted(name, 64));
    }
    co_await parts.sessions.remove(whose(exchange), found->id);
    co_await exchange.respond(net::Response::empty());
}

}  // namespace

void add_snapshot_routes(Api& api, ControlParts parts) {
    const auto add = [&](schema::Route route,
                         asio::awaitable<void> (*handle)(ControlParts, net::Exchange&)) {
        api.add(std::move(route),
                [parts, handle](net::Exchange& exchange) { return handle(parts, exchange); });
    };
    add(unlisted("POST", "/sandboxes/{id}/snapshots", "create_snapshot", "sessions:write"),
        take_snapshot);
    add(unlisted("GET", "/snapshots", "list_snapshots", "sessions:read"), send_snapshots);
    add(unlisted("DELETE", "/templates/{id}", "delete_snapshot", "sessions:write"),
        remove_snapshot);
}

}  // namespace atl::api::e2b
