#include "net/fetch.hpp"

#include "base/as_tuple.hpp"
#include "base/watched.hpp"
#include "net/curl_handle.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <cstdlib>
#include <cstring>
#include <curl/curl.h>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace atl::net {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t kUnreadBytesMax = 256u << 10;
constexpr std::size_t kUrlBytesMax = 8u << 10;
constexpr std::size_t kTransfersMax = 4096;
constexpr long kConnectionsMax = 2048;  // more transfers than that wait in line
constexpr long kKeptConnectionsMax = 256;
constexpr std::chrono::milliseconds kSweepMin{10};
constexpr std::chrono::milliseconds kDropTime{2000};
constexpr std::uint64_t kDroppedBytesMax = 64u << 10;

struct CloseEasy {
    void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
};
struct CloseMulti {
    void operator()(CURLM* handle) const noexcept { curl_multi_cleanup(handle); }
};
std::string url_part(CURLU* url, CURLUPart part, unsigned flags = 0) {
    char* text = nullptr;
    if (curl_url_get(url, part, &text, flags) != CURLUE_OK || text == nullptr) return {};
    std::string copy(text);
    curl_free(text);
    return copy;
}

std::unique_ptr<CURLU, FreeUrl> parsed_url(const std::string& text) {
    std::unique_ptr<CURLU, FreeUrl> url(curl_url());
    if (url && curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) url.reset();
    return url;
}

Result<void> check_url(const std::string& text) {
    const auto wrong = [&](const std::string& what) { return Error{Code::InvalidArgument, what}; };
    if (text.size() > kUrlBytesMax) return wrong("the URL is longer than 8 KiB");
    for (const char c : text) {
        if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f) {
            return wrong("the URL contains a space or a control character");
        }
    }
    const auto url = parsed_url(text);
    if (!url) return wrong("this is no URL");
    const auto scheme = url_part(url.get(), CURLUPART_SCHEME);
    if (!same_ignoring_case(scheme, "http") && !same_ignoring_case(scheme, "https")) {
        return wrong("a URL begins with http:// or https://");
    }
    return {};
}

bool names_this_machine(const std::string& text) {
    const auto url = parsed_url(text);
    if (!url) return false;
    auto host = url_part(url.get(), CURLUPART_HOST);
    if (same_ignoring_case(host, "localhost")) return true;
    if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
    boost::system::error_code not_an_address;
    const auto address = asio::ip::make_address(host, not_an_address);
    return !not_an_address && address.is_loopback();
}

std::optional<asio::ip::address> address_of(const curl_sockaddr& to) {
    if (to.family == AF_INET) {
        sockaddr_in four{};
        std::memcpy(&four, &to.addr, sizeof four);
        return asio::ip::address_v4(ntohl(four.sin_addr.s_addr));
    }
    if (to.family == AF_INET6) {
        sockaddr_in6 six{};
        std::memcpy(&six, &to.addr, std::min<std::size_t>(to.addrlen, sizeof six));
        asio::ip::address_v6::bytes_type bytes;
        std::memcpy(bytes.data(), &six.sin6_addr, bytes.size());
        return asio::ip::address_v6(bytes, six.sin6_scope_id);
    }
    return std::nullopt;
}

void start_curl() {
    static std::once_flag once;
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

}  // namespace

// What curl's callbacks and the sweep see of one transfer. It never moves.
struct FetchAnswer::Transfer {
    Transfer(std::shared_ptr<Core> its_core, FetchRequest its_request);
    ~Transfer();
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    void prepare();
    void begin();
    void wake() { news.cancel(); }
    // Ends it, unless it has ended.
    void fail(Error error);
    void ended(CURLcode code);
    void leave();  // this may be gone afterwards
    void check_time(Clock::time_point now);
    [[nodiscard]] Clock::time_point deadline() const;  // nothing can expire before it
    asio::awaitable<void> wait();
    [[nodiscard]] Error trouble(CURLcode code) const;

    static std::size_t take_head(char* line, std::size_t one, std::size_t bytes, void* user);
    static std::size_t take_body(char* piece, std::size_t one, std::size_t bytes, void* user);
    static curl_socket_t open_socket(void* user, curlsocktype, curl_sockaddr* to);

