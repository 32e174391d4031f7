#pragma once
// The web interface at `/` and `/ui`: sends the files of api/web_pages with the page's policy. In a
// build without them it leads to the documentation.
#include "net/router.hpp"

namespace atl::api {

[[nodiscard]] boost::asio::awaitable<void> send_web_page(net::Exchange& exchange);
// The file that the parameter `path` names, or the page for the address of a view.
[[nodiscard]] boost::asio::awaitable<void> send_web_file(net::Exchange& exchange);

}  // namespace atl::api
