#pragma once
// Lists of sandboxes and snapshots: filters, order and pages. The store knows the newest first and
// metadata alone, so an owner's sessions are read whole, up to kScannedMax, and cut here. What is
// asked of each, and its view, is in its spec, whose variables may have 192 KiB: so they are looked
// at on a worker, page by page, and nothing but their views is kept.
#include "net/target.hpp"
#include "sessions/sessions.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace atl::api::e2b {

// More than this many sessions of an owner are not looked at: the oldest are left out.
inline constexpr std::size_t kScannedMax = 20'000;

struct Listing {
    std::map<std::string, std::string> metadata;
    bool running = true, paused = true;
    bool oldest_first = false;
    std::optional<core::Time> started_from;
    std::string template_id;
    std::size_t limit = 100;
    std::string token;  // of the page before
};
// Throws ErrorException for what makes no sense.
[[nodiscard]] Listing listing_in(const net::Target& target);

struct ListPage {
    std::vector<boost::json::object> views;  // views.hpp
    std::string next_token;                  // empty: that was the last one
};
boost::asio::awaitable<ListPage> list_sandboxes(sessions::Sessions& sessions, core::Whose whose,
                                                Listing wanted);
// `of`: the sandbox's session that they were taken of; empty: all. `name`: exactly.
boost::asio::awaitable<ListPage> list_snapshots(sessions::Sessions& sessions, core::Whose whose,
                                                Listing wanted, std::string of, std::string name);

}  // namespace atl::api::e2b