    std::shared_ptr<Core> core;
    FetchRequest request;
    std::string origin;
    std::unique_ptr<CURL, CloseEasy> easy{curl_easy_init()};
    std::unique_ptr<curl_slist, FreeList> lines;
    char why[CURL_ERROR_SIZE] = "";
    asio::steady_timer news;  // never expires; cancelled when there is something to look at
    bool attached = false;

    int status = 0;
    Headers head;
    std::size_t head_bytes = 0;
    bool head_done = false;
    std::string unread;
    std::uint64_t body_bytes = 0;
    bool paused = false;
    bool over = false;
    bool dropped = false;  // nobody waits; the core owns it
    std::optional<Error> failed;
    std::optional<asio::ip::address> refused;  // by the policy
    Clock::time_point started, last_piece;
};

// One multi handle: its sockets and its timer on the loop, and the sweep of time-outs.
//
// The sockets are in an epoll of our own, and Asio waits for that one descriptor. Asio's own waits
// are armed anew for each event, and a socket once waited for to be writable reports that each
// time: twice the work for every token of a stream.
struct FetchAnswer::Core : std::enable_shared_from_this<Core> {
    Core(asio::any_io_executor its_executor, AddressPolicy its_policy)
        : executor(std::move(its_executor)),
          policy(its_policy),
          poll(executor),
          timer(executor),
          sweeper(executor),
          bundle(variable("CURL_CA_BUNDLE")),
          certificates(variable("SSL_CERT_DIR")) {
        start_curl();
        if (bundle.empty()) bundle = variable("SSL_CERT_FILE");
        UniqueFd descriptor(::epoll_create1(EPOLL_CLOEXEC));
        if (!descriptor) throw ErrorException({Code::Internal, "no epoll for fetches"});
        poll = atl::watched(executor, std::move(descriptor));
        multi.reset(curl_multi_init());
        if (!multi) throw ErrorException({Code::Internal, "curl could not be started"});
        curl_multi_setopt(multi.get(), CURLMOPT_SOCKETFUNCTION, &Core::on_socket);
        curl_multi_setopt(multi.get(), CURLMOPT_SOCKETDATA, this);
        curl_multi_setopt(multi.get(), CURLMOPT_TIMERFUNCTION, &Core::on_timer);
        curl_multi_setopt(multi.get(), CURLMOPT_TIMERDATA, this);
        curl_multi_setopt(multi.get(), CURLMOPT_MAX_TOTAL_CONNECTIONS, kConnectionsMax);
        curl_multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS, kKeptConnectionsMax);
    }
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    static int on_socket(CURL*, curl_socket_t fd, int what, void* user, void*) noexcept {
        auto& core = *static_cast<Core*>(user);
        try {
            return core.watch(fd, what) ? 0 : -1;  // then curl fails its transfers
        } catch (...) { return -1; }
    }

    // Curl may tell that a socket has gone after it has closed it, and another thread may have
    // opened something under its number by then. So it is forgotten here first.
    static int close_socket(void* user, curl_socket_t fd) noexcept {
        try {
            static_cast<Core*>(user)->forget(fd);
        } catch (...) {}  // closing it takes it out of the epoll as well
        return ::close(fd);
    }

    void forget(curl_socket_t fd) {
        if (watched.erase(fd) == 0) return;
        ::epoll_ctl(poll.native_handle(), EPOLL_CTL_DEL, fd, nullptr);
        if (watched.empty()) poll.cancel();
    }

    bool watch(curl_socket_t fd, int what) {
        if (what == CURL_POLL_REMOVE) {
            forget(fd);
            return true;
        }
        epoll_event event{};
        if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
        if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
        event.data.fd = fd;
        const bool is_new = watched.insert(fd).second;
        const int change = is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
        if (::epoll_ctl(poll.native_handle(), change, fd, &event) != 0) return false;
        arm();
        return true;
    }

    void arm() {
        if (armed || watched.empty()) return;
        armed = true;
        poll.async_wait(asio::posix::stream_descriptor::wait_read,
                        [weak = weak_from_this()](const auto&) {
                            const auto core = weak.lock();
                            if (!core) return;
                            core->armed = false;
                            core->take_events();
                            core->arm();
                        });
    }

    void take_events() {
        std::array<epoll_event, 64> events;
        const int ready = ::epoll_wait(poll.native_handle(), events.data(), events.size(), 0);
        for (int i = 0; i < ready; ++i) {
            const auto& event = events[static_cast<std::size_t>(i)];
            if (!watched.contains(event.data.fd)) continue;  // an earlier one ended it
            int mask = 0;
            if ((event.events & (EPOLLIN | EPOLLHUP)) != 0) mask |= CURL_CSELECT_IN;
            if ((event.events & EPOLLOUT) != 0) mask |= CURL_CSELECT_OUT;
            if ((event.events & EPOLLERR) != 0) mask |= CURL_CSELECT_ERR;
            int running = 0;
            curl_multi_socket_action(multi.get(), event.data.fd, mask, &running);
        }
        collect();
    }

    static int on_timer(CURLM*, long ms, void* user) noexcept {
        auto& core = *static_cast<Core*>(user);
        try {
            if (ms < 0) {
                core.timer.cancel();
                return 0;
            }
            core.timer.expires_after(std::chrono::milliseconds(ms));
            core.timer.async_wait([weak = core.weak_from_this()](const auto& stopped) {
                const auto still = weak.lock();
                if (stopped || !still) return;
                int running = 0;
                curl_multi_socket_action(still->multi.get(), CURL_SOCKET_TIMEOUT, 0, &running);
                still->collect();
            });
        } catch (...) { return -1; }
        return 0;
    }

    void collect() {
        int left = 0;
        while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
            if (message->msg != CURLMSG_DONE) continue;
            const CURLcode code = message->data.result;
            void* transfer = nullptr;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
            static_cast<Transfer*>(transfer)->ended(code);  // `message` is void from here on
        }
    }

    void attach(Transfer& transfer) {
        if (curl_multi_add_handle(multi.get(), transfer.easy.get()) != CURLM_OK) {
            throw ErrorException({Code::Internal, "curl rejects the request"});
        }
        transfer.attached = true;
        transfers.insert(&transfer);
        sweep_by(transfer.deadline());
    }

    void detach(Transfer& transfer) {
        if (!transfer.attached) return;
        transfer.attached = false;
        transfers.erase(&transfer);
        curl_multi_remove_handle(multi.get(), transfer.easy.get());
        if (!transfers.empty()) return;
        next_sweep = Clock::time_point::max();
        sweeper.cancel();
    }

    // One timer for the time-outs of all transfers, set to the earliest that can be. What a token
    // moves is looked up when it expires: a timer each would be set anew with each token.
    void sweep_by(Clock::time_point when) {
        if (when >= next_sweep) return;
        next_sweep = when;
        sweeper.expires_at(std::max(when, Clock::now() + kSweepMin));
        sweeper.async_wait([weak = weak_from_this()](const auto& stopped) {
            const auto core = weak.lock();
            if (!stopped && core) core->sweep();
        });
    }

    void sweep() {
        next_sweep = Clock::time_point::max();
        const std::vector<Transfer*> all(transfers.begin(), transfers.end());
        const auto now = Clock::now();
        for (auto* transfer : all) transfer->check_time(now);
        auto next = Clock::time_point::max();
        for (const auto* transfer : transfers) next = std::min(next, transfer->deadline());
        sweep_by(next);
    }

    asio::any_io_executor executor;
    AddressPolicy policy;
    asio::posix::stream_descriptor poll;  // the epoll; ours to close
    std::set<curl_socket_t> watched;
    bool armed = false;
    asio::steady_timer timer;
    asio::steady_timer sweeper;
    Clock::time_point next_sweep = Clock::time_point::max();
    std::string bundle;
    std::string certificates;
    std::set<Transfer*> transfers;
    std::map<Transfer*, std::unique_ptr<Transfer>> dropped;
    std::unique_ptr<CURLM, CloseMulti> multi;
};

