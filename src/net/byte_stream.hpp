#pragma once
// A duplex stream of bytes: to a web server inside a sandbox, or the raw connection of a client
// after an upgrade. Whoever proxies needs no more than this.
//
// One reader and one writer at a time, on one thread. close() makes both end soon; it may be called
// at any time and any number of times. Failures are exceptions.
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <span>
#include <string_view>

namespace atl::net {

class ByteStream {
public:
    virtual ~ByteStream() = default;

    // At least one byte; 0 at the end of the stream. The buffer outlives the call.
    virtual boost::asio::awaitable<std::size_t> read_some(std::span<char> into) = 0;
    // The bytes outlive the call.
    virtual boost::asio::awaitable<void> write_all(std::string_view bytes) = 0;
    virtual void shutdown_write() = 0;  // the other side reads an end; ours stays readable
    virtual void close() = 0;
};

}  // namespace atl::net
