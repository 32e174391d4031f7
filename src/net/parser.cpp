#include "net/parser.hpp"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <functional>

namespace atl::net {

namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

Refusal refusal_of(const error_code& failed) {
    switch (static_cast<http::error>(failed.value())) {
        case http::error::header_limit: return {431, "the headers are too large"};
        case http::error::bad_method: return {400, "the method is malformed"};
        case http::error::bad_target: return {400, "the target is malformed"};
        case http::error::bad_version: return {505, "this server supports only HTTP/1.1"};
        case http::error::bad_content_length:
        case http::error::multiple_content_length:
        case http::error::bad_transfer_encoding:
            return {400, "the length of the body is ambiguous"};
        case http::error::bad_status:
        case http::error::bad_reason: return {400, "the status line is malformed"};
        default: return {400, "the headers are malformed: " + failed.message()};
    }
}

template <bool kIsRequest>
class Parser final : public HeadParser, private http::basic_parser<kIsRequest> {
    using Base = http::basic_parser<kIsRequest>;

public:
    Parser(Kind kind, HeadLimits limits) : limits_(limits) {
        this->header_limit(static_cast<std::uint32_t>(limits.header_bytes_max));
        this->body_limit(boost::none);  // who reads the body counts it
        this->eager(false);
        this->skip(kind == Kind::ResponseToHead);
    }

    Taken take(std::string_view input) override {
        Taken taken;
        const auto window = input.substr(
            0, limits_.header_bytes_max - std::min(head_bytes_, limits_.header_bytes_max));
        input_ = window;
        error_code failed;
        while (!this->is_header_done()) {
            const auto rest = window.substr(taken.used);
            if (rest.empty()) break;
            const auto used = this->put({rest.data(), rest.size()}, failed);
            taken.used += used;
            if (failed || used == 0) break;
        }
        head_bytes_ += taken.used;
        if (refusal_) {
            taken.refusal = std::move(refusal_);
        } else if (failed && failed != http::error::need_more) {
            taken.refusal = refusal_of(failed);
        } else if (!this->is_header_done() &&
                   (window.size() < input.size() || head_bytes_ >= limits_.header_bytes_max)) {
            taken.refusal = Refusal{431, "the headers are too large"};
        } else if (this->is_header_done()) {
            taken.refusal = finish_head();
        }
        return taken;
    }

    bool head_done() const noexcept override { return finished_; }
    Head& head() noexcept override { return head_; }

private:
    void refuse(int status, std::string sentence, error_code& failed) {
        refusal_ = Refusal{status, std::move(sentence)};
        failed = http::error::bad_value;
    }

    void on_request_impl(http::verb, boost::beast::string_view method,
                         boost::beast::string_view target, int version, error_code&) override {
        head_.method.assign(method.data(), method.size());
        head_.target.assign(target.data(), target.size());
        head_.version = version;
    }

    void on_response_impl(int code, boost::beast::string_view reason, int version,
                          error_code& failed) override {
        if (code < 100 || code > 599) return refuse(400, "the status is out of range", failed);
        head_.status = code;
        head_.reason.assign(reason.data(), reason.size());
        head_.version = version;
    }

    void on_field_impl(http::field field, boost::beast::string_view name,
                       boost::beast::string_view value, error_code& failed) override {
        if (++fields_ > limits_.headers_max) return refuse(431, "too many headers", failed);
        // Beast joins folded lines. It then either hands out its own buffer or has left a line
        // break between the colon and the value.
        const char* const name_end = name.data() + name.size();
        const std::less<const char*> before;
        const bool inside = !before(value.data(), input_.data()) &&
                            !before(input_.data() + input_.size(), value.data());
        if (!inside || std::find(name_end, value.data(), '\r') != value.data()) {
            return refuse(400, "a header is folded over several lines", failed);
        }
        if (!is_field_value({value.data(), value.size()})) {
            return refuse(400, "a header has a control character", failed);
        }
        switch (field) {
            case http::field::content_length:
                if (++lengths_ > 1 || value.find(',') != boost::beast::string_view::npos) {
                    return refuse(400, "more than one Content-Length", failed);
                }
                break;
            case http::field::transfer_encoding:
                if (++codings_ > 1 ||
                    !same_ignoring_case({value.data(), value.size()}, "chunked")) {
                    return refuse(501, "the only supported transfer coding is chunked", failed);
                }
                break;
            case http::field::host: ++hosts_; break;
            default: break;
        }
        head_.headers.add({name.data(), name.size()}, {value.data(), value.size()});
    }

    std::optional<Refusal> finish_head() {
        if (lengths_ > 0 && codings_ > 0) {
            return Refusal{400, "Content-Length and Transfer-Encoding together"};
        }
        if (codings_ > 0 && head_.version < 11) {
            return Refusal{400, "a transfer coding in HTTP/1.0"};
        }
        if constexpr (kIsRequest) {
            if (hosts_ > 1 || (hosts_ == 0 && head_.version >= 11)) {
                return Refusal{400, "a request needs exactly one Host"};
            }
        }
        head_.keep_alive = this->keep_alive();
        if (this->is_done()) {
            head_.framing = Framing::None;
        } else if (this->chunked()) {
            head_.framing = Framing::Chunked;
        } else if (const auto length = this->content_length()) {
            head_.framing = Framing::Length;
            head_.length = *length;
        } else {
            head_.framing = Framing::UntilClose;
        }
        finished_ = true;
        return std::nullopt;
    }

    void on_header_impl(error_code&) override {}
    void on_body_init_impl(boost::optional<std::uint64_t> const&, error_code&) override {}
    // Never fed with a body: that is read without the parser.
    std::size_t on_body_impl(boost::beast::string_view, error_code&) override { return 0; }
    void on_chunk_header_impl(std::uint64_t, boost::beast::string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, boost::beast::string_view, error_code&) override {
        return 0;
    }
    void on_finish_impl(error_code&) override {}

    HeadLimits limits_;
    Head head_;
    bool finished_ = false;
    std::size_t head_bytes_ = 0;
    std::size_t fields_ = 0;
    int lengths_ = 0;
    int codings_ = 0;
    int hosts_ = 0;
    std::string_view input_;
    std::optional<Refusal> refusal_;
};

}  // namespace

std::unique_ptr<HeadParser> HeadParser::make(Kind kind, HeadLimits limits) {
    if (kind == Kind::Request) return std::make_unique<Parser<true>>(kind, limits);
    return std::make_unique<Parser<false>>(kind, limits);
}

}  // namespace atl::net