FetchAnswer::Transfer::Transfer(std::shared_ptr<Core> its_core, FetchRequest its_request)
    : core(std::move(its_core)),
      request(std::move(its_request)),
      origin(origin_of(request.url)),
      news(core->executor) {
    if (!easy) throw ErrorException({Code::Internal, "curl could not be started"});
}

FetchAnswer::Transfer::~Transfer() { core->detach(*this); }

void FetchAnswer::Transfer::prepare() {
    CURL* handle = easy.get();
    const auto set = [&](CURLoption option, auto value) {
        if (const auto code = curl_easy_setopt(handle, option, value); code != CURLE_OK) {
            throw ErrorException(
                {Code::Internal, std::string("curl: ") + curl_easy_strerror(code)});
        }
    };
    set(CURLOPT_PRIVATE, static_cast<void*>(this));
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
    set(CURLOPT_ERRORBUFFER, static_cast<char*>(why));
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.timeouts.connect.count()));
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set(CURLOPT_USERAGENT, "atoll");
#if LIBCURL_VERSION_NUM >= 0x075700
    set(CURLOPT_QUICK_EXIT, 1L);  // else giving up waits for the thread that resolves the name
#endif
    if (core->policy.public_only()) set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    if (!core->policy.allows_proxies() || names_this_machine(request.url)) set(CURLOPT_PROXY, "");
    if (!core->bundle.empty()) set(CURLOPT_CAINFO, core->bundle.c_str());
    if (!core->certificates.empty()) set(CURLOPT_CAPATH, core->certificates.c_str());

    if (request.method == "HEAD") {
        set(CURLOPT_NOBODY, 1L);
    } else if (!request.body.empty() || request.method == "POST") {
        set(CURLOPT_POST, 1L);
        set(CURLOPT_POSTFIELDS, request.body.data());
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    }
    set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    const auto add = [&](const std::string& line) {
        curl_slist* longer = curl_slist_append(lines.get(), line.c_str());
        if (longer == nullptr) throw std::bad_alloc();
        static_cast<void>(lines.release());
        lines.reset(longer);
    };
    add("Expect:");
    if (!request.headers.contains("Content-Type")) add("Content-Type:");
    for (const auto& [name, value] : request.headers) {
        if (!is_token(name) || !is_field_value(value)) {
            throw ErrorException({Code::InvalidArgument, "a header cannot be sent: " + name});
        }
        add(value.empty() ? name + ";" : name + ": " + value);
    }
    set(CURLOPT_HTTPHEADER, lines.get());
    set(CURLOPT_HEADERFUNCTION, &Transfer::take_head);
    set(CURLOPT_HEADERDATA, static_cast<void*>(this));
    set(CURLOPT_WRITEFUNCTION, &Transfer::take_body);
    set(CURLOPT_WRITEDATA, static_cast<void*>(this));
    set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::open_socket);
    set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
    // A connection outlives the transfer that opened it, and not the core.
    set(CURLOPT_CLOSESOCKETFUNCTION, &Core::close_socket);
    set(CURLOPT_CLOSESOCKETDATA, static_cast<void*>(core.get()));
}

