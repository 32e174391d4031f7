#include "net/test_support.hpp"

#include <atomic>
#include <cstdio>
#include <fcntl.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace atl::net::test {

namespace asio = boost::asio;

namespace {

// A key and a certificate for it, in files that go with the object.
class Identity {
public:
    explicit Identity(const char* name)
        : certificate("/tmp/atoll-net-" + std::to_string(::getpid()) + name + ".crt"),
          key("/tmp/atoll-net-" + std::to_string(::getpid()) + name + ".key") {
        EVP_PKEY* pair = EVP_EC_gen("P-256");
        X509* x509 = X509_new();
        ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
        X509_gmtime_adj(X509_getm_notBefore(x509), -60);
        X509_gmtime_adj(X509_getm_notAfter(x509), 3600);
        X509_set_pubkey(x509, pair);
        auto* subject = X509_get_subject_name(x509);
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                                   reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
        X509_set_issuer_name(x509, subject);
        X509_sign(x509, pair, EVP_sha256());
        FILE* file = std::fopen(certificate.c_str(), "w");
        PEM_write_X509(file, x509);
        std::fclose(file);
        file = std::fopen(key.c_str(), "w");
        PEM_write_PrivateKey(file, pair, nullptr, nullptr, 0, nullptr, nullptr);
        std::fclose(file);
        X509_free(x509);
        EVP_PKEY_free(pair);
    }
    Identity(const Identity&) = delete;
    Identity& operator=(const Identity&) = delete;
    ~Identity() {
        std::remove(certificate.c_str());
        std::remove(key.c_str());
    }
    const std::string certificate;
    const std::string key;
};

class TlsClient {
public:
    explicit TlsClient(std::uint16_t port) : raw_(Client::tcp(port)) {
        context_ = SSL_CTX_new(TLS_client_method());
        ssl_ = SSL_new(context_);
        SSL_set_fd(ssl_, raw_.fd());
        connected_ = SSL_connect(ssl_) == 1;
    }
    TlsClient(const TlsClient&) = delete;
    TlsClient& operator=(const TlsClient&) = delete;
    ~TlsClient() {
        SSL_free(ssl_);
        SSL_CTX_free(context_);
    }
    [[nodiscard]] bool connected() const { return connected_; }
    void send(std::string_view text) {
        SSL_write(ssl_, text.data(), static_cast<int>(text.size()));
    }
    std::string read(std::size_t bytes) {
        std::string got;
        char buffer[16384];
        while (got.size() < bytes) {
            const int n = SSL_read(ssl_, buffer, sizeof buffer);
            if (n <= 0) break;
            got.append(buffer, static_cast<std::size_t>(n));
        }
        return got;
    }
    std::string until(std::string_view mark) {
        std::string got;
        char c = 0;
        while (got.find(mark) == std::string::npos && SSL_read(ssl_, &c, 1) == 1) got.push_back(c);
        return got;
    }
    std::string common_name() {
        X509* x509 = SSL_get1_peer_certificate(ssl_);
        char name[64] = "";
        X509_NAME_get_text_by_NID(X509_get_subject_name(x509), NID_commonName, name, sizeof name);
        X509_free(x509);
        return name;
    }

private:
    Client raw_;
    SSL_CTX* context_ = nullptr;
    SSL* ssl_ = nullptr;
    bool connected_ = false;
};

}  // namespace

TEST(Tls, ServesEverythingThatPlainDoes) {
    const Identity one("one");
    const UniqueFd file(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    std::string content(3u << 20, '\0');
    for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 13 / 5);
    ASSERT_EQ(::write(file.get(), content.data(), content.size()),
              static_cast<ssize_t>(content.size()));
    std::atomic<bool> gone = false;
    Router router;
    router.add("GET", "/file", [&](Exchange& e) -> asio::awaitable<void> {
        EXPECT_TRUE(e.request().peer.encrypted);
        FileOptions options;
        co_await e.send_file(file.get(), content.size(), std::move(options));
    });
    router.add("POST", "/body", [](Exchange& e) -> asio::awaitable<void> {
        auto body = co_await e.read_body(8u << 20);
        auto response = Response::text(200, std::to_string(body.size()));
        co_await e.respond(std::move(response));
    });
    router.add("GET", "/events", [&](Exchange& e) -> asio::awaitable<void> {
        EventOptions options;
        options.heartbeat = 30ms;
        co_await e.begin_events(std::move(options));
        co_await e.until_gone();
        gone = true;
    });
    ServerOptions options;
    options.tls = TlsOptions{one.certificate, one.key};
    options.header_timeout = 1s;
    TestServer server(std::move(router), std::move(options));
    {
        TlsClient client(server.port());
        ASSERT_TRUE(client.connected());
        EXPECT_EQ(client.common_name(), "one");
        client.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\n");
        EXPECT_EQ(client.until("\r\n\r\n").rfind("HTTP/1.1 200", 0), 0u);
        EXPECT_TRUE(client.read(content.size()) == content);
        client.send("POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 3145728\r\n\r\n" + content);
        EXPECT_NE(client.until("3145728").find("200 OK"), std::string::npos);
        // Two requests in one record: the second is inside OpenSSL when nobody waits for it.
        client.send(
            "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
            "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nxy");
        EXPECT_NE(client.until("\r\n\r\n1").find("200 OK"), std::string::npos);
        EXPECT_NE(client.until("\r\n\r\n2").find("200 OK"), std::string::npos);
        client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
        client.until(":\n\n");
        client.until(":\n\n");
        EXPECT_FALSE(gone);
    }
    EXPECT_TRUE(server.eventually([&] { return gone.load(); }));
    auto plain = server.connect();  // no TLS: closed, not answered
    plain.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_TRUE(plain.closed());
    auto silent = server.connect();  // a handshake that never comes
    EXPECT_TRUE(silent.closed(3s));
}

TEST(Tls, ReloadsItsCertificate) {
    auto one = std::make_unique<Identity>("first");
    ServerOptions options;
    options.tls = TlsOptions{one->certificate, one->key};
    TestServer server(Router(), std::move(options));
    EXPECT_EQ(TlsClient(server.port()).common_name(), "first");
    const Identity two("second");
    std::rename(two.certificate.c_str(), one->certificate.c_str());
    EXPECT_FALSE(server.run([&] { return server.server().reload_tls().has_value(); }));
    EXPECT_EQ(TlsClient(server.port()).common_name(), "first");  // the key did not fit
    std::rename(two.key.c_str(), one->key.c_str());
    EXPECT_TRUE(server.run([&] { return server.server().reload_tls().has_value(); }));
    EXPECT_EQ(TlsClient(server.port()).common_name(), "second");
}

TEST(Tls, SaysWhichFileIsWrong) {
    ServerOptions options;
    options.tls = TlsOptions{"/nonexistent.crt", "/nonexistent.key"};
    try {
        TestServer server(Router(), std::move(options));
        FAIL();
    } catch (const ErrorException& failed) {
        EXPECT_NE(failed.error.message.find("/nonexistent.crt"), std::string::npos);
    }
}

}  // namespace atl::net::test
