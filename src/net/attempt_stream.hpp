#pragma once
// Inside net: what Beast wants of a stream, made of a Link's attempts and waits.
//
// A Link is a pointer-like value with
//     executor(), descriptor()            where to wait: a posix::stream_descriptor
//     try_read(char*, size) -> Io         each does what it can at once (Transport::Io)
//     try_write(const iovec*, count) -> Io
//     said_goodbye()                      the closing handshake is over
//     drop()                              Beast's own time limit has passed
// Owns      nothing. Threads: the executor's.
// On failure the operation ends with eof or connection_reset; the Link knows more.
#include "net/transport.hpp"

#include <boost/asio/compose.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/role.hpp>
#include <utility>

namespace atl::net {

template <class Link>
class AttemptStream {
    using error_code = boost::system::error_code;

public:
    using executor_type = boost::asio::any_io_executor;
    explicit AttemptStream(Link link) : link_(link) {}
    [[nodiscard]] executor_type get_executor() const { return link_.executor(); }
    [[nodiscard]] const Link& link() const noexcept { return link_; }

    template <class Buffers, class Token>
    auto async_read_some(const Buffers& buffers, Token&& token) {
        boost::asio::mutable_buffer into;
        for (const auto piece : boost::beast::buffers_range_ref(buffers)) {
            if (into.size() == 0) into = piece;
        }
        return boost::asio::async_compose<Token, void(error_code, std::size_t)>(
            ReadOperation{link_, into}, token, get_executor());
    }

    template <class Buffers, class Token>
    auto async_write_some(const Buffers& buffers, Token&& token) {
        WriteOperation operation{link_};
        for (const boost::asio::const_buffer piece : boost::beast::buffers_range_ref(buffers)) {
            if (operation.count == kPiecesMax) break;
            if (piece.size() == 0) continue;
            operation.pieces[operation.count++] = {const_cast<void*>(piece.data()), piece.size()};
        }
        return boost::asio::async_compose<Token, void(error_code, std::size_t)>(operation, token,
                                                                                get_executor());
    }

private:
    static constexpr int kPiecesMax = 16;

    // Both: try; if the kernel is not ready, wait and try again. What is done at the first attempt
    // is told through the loop, because Beast may not be called back from within its own call.
    struct Operation {
        Link link;
        Transport::Io io{Transport::State::WantRead, 0};
        bool waited = false;
        bool posted = false;

        template <class Self, class Attempt>
        void run(Self& self, error_code failed, const Attempt& attempt) {
            if (failed) return self.complete(failed, 0);
            if (!posted) {
                io = attempt();
                if (io.state == Transport::State::WantRead ||
                    io.state == Transport::State::WantWrite) {
                    waited = true;
                    link.descriptor().async_wait(
                        io.state == Transport::State::WantWrite
                            ? boost::asio::posix::stream_descriptor::wait_write
                            : boost::asio::posix::stream_descriptor::wait_read,
                        std::move(self));
                    return;
                }
                if (!waited) {
                    posted = true;
                    boost::asio::post(link.executor(), std::move(self));
                    return;
                }
            }
            if (io.state == Transport::State::Done) return self.complete({}, io.bytes);
            self.complete(io.state == Transport::State::End
                              ? error_code(boost::asio::error::eof)
                              : error_code(boost::asio::error::connection_reset),
                          0);
        }
    };

    struct ReadOperation : Operation {
        boost::asio::mutable_buffer into;
        ReadOperation(Link on, boost::asio::mutable_buffer buffer) : Operation{on}, into(buffer) {}
        template <class Self>
        void operator()(Self& self, error_code failed = {}) {
            this->run(self, failed, [this] {
                return this->link.try_read(static_cast<char*>(into.data()), into.size());
            });
        }
    };

    struct WriteOperation : Operation {
        iovec pieces[kPiecesMax] = {};
        int count = 0;
        explicit WriteOperation(Link on) : Operation{on} {}
        template <class Self>
        void operator()(Self& self, error_code failed = {}) {
            this->run(self, failed, [this] { return this->link.try_write(pieces, count); });
        }
    };

    Link link_;
};

// Beast finds these by name.
template <class Link, class TeardownHandler>
void async_teardown(boost::beast::role_type, AttemptStream<Link>& stream,
                    TeardownHandler&& handler) {
    stream.link().said_goodbye();
    boost::asio::post(stream.get_executor(),
                      boost::beast::bind_front_handler(std::forward<TeardownHandler>(handler),
                                                       boost::system::error_code{}));
}

template <class Link>
void beast_close_socket(AttemptStream<Link>& stream) {
    stream.link().drop();
}

}  // namespace atl::net