void FetchAnswer::Transfer::begin() {
    prepare();
    started = last_piece = Clock::now();
    core->attach(*this);
}

void FetchAnswer::Transfer::fail(Error error) {
    if (over) return;
    over = true;
    failed = std::move(error);
    leave();
}

void FetchAnswer::Transfer::ended(CURLcode code) {
    if (over) return;
    over = true;
    if (!failed && code != CURLE_OK) failed = trouble(code);
    if (!failed && !head_done) {
        failed =
            Error{Code::Unavailable, "the connection to " + origin + " ended without an answer"};
    }
    leave();
}

void FetchAnswer::Transfer::leave() {
    core->detach(*this);
    wake();
    if (!dropped) return;
    const auto kept = core;
    kept->dropped.erase(this);  // the end of this object
}

void FetchAnswer::Transfer::check_time(Clock::time_point now) {
    const auto& limits = request.timeouts;
    const auto beyond = [&](Clock::time_point since, std::chrono::milliseconds limit) {
        return limit.count() > 0 && now - since >= limit;
    };
    const auto after = [](std::chrono::milliseconds limit) {
        const auto ms = limit.count();
        return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms";
    };
    if (beyond(started, limits.total)) {
        fail({Code::Timeout, origin + " did not finish within " + after(limits.total)});
    } else if (!head_done && beyond(started, limits.first_byte)) {
        fail({Code::Timeout, origin + " did not answer within " + after(limits.first_byte)});
    } else if (head_done && beyond(last_piece, limits.idle)) {
        if (paused || !unread.empty()) {
            last_piece = now;  // it is we who are slow
        } else {
            fail({Code::Timeout, origin + " sent nothing for " + after(limits.idle)});
        }
    }
}

Clock::time_point FetchAnswer::Transfer::deadline() const {
    const auto& limits = request.timeouts;
    auto first = Clock::time_point::max();
    if (limits.total.count() > 0) first = std::min(first, started + limits.total);
    const auto quiet = head_done ? limits.idle : limits.first_byte;
    const auto since = head_done ? last_piece : started;
    if (quiet.count() > 0) first = std::min(first, since + quiet);
    return first;
}

