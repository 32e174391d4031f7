#include "api/e2b/listing.hpp"

#include "api/e2b/marks.hpp"
#include "api/e2b/sandbox_id.hpp"
#include "api/e2b/views.hpp"
#include "api/time_text.hpp"
#include "base/workers.hpp"
#include "schema/validation.hpp"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <charconv>

namespace atl::api::e2b {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::uint32_t kScanPage = 500;
constexpr std::size_t kPageMax = 1000;

[[noreturn]] void refuse_list(const std::string& sentence) {
    throw ErrorException({Code::InvalidArgument, sentence});
}

// Where a record stands in the list: no two stand at one place.
using Place = std::pair<std::int64_t, std::string>;
Place place_of(const core::SessionRecord& record) {
    return {record.created_at.time_since_epoch().count(), record.id.text()};
}

std::string token_of(const Place& place) {
    return std::to_string(place.first) + "." + place.second;
}

Place place_in(const std::string& token) {
    Place place;
    const auto dot = token.find('.');
    const char* end = token.data() + std::min(dot, token.size());
    const auto read = std::from_chars(token.data(), end, place.first);
    if (dot == std::string::npos || read.ec != std::errc() || read.ptr != end) {
        refuse_list("nextToken: this is no token of a page");
    }
    place.second = token.substr(dot + 1);
    return place;
}

// Both SDKs quote names and values before they write them as a form, which becomes a value of the
// query: so what the query holds is decoded once more, and then again.
std::map<std::string, std::string> metadata_in_form(std::string_view form) {
    std::map<std::string, std::string> metadata;
    while (!form.empty()) {
        const auto end = std::min(form.find('&'), form.size());
        const auto pair = form.substr(0, end);
        form.remove_prefix(std::min(end + 1, form.size()));
        if (pair.empty()) continue;
        const auto equals = std::min(pair.find('='), pair.size());
        const auto value = pair.substr(std::min(equals + 1, pair.size()));
        const auto text = [](std::string_view part) {
            const auto once = net::percent_decoded(part, net::Plus::Space).value();
            return net::percent_decoded(once).value();
        };
        metadata[text(pair.substr(0, equals))] = text(value);
    }
    return metadata;
}

// "2026-03-01T12:30:00.250123+00:00": to the millisecond, in UTC.
core::Time started_in(std::string text) {
    if (const auto zone = text.find("+00:00"); zone != std::string::npos) {
        text.replace(zone, std::string::npos, "Z");
    }
    // A form has spaces for plus signs that were not escaped.
    if (const auto zone = text.find(" 00:00"); zone != std::string::npos) {
        text.replace(zone, std::string::npos, "Z");
    }
    std::chrono::minutes shift{0};
    const auto sign = text.find_last_of("+-");
    if (sign != std::string::npos && sign + 6 == text.size() && sign > text.find('T')) {
        int hours = 0, minutes = 0;
        std::from_chars(text.data() + sign + 1, text.data() + sign + 3, hours);
        std::from_chars(text.data() + sign + 4, text.data() + sign + 6, minutes);
        shift = std::chrono::minutes(hours * 60 + minutes) * (text[sign] == '-' ? -1 : 1);
        text.replace(sign, std::string::npos, "Z");
    }
    const auto time = time_from(text);
    if (!time) refuse_list("startedAfter: write a time as 2026-03-01T12:30:00Z");
    return *time - shift;
}

template <class Fits>
asio::awaitable<ListPage> list(sessions::Sessions& sessions, core::Whose whose, Listing wanted,
                               Fits fits, json::object (*view_of)(const core::SessionRecord&)) {
    struct Found {
        Place place;
        json::object view;
    };
    std::vector<Found> all;
    core::SessionQuery query{std::move(whose), {}, wanted.metadata, {}, kScanPage};
    const auto executor = co_await asio::this_coro::executor;
    std::size_t scanned = 0;
    do {
        const auto page = co_await sessions.list(query);
        scanned += page.sessions.size();
        const auto pick = [&] {
            for (const auto& record : page.sessions) {
                const bool there = record.state != core::SessionState::Deleting;
                if (!there || !sandbox_id_of(record.id) || !fits(record)) continue;
                all.push_back({place_of(record), view_of(record)});
            }
            return true;
        };
        co_await workers_of(executor).run(pick);
        query.cursor = page.next_cursor;
    } while (!query.cursor.empty() && scanned < kScannedMax);

    const bool up = wanted.oldest_first;
    const auto before = [up](const Place& a, const Place& b) { return up ? a < b : b < a; };
    std::sort(all.begin(), all.end(),
              [&](const Found& a, const Found& b) { return before(a.place, b.place); });
    auto first = all.begin();
    if (!wanted.token.empty()) {
        const auto last = place_in(wanted.token);
        first = std::find_if(all.begin(), all.end(),
                             [&](const Found& one) { return before(last, one.place); });
    }
    ListPage page;
    for (; first != all.end() && page.views.size() < wanted.limit; ++first) {
        page.views.push_back(std::move(first->view));
    }
    if (first != all.end()) page.next_token = token_of(std::prev(first)->place);
    co_return page;
}

}  // namespace

