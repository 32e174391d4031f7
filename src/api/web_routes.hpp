#pragma once
// The web interface at `/` and `/ui`: sends the files of api/web_pages with the page's policy. In a
// build without them it leads to the documentation.
#include "net/router.hpp"

#include <string>

namespace atl::api {

// Ports below `ports_domain` may be shown in frames of the page (port_host.hpp).
[[nodiscard]] boost::asio::awaitable<void> send_web_page(net::Exchange& exchange,
                                                         std::string ports_domain);
// The file that the parameter `path` names, or the page for the address of a view.
[[nodiscard]] boost::asio::awaitable<void> send_web_file(net::Exchange& exchange,
                                                         std::string ports_domain);

}  // namespace atl::api