asio::awaitable<void> FetchAnswer::Transfer::wait() {
    news.expires_at(asio::steady_timer::time_point::max());
    co_await news.async_wait(kAsTuple);
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) {
        throw boost::system::system_error(asio::error::operation_aborted);
    }
}

Error FetchAnswer::Transfer::trouble(CURLcode code) const {
    const std::string reason = *why != '\0' ? why : curl_easy_strerror(code);
    if (refused && !head_done) {
        return {Code::Forbidden, "the address " + refused->to_string() + " of " + origin +
                                     " is not on the public Internet and may not be fetched from"};
    }
    switch (code) {
        case CURLE_URL_MALFORMAT:
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_LOGIN_DENIED: return {Code::InvalidArgument, "this is not a URL to fetch from"};
        case CURLE_COULDNT_RESOLVE_HOST:
        case CURLE_COULDNT_RESOLVE_PROXY:
        case CURLE_COULDNT_CONNECT:
            return {Code::Unavailable, "no server answers at " + origin + " (" + reason + ")"};
        case CURLE_OPERATION_TIMEDOUT:
            return {Code::Unavailable, "no connection to " + origin + " within its time limit"};
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_SSL_CACERT_BADFILE:
            return {Code::Unavailable, "no safe connection to " + origin + " (" + reason + ")"};
        default:
            return {Code::Unavailable, "the connection to " + origin + " broke (" + reason + ")"};
    }
}

std::size_t FetchAnswer::Transfer::take_head(char* line, std::size_t one, std::size_t bytes,
                                             void* user) {
    auto& self = *static_cast<Transfer*>(user);
    try {
        const std::size_t size = one * bytes;
        std::string_view text(line, size);
        while (text.ends_with('\r') || text.ends_with('\n')) text.remove_suffix(1);
        self.head_bytes += size;
        if (self.head_bytes > self.request.head_bytes_max) {
            self.failed = Error{Code::TooLarge, "the head of the answer of " + self.origin +
                                                    " is beyond what is taken"};
            return 0;
        }
        if (self.head_done) return size;  // trailers
        if (text.starts_with("HTTP/")) {  // also after a 100 Continue: what came before is void
            self.head.clear();
            long status = 0;
            curl_easy_getinfo(self.easy.get(), CURLINFO_RESPONSE_CODE, &status);
            self.status = static_cast<int>(status);
        } else if (text.empty()) {
            if (self.status < 200) return size;
            self.head_done = true;
            self.last_piece = Clock::now();
            self.core->sweep_by(self.deadline());
            self.wake();
        } else if (const auto colon = text.find(':'); colon != std::string_view::npos) {
            self.head.add(text.substr(0, colon), trimmed(text.substr(colon + 1)));
        }
        return size;
    } catch (...) {  // an exception must not pass through curl, which is C
        self.failed = Error{Code::Internal, "the answer could not be kept"};
        return 0;
    }
}

std::size_t FetchAnswer::Transfer::take_body(char* piece, std::size_t one, std::size_t bytes,
                                             void* user) {
    auto& self = *static_cast<Transfer*>(user);
    try {
        const std::string_view text(piece, one * bytes);
        if (!self.unread.empty() && self.unread.size() + text.size() > kUnreadBytesMax) {
            self.paused = true;
            return CURL_WRITEFUNC_PAUSE;
        }
        self.body_bytes += text.size();
        if (self.dropped) return self.body_bytes > self.request.body_bytes_max ? 0 : text.size();
        if (self.body_bytes > self.request.body_bytes_max) {
            self.failed =
                Error{Code::TooLarge, "the answer of " + self.origin + " is beyond what is taken"};
            return 0;
        }
        self.unread.append(text);
        self.last_piece = Clock::now();
        self.wake();
        return text.size();
    } catch (...) {
        self.failed = Error{Code::Internal, "the answer could not be kept"};
        return 0;
    }
}

curl_socket_t FetchAnswer::Transfer::open_socket(void* user, curlsocktype, curl_sockaddr* to) {
    auto& self = *static_cast<Transfer*>(user);
    const auto address = address_of(*to);
    if (!address) return CURL_SOCKET_BAD;  // neither IPv4 nor IPv6
    if (!self.core->policy.allows(*address)) {
        self.refused = address;
        return CURL_SOCKET_BAD;
    }
    return ::socket(to->family, to->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, to->protocol);
}

