#include "net/client.hpp"

#include "net/curl_handle.hpp"

#include <algorithm>
#include <exception>

namespace atl::net {

namespace {

constexpr std::size_t kAnswerBytesMax = 64u << 20;

// One answer under way, as curl's callbacks see it.
struct Receiving {
    const ClientRequest& request;
    CURL* handle;
    ClientAnswer answer;
    bool too_large = false;
    std::exception_ptr failed;

    bool wants_pieces() const { return request.sink && answer.status < 300; }
};

// An exception must not pass through curl, which is C.
template <class Work>
std::size_t guarded(Receiving& receiving, std::size_t otherwise, Work work) noexcept {
    try {
        return work();
    } catch (...) {
        receiving.failed = std::current_exception();
        return otherwise;
    }
}

std::size_t take_header(char* line, std::size_t one, std::size_t bytes, void* user) noexcept {
    auto& receiving = *static_cast<Receiving*>(user);
    return guarded(receiving, 0, [&]() -> std::size_t {
        std::string_view text(line, one * bytes);
        while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
        if (text.starts_with("HTTP/")) {  // also after a 100 Continue: what came before is void
            receiving.answer.headers.clear();
            long status = 0;
            curl_easy_getinfo(receiving.handle, CURLINFO_RESPONSE_CODE, &status);
            receiving.answer.status = static_cast<int>(status);
        } else if (const auto colon = text.find(':'); colon != std::string_view::npos) {
            receiving.answer.headers.add(text.substr(0, colon), trimmed(text.substr(colon + 1)));
        }
        return one * bytes;
    });
}

std::size_t take_body(char* piece, std::size_t one, std::size_t bytes, void* user) noexcept {
    auto& receiving = *static_cast<Receiving*>(user);
    return guarded(receiving, 0, [&]() -> std::size_t {
        const std::string_view text(piece, one * bytes);
        if (receiving.wants_pieces()) {
            if (receiving.request.sink(text)) return text.size();
            receiving.answer.ended_by_sink = true;
            return 0;
        }
        if (receiving.answer.body.size() + text.size() > kAnswerBytesMax) {
            receiving.too_large = true;
            return 0;
        }
        receiving.answer.body.append(text);
        return text.size();
    });
}

std::size_t give_body(char* buffer, std::size_t one, std::size_t count, void* user) noexcept {
    auto& receiving = *static_cast<Receiving*>(user);
    return guarded(receiving, CURL_READFUNC_ABORT,
                   [&] { return receiving.request.source(buffer, one * count); });
}

int take_progress(void* user, curl_off_t down_all, curl_off_t down, curl_off_t, curl_off_t) {
    auto& receiving = *static_cast<Receiving*>(user);
    if (Client::interrupt().load()) return 1;
    const auto stop = guarded(receiving, 1, [&]() -> std::size_t {
        if (receiving.request.progress && receiving.wants_pieces()) {
            receiving.request.progress(static_cast<std::uint64_t>(down),
                                       static_cast<std::uint64_t>(down_all));
        }
        return 0;
    });
    return static_cast<int>(stop);
}

}  // namespace

struct Client::Transfer {
    CurlHandle handle{curl_easy_init()};
};

std::atomic<bool>& Client::interrupt() noexcept {
    static std::atomic<bool> interrupted{false};
    return interrupted;
}

Client::Client(std::string url, std::string key)
    : url_(std::move(url)), key_(std::move(key)), transfer_(std::make_unique<Transfer>()) {
    while (!url_.empty() && url_.back() == '/') url_.pop_back();
}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Result<ClientAnswer> Client::send(const ClientRequest& request) {
    CURL* handle = transfer_->handle.get();
    if (handle == nullptr) return Error{Code::Internal, "curl could not be started"};
    curl_easy_reset(handle);
    if (const auto aimed = aim(handle, url_, request.path); !aimed) return aimed.error();

    Receiving receiving{request, handle, {}, false, nullptr};
    if (request.source) {
        curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(handle, CURLOPT_READFUNCTION, give_body);
        curl_easy_setopt(handle, CURLOPT_READDATA, &receiving);
        curl_easy_setopt(handle, CURLOPT_UPLOAD_BUFFERSIZE, 512L << 10);
        if (request.source_bytes) {
            curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE,
                             static_cast<curl_off_t>(*request.source_bytes));
        }
    } else if (!request.body.empty() || request.method == "POST") {
        curl_easy_setopt(handle, CURLOPT_POST, 1L);
        curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.data());
        curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                         static_cast<curl_off_t>(request.body.size()));
    }
    if (request.method == "HEAD") curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    std::unique_ptr<curl_slist, FreeList> headers;
    const auto add = [&](const std::string& line) {
        curl_slist* longer = curl_slist_append(headers.get(), line.c_str());
        if (longer == nullptr) return;
        static_cast<void>(headers.release());
        headers.reset(longer);
    };
    add("Expect:");
    if (!request.headers.contains("Content-Type")) add("Content-Type: application/json");
    if (!key_.empty()) add("Authorization: Bearer " + key_);
    for (const auto& [name, value] : request.headers) add(name + ": " + value);
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, &receiving);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &receiving);
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, take_progress);
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &receiving);
    char why[CURL_ERROR_SIZE] = "";
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, why);

    const CURLcode code = curl_easy_perform(handle);
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, nullptr);
    if (receiving.failed) std::rethrow_exception(receiving.failed);
    if (code == CURLE_OK || receiving.answer.ended_by_sink) return std::move(receiving.answer);
    if (receiving.too_large) return Error{Code::TooLarge, "the response is larger than 64 MiB"};
    return curl_error(code, why, url_);
}

}  // namespace atl::net
