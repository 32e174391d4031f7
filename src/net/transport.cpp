#include "net/transport.hpp"
#include "base/as_tuple.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

namespace atl::net {

namespace {

constexpr std::size_t kSendFileBytesMax = 2u << 20;  // per loop iteration
constexpr int kTlsWriteBytesMax = 1 << 20;

// Holds back the SIGPIPE that sendfile raises and that no flag turns off, and eats it.
class HoldSigpipe {
public:
    HoldSigpipe() noexcept {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    HoldSigpipe(const HoldSigpipe&) = delete;
    HoldSigpipe& operator=(const HoldSigpipe&) = delete;
    ~HoldSigpipe() {
        if (raised_) {
            const timespec none{};
            while (sigtimedwait(&pipe_, nullptr, &none) < 0 && errno == EINTR) {}
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    void raised() noexcept { raised_ = true; }

private:
    sigset_t pipe_{};
    sigset_t before_{};
    bool raised_ = false;
};

// OpenSSL's own socket BIO writes with write(2), which can raise SIGPIPE.
int bio_write(BIO* bio, const char* data, int bytes) {
    const int fd = *static_cast<const int*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const auto sent =
        ::send(fd, data, static_cast<std::size_t>(bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
    return static_cast<int>(sent);
}

int bio_read(BIO* bio, char* into, int bytes) {
    const int fd = *static_cast<const int*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const auto got = ::recv(fd, into, static_cast<std::size_t>(bytes), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
    return static_cast<int>(got);
}

long bio_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* socket_method() {
    static BIO_METHOD* const kMethod = [] {
        BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "atoll socket");
        BIO_meth_set_write(made, bio_write);
        BIO_meth_set_read(made, bio_read);
        BIO_meth_set_ctrl(made, bio_control);
        return made;
    }();
    return kMethod;
}

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_bytes,
                    const unsigned char* offered, unsigned int offered_bytes, void*) {
    static constexpr unsigned char kOurs[] = "\x08http/1.1";
    unsigned char* out = nullptr;
    const int found =
        SSL_select_next_proto(&out, chosen_bytes, kOurs, sizeof kOurs - 1, offered, offered_bytes);
    *chosen = out;
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

std::string tls_reason() {
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    if (code == 0) return "unknown reason";
    // A file that is not there or cannot be read: the system's own words.
    if (ERR_SYSTEM_ERROR(code)) return std::strerror(ERR_GET_REASON(code));
    char text[256];
    ERR_error_string_n(code, text, sizeof text);
    return text;
}

}  // namespace

Result<TlsContext> make_tls_context(const std::string& certificate_file,
                                    const std::string& key_file) {
    TlsContext context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
    if (!context) return Error{Code::Internal, "prepare TLS: " + tls_reason()};
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                           SSL_OP_CIPHER_SERVER_PREFERENCE);
    // An idle connection gives its 34 KB of record buffers back.
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                        SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
    if (SSL_CTX_use_certificate_chain_file(context.get(), certificate_file.c_str()) != 1) {
        return Error{Code::InvalidArgument,
                     "read the certificate " + certificate_file + ": " + tls_reason()};
    }
    if (SSL_CTX_use_PrivateKey_file(context.get(), key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
        return Error{Code::InvalidArgument, "read the key " + key_file + ": " + tls_reason()};
    }
    if (SSL_CTX_check_private_key(context.get()) != 1) {
        return Error{Code::InvalidArgument,
                     "the key " + key_file + " does not belong to " + certificate_file};
    }
    return context;
}

Transport::Transport(boost::asio::posix::stream_descriptor socket, TlsContext tls)
    : descriptor_(std::move(socket)), context_(std::move(tls)) {
    if (!context_) return;
    tls_ = SSL_new(context_.get());
    BIO* bio = BIO_new(socket_method());
    if (tls_ == nullptr || bio == nullptr) throw std::bad_alloc();
    socket_ = native();
    BIO_set_data(bio, &socket_);
    BIO_set_init(bio, 1);
    SSL_set_bio(tls_, bio, bio);
    SSL_set_accept_state(tls_);
}

Transport::~Transport() {
    close();
    if (tls_ != nullptr) SSL_free(tls_);
}

Transport::Io Transport::tls_result(int returned) {
    switch (SSL_get_error(tls_, returned)) {
        case SSL_ERROR_WANT_READ: return {State::WantRead, 0};
        case SSL_ERROR_WANT_WRITE: return {State::WantWrite, 0};
        case SSL_ERROR_ZERO_RETURN: return {State::End, 0};
        default:
            ERR_clear_error();  // the queue belongs to the thread; the next call must find it empty
            return {State::Failed, 0};
    }
}

Transport::Io Transport::try_handshake() {
    if (tls_ == nullptr) return {State::Done, 0};
    const int done = SSL_do_handshake(tls_);
    return done == 1 ? Io{State::Done, 0} : tls_result(done);
}

Transport::Io Transport::try_read(char* into, std::size_t bytes_max) {
    if (!descriptor_.is_open()) return {State::Failed, 0};
    if (tls_ != nullptr) {
        const int got = SSL_read(
            tls_, into,
            static_cast<int>(std::min<std::size_t>(bytes_max, static_cast<std::size_t>(1) << 30)));
        return got > 0 ? Io{State::Done, static_cast<std::size_t>(got)} : tls_result(got);
    }
    for (;;) {
        const auto got = ::recv(native(), into, bytes_max, MSG_DONTWAIT);
        if (got > 0) return {State::Done, static_cast<std::size_t>(got)};
        if (got == 0) return {State::End, 0};
        if (errno == EINTR) continue;
        return {errno == EAGAIN ? State::WantRead : State::Failed, 0};
    }
}

Transport::Io Transport::try_write(const iovec* pieces, int count) {
    if (!descriptor_.is_open()) return {State::Failed, 0};
    if (tls_ != nullptr) {
        while (count > 0 && pieces->iov_len == 0) ++pieces, --count;
        if (count == 0) return {State::Done, 0};
        const int sent =
            SSL_write(tls_, pieces->iov_base,
                      static_cast<int>(std::min<std::size_t>(pieces->iov_len, kTlsWriteBytesMax)));
        return sent > 0 ? Io{State::Done, static_cast<std::size_t>(sent)} : tls_result(sent);
    }
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(pieces);
    message.msg_iovlen = static_cast<std::size_t>(count);
    for (;;) {
        const auto sent = ::sendmsg(native(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) return {State::Done, static_cast<std::size_t>(sent)};
        if (errno == EINTR) continue;
        return {errno == EAGAIN ? State::WantWrite : State::Failed, 0};
    }
}

Transport::Io Transport::try_send_file(int fd, std::uint64_t offset, std::uint64_t bytes_max) {
    if (!descriptor_.is_open()) return {State::Failed, 0};
    HoldSigpipe hold;
    auto position = static_cast<off_t>(offset);
    const auto bytes =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes_max, kSendFileBytesMax));
    for (;;) {
        const auto sent = ::sendfile(native(), fd, &position, bytes);
        if (sent > 0) return {State::Done, static_cast<std::size_t>(sent)};
        if (sent == 0) return {State::End, 0};  // the file is shorter than its owner said
        if (errno == EINTR) continue;
        if (errno == EPIPE) hold.raised();
        return {errno == EAGAIN ? State::WantWrite : State::Failed, 0};
    }
}

Transport::Waited Transport::wait_for(State state) {
    return descriptor_.async_wait(state == State::WantWrite
                                      ? boost::asio::posix::stream_descriptor::wait_write
                                      : boost::asio::posix::stream_descriptor::wait_read,
                                  kAsTuple);
}

void Transport::cancel_waits() noexcept {
    boost::system::error_code ignored;
    descriptor_.cancel(ignored);
}

void Transport::shutdown_write() noexcept {
    if (!descriptor_.is_open()) return;
    if (tls_ != nullptr) {
        SSL_shutdown(tls_);  // close_notify, as far as the kernel takes it now
        ERR_clear_error();
    }
    ::shutdown(native(), SHUT_WR);
}

void Transport::shutdown_both() noexcept {
    if (descriptor_.is_open()) ::shutdown(native(), SHUT_RDWR);
}

void Transport::close() noexcept {
    boost::system::error_code ignored;
    descriptor_.close(ignored);
}

}  // namespace atl::net