FetchAnswer::FetchAnswer(std::unique_ptr<Transfer> transfer) noexcept
    : transfer_(std::move(transfer)) {}
FetchAnswer::FetchAnswer(FetchAnswer&&) noexcept = default;
FetchAnswer& FetchAnswer::operator=(FetchAnswer&&) noexcept = default;
FetchAnswer::~FetchAnswer() = default;

int FetchAnswer::status() const noexcept { return transfer_->status; }
const Headers& FetchAnswer::headers() const noexcept { return transfer_->head; }

bool FetchAnswer::end_is_marked() const noexcept {
    long version = 0;
    curl_easy_getinfo(transfer_->easy.get(), CURLINFO_HTTP_VERSION, &version);
    return version >= CURL_HTTP_VERSION_2_0 || transfer_->head.contains("Content-Length") ||
           transfer_->head.has_token("Transfer-Encoding", "chunked");
}

asio::awaitable<bool> FetchAnswer::read(std::string& piece) {
    auto& transfer = *transfer_;
    piece.clear();
    while (transfer.unread.empty() && !transfer.over) co_await transfer.wait();
    if (transfer.unread.empty()) {
        if (transfer.failed) throw ErrorException(*transfer.failed);
        co_return false;
    }
    std::swap(piece, transfer.unread);
    if (transfer.paused && transfer.attached) {
        transfer.paused = false;
        transfer.last_piece = Clock::now();
        curl_easy_pause(transfer.easy.get(), CURLPAUSE_CONT);  // may call take_body at once
    }
    co_return true;
}

asio::awaitable<std::string> FetchAnswer::read_all(std::size_t bytes_max) {
    std::string all, piece;
    for (;;) {
        const bool more = co_await read(piece);
        if (!more) break;
        if (all.size() + piece.size() > bytes_max) {
            throw ErrorException({Code::TooLarge, "the answer of " + transfer_->origin +
                                                      " is beyond what is taken"});
        }
        all.append(piece);
    }
    co_return all;
}

Fetcher::Fetcher(asio::any_io_executor executor, AddressPolicy policy)
    : core_(std::make_shared<FetchAnswer::Core>(std::move(executor), policy)) {}
Fetcher::~Fetcher() {
    const auto last = std::move(core_->dropped);  // they hold the core
}

void Fetcher::drop(FetchAnswer answer) noexcept {
    auto transfer = std::move(answer.transfer_);
    if (!transfer || transfer->over) return;
    try {
        transfer->dropped = true;
        transfer->unread.clear();
        transfer->started = Clock::now();
        transfer->request.timeouts.total = kDropTime;
        transfer->request.body_bytes_max = transfer->body_bytes + kDroppedBytesMax;
        auto* raw = transfer.get();
        core_->dropped.emplace(raw, std::move(transfer));
        core_->sweep_by(raw->deadline());
        if (std::exchange(raw->paused, false)) curl_easy_pause(raw->easy.get(), CURLPAUSE_CONT);
    } catch (...) {}  // no memory: its end is the destructor's
}

std::size_t Fetcher::under_way() const noexcept { return core_->transfers.size(); }

asio::awaitable<FetchAnswer> Fetcher::send(FetchRequest request) {
    check_url(request.url).value();
    if (!is_token(request.method)) {
        throw ErrorException({Code::InvalidArgument, "this is no method"});
    }
    if (core_->transfers.size() >= kTransfersMax) {
        throw ErrorException({Code::Exhausted, "too many outgoing requests are running"});
    }
    FetchAnswer answer(std::make_unique<FetchAnswer::Transfer>(core_, std::move(request)));
    auto& transfer = *answer.transfer_;
    transfer.begin();
    while (!transfer.head_done && !transfer.over) co_await transfer.wait();
    if (!transfer.head_done) throw ErrorException(transfer.failed.value());
    co_return answer;
}

std::string origin_of(const std::string& text) {
    const auto url = parsed_url(text);
    if (!url) return "that address";
    std::string origin =
        url_part(url.get(), CURLUPART_SCHEME) + "://" + url_part(url.get(), CURLUPART_HOST);
    if (const auto port = url_part(url.get(), CURLUPART_PORT); !port.empty()) origin += ":" + port;
    return origin;
}

}  // namespace atl::net
