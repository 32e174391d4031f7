#pragma once
// Files in a multipart form, each as a source of bytes while the form comes in.
#include "net/exchange.hpp"
#include "net/multipart.hpp"
#include "sessions/disk.hpp"

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <span>
#include <string_view>

namespace atl::api {

// Reads the form up to its next step that is not a matter of more bytes.
boost::asio::awaitable<net::MultipartParser::Step> next_form_step(net::Exchange& exchange,
                                                                  net::MultipartParser& parser);

// The bytes of the part that the parser has just found. Throws TooLarge when it has more than
// `bytes_max`, or than its disk has room for. All that it is given must outlive it.
class PartSource {
public:
    PartSource(net::Exchange& exchange, net::MultipartParser& parser, std::uint64_t bytes_max,
               sessions::DiskRoom& disk)
        : exchange_(exchange), parser_(parser), bytes_max_(bytes_max), disk_(disk) {}

    // 0 at the end of the part.
    boost::asio::awaitable<std::size_t> read(std::span<char> room);

private:
    net::Exchange& exchange_;
    net::MultipartParser& parser_;
    std::uint64_t bytes_max_;
    sessions::DiskRoom& disk_;
    std::uint64_t bytes_ = 0;
    std::string_view rest_;  // of the parser's buffer, until its next step
    bool ended_ = false;
};

}  // namespace atl::api
