// Changes of files as events, until the client leaves.
#include "api/file_paths.hpp"
#include "api/file_routes.hpp"
#include "api/session_types.hpp"
#include "guest_client/files.hpp"

namespace atl::api {

namespace asio = boost::asio;

namespace {

asio::awaitable<void> watch(sessions::Sessions& sessions, net::Exchange& exchange) {
    const auto asked = schema::from_parameters<WatchQuery>(exchange.request().target.query);
    const auto path = path_from(asked.path, "path");
    const auto use = co_await sessions.use(whose(exchange), session_in(exchange));
    const guest_client::Files files(use.link());
    const auto changes = files.watch(path, asked.recursive);
    // The first word says that it watches; without it there is a reason why not.
    auto piece = co_await changes->next();
    if (!piece) co_await changes->end();
    auto stream = co_await exchange.begin_events();
    const auto gone = exchange.on_gone([&changes] {
        changes->stop({Code::Unavailable, "the client has gone"});
    });
    const auto stopping = exchange.on_stopping([&changes] {
        changes->stop({Code::Unavailable, "the server stops"});
    });
    net::EventStream::Event watching;
    watching.event = "watching";
    watching.data = schema::to_json(WatchNote{"changes below " + path_text(path)});
    co_await stream.send(std::move(watching));
    for (bool more = true; more;) {
        piece = co_await changes->next();
        more = piece.has_value();
        if (!more) break;
        net::EventStream::Event event;
        if (const auto change = guest_client::Files::change_in(*piece)) {
            event.event = "change";
            event.data = schema::to_json(
                ChangeView{change->what, path_text(change->path), change->directory});
        } else {
            event.event = "overflow";
            event.data = schema::to_json(WatchNote{"changes were missed: list again"});
        }
        co_await stream.send(std::move(event));
    }
    if (!stream.client_gone()) co_await stream.end();
}

}  // namespace

void add_watch_routes(Api& api, sessions::Sessions& sessions) {
    api.add(
        {.method = "GET",
         .pattern = "/v1/sessions/{id}/watch",
         .id = "watch_files",
         .tag = kFilesTag,
         .summary = "Watch a folder",
         .description = "Events while files change, until the client leaves or the session ends. "
                        "A session that is watched stays awake.",
         .path = schema::described<SessionPath>(),
         .query = schema::described<WatchQuery>(),
         .answers = {schema::event_answer(
             "What changes, as it changes.",
             {schema::event<WatchNote>("watching", "The first: from here on nothing is missed."),
              schema::event<ChangeView>("change", "A change."),
              schema::event<WatchNote>("overflow", "Too much changed at once.")})}},
        [&sessions](net::Exchange& exchange) { return watch(sessions, exchange); });
}

}  // namespace atl::api
