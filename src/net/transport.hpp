#pragma once
// Inside net: the bytes of one connection, plain or TLS. Each call does what it can at once and
// says what it waits for; who calls does the waiting.
//
// OpenSSL is used directly, not through asio::ssl: that keeps 34 KB of buffers for every
// connection, and hides the descriptor that readiness is awaited on.
// No call here can raise SIGPIPE, and the process' own disposition of it is left alone: programs
// that the server starts would inherit it.
#include "base/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <sys/uio.h>

struct ssl_ctx_st;
struct ssl_st;

namespace atl::net {

// Certificate and key, ready for use.
using TlsContext = std::shared_ptr<ssl_ctx_st>;
[[nodiscard]] Result<TlsContext> make_tls_context(const std::string& certificate_file,
                                                  const std::string& key_file);

class Transport {
public:
    enum class State { Done, WantRead, WantWrite, End, Failed };
    struct Io {
        State state = State::Failed;
        std::size_t bytes = 0;
    };
    using Waited = boost::asio::awaitable<std::tuple<boost::system::error_code>>;

    Transport(boost::asio::posix::stream_descriptor socket, TlsContext tls);
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    ~Transport();

    [[nodiscard]] Io try_handshake();
    [[nodiscard]] Io try_read(char* into, std::size_t bytes_max);
    [[nodiscard]] Io try_write(const iovec* pieces, int count);
    // Straight from a file; plain connections only.
    [[nodiscard]] Io try_send_file(int fd, std::uint64_t offset, std::uint64_t bytes_max);

    [[nodiscard]] Waited wait_for(State state);
    auto& descriptor() noexcept { return descriptor_; }

    void cancel_waits() noexcept;
    void shutdown_write() noexcept;
    void shutdown_both() noexcept;  // wakes whoever waits; the descriptor stays ours
    void close() noexcept;
    [[nodiscard]] bool encrypted() const noexcept { return tls_ != nullptr; }
    [[nodiscard]] int native() { return descriptor_.native_handle(); }

private:
    Io tls_result(int returned);

    boost::asio::posix::stream_descriptor descriptor_;
    TlsContext context_;
    ssl_st* tls_ = nullptr;
    int socket_ = -1;  // for OpenSSL's callbacks
};

}  // namespace atl::net