Listing listing_in(const net::Target& target) {
    Listing wanted;
    if (const auto form = target.parameter("metadata")) wanted.metadata = metadata_in_form(*form);
    const auto states = target.parameters("state");
    if (!states.empty()) {
        wanted.running = wanted.paused = false;
        for (std::string_view list : states) {
            while (!list.empty()) {
                const auto end = std::min(list.find(','), list.size());
                const auto state = list.substr(0, end);
                list.remove_prefix(std::min(end + 1, list.size()));
                if (state != "running" && state != "paused") {
                    refuse_list("state: there is no state " + schema::quoted(state) +
                                "; there are running and paused");
                }
                (state == "running" ? wanted.running : wanted.paused) = true;
            }
        }
    }
    if (const auto order = target.parameter("order")) {
        if (*order != "asc" && *order != "desc") refuse_list("order: must be asc or desc");
        wanted.oldest_first = *order == "asc";
    }
    if (const auto from = target.parameter("startedAfter")) {
        wanted.started_from = started_in(std::string(*from));
    }
    wanted.template_id = target.parameter("template").value_or("");
    if (const auto limit = target.parameter("limit")) {
        const char* end = limit->data() + limit->size();
        const auto read = std::from_chars(limit->data(), end, wanted.limit);
        const bool good = read.ec == std::errc() && read.ptr == end && wanted.limit >= 1;
        if (!good || wanted.limit > kPageMax) {
            refuse_list("limit: must be from 1 to " + std::to_string(kPageMax));
        }
    }
    wanted.token = target.parameter("nextToken").value_or("");
    return wanted;
}

asio::awaitable<ListPage> list_sandboxes(sessions::Sessions& sessions, core::Whose whose,
                                         Listing wanted) {
    const auto fits = [wanted](const core::SessionRecord& record) {
        if (is_snapshot(record) || is_over(record)) return false;
        if (!(is_paused(record) ? wanted.paused : wanted.running)) return false;
        if (wanted.started_from && record.created_at < *wanted.started_from) return false;
        return wanted.template_id.empty() || template_of(record) == wanted.template_id;
    };
    co_return co_await list(sessions, std::move(whose), wanted, fits, listed_view);
}

asio::awaitable<ListPage> list_snapshots(sessions::Sessions& sessions, core::Whose whose,
                                         Listing wanted, std::string of, std::string name) {
    const auto fits = [of, name](const core::SessionRecord& record) {
        const auto marks = marks_of(record);
        if (marks.snapshot_of.empty()) return false;
        if (!of.empty() && marks.snapshot_of != of) return false;
        return name.empty() || marks.snapshot_name == name;
    };
    co_return co_await list(sessions, std::move(whose), wanted, fits, snapshot_view);
}

}  // namespace atl::api::e2b
