#include "api/e2b/access.hpp"

#include "api/api.hpp"
#include "api/e2b/errors.hpp"
#include "api/e2b/lifecycle.hpp"
#include "api/e2b/marks.hpp"
#include "api/e2b/new_sandbox.hpp"
#include "api/e2b/sandbox_id.hpp"
#include "api/e2b/signature.hpp"
#include "api/secrets.hpp"
#include "net/problem.hpp"

namespace atl::api::e2b {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kShownBytesMax = 256;
constexpr std::size_t kKeptTokensMax = 20'000;

bool shows(const net::Request& request, std::string_view header, const std::string& token) {
    const auto shown = request.headers.get(header);
    return shown && shown->size() <= kShownBytesMax &&
           core::same_digest(sha256(*shown), sha256(token));
}

// Which part of a sandbox a path is for, and where in it: /e2b/sandboxes/{id}/<part>/…
std::string_view segment(const net::Request& request, std::size_t number) {
    const auto& segments = request.target.segments;
    return number < segments.size() ? std::string_view(segments[number]) : std::string_view();
}

net::Problem no_access() {
    return net::Problem(Code::Unauthenticated,
                        "unauthorized access, please provide a valid access token of the sandbox");
}

}  // namespace

std::string Access::envd_token(const core::SessionRecord& record) const {
    return signer_.seal("e2b envd", record.id.text() + " " + marks_of(record).key_id);
}

std::string Access::traffic_token(const core::SessionRecord& record) const {
    return signer_.seal("e2b traffic", record.id.text() + " " + marks_of(record).key_id);
}

const std::string& Access::kept_token(const core::SessionRecord& record) const {
    // Those of sandboxes that are gone go with the others: no more are awake than this.
    if (tokens_.size() >= kKeptTokensMax && !tokens_.contains(record.id.text())) tokens_.clear();
    auto& kept = tokens_[record.id.text()];
    if (kept.token.empty() || kept.generation != record.generation) {
        kept = {record.generation, envd_token(record)};
    }
    return kept.token;
}

bool Access::is_key_good(const std::string& key_id) const {
    return key_id.empty() ? !keys_needed_() : keys_.is_good(key_id, core::time_now());
}

asio::awaitable<core::SessionRecord> Access::find(SessionId id) const {
    std::optional<core::SessionRecord> found;
    try {
        found = co_await sessions_.look(id);
    } catch (const ErrorException& error) {
        if (error.error.code != Code::NotFound) throw;
    }
    if (!found || !sandbox_id_of(found->id) || is_snapshot(*found) || is_over(*found)) {
        throw not_running(id);
    }
    co_return std::move(*found);
}

asio::awaitable<void> Access::admit(net::Exchange& exchange) const {
    auto& request = exchange.request();
    auto record = co_await find(SessionId(request.parameter("id")));
    const auto marks = marks_of(record);
    const auto part = segment(request, 3);
    const bool health = part == "envd" && segment(request, 4) == "health" &&
                        (request.method == "GET" || request.method == "HEAD");
    if (!health && !is_key_good(marks.key_id)) {
        throw net::Problem(Code::Unauthenticated,
                           "the key that this sandbox's tokens were made with is not good any "
                           "more; connect to the sandbox with another one");
    }
    if (part == "ports") {
        if (marks.private_ports) check_traffic(request, record);
        request.headers.remove(kMaskedHostHeader);  // a client's own
        if (!marks.host_mask.empty()) {
            request.headers.set(kMaskedHostHeader,
                                masked_host(marks.host_mask, segment(request, 4)));
        }
    } else if (part == "interpreter") {
        check_traffic(request, record);
    } else if (part == "envd" && segment(request, 4) == "files") {
        check_files(request, record);
    } else if (!health) {
        check_token(request, record);
    }
    if (is_paused(record)) {
        if (health || !marks.auto_resume) throw not_running(record.id);
        record =
            co_await resume(sessions_, core::Whose::of(record.owner), record.id, kDefaultTimeout);
    }
    Caller caller;
    caller.owner = record.owner;
    caller.key_id = marks.key_id;
    caller.scopes = {"run", "files"};
    request.context = std::move(caller);
}

void Access::check_token(const net::Request& request, const core::SessionRecord& record) const {
    if (!shows(request, kTokenHeader, envd_token(record))) throw no_access();
}

void Access::check_traffic(const net::Request& request, const core::SessionRecord& record) const {
    if (shows(request, kTrafficHeader, traffic_token(record))) return;
    // SDKs that know of no traffic token show the other one where they can.
    if (shows(request, kTokenHeader, envd_token(record))) return;
    throw net::Problem(Code::Forbidden,
                       "this takes the sandbox's traffic access token: E2B-Traffic-Access-Token");
}

void Access::check_files(const net::Request& request, const core::SessionRecord& record) const {
    if (request.headers.contains(kTokenHeader)) return check_token(request, record);
    const auto signature = FileSignature::in(request);
    if (!signature) throw net::Problem(Code::Unauthenticated, "missing signature query parameter");
    if (!signature->is_of(envd_token(record))) {
        throw net::Problem(Code::Unauthenticated, "invalid signature");
    }
    signature->check_time();
}

std::optional<SessionId> Access::signer_of(const net::Request& request) const {
    const auto signature = FileSignature::in(request);
    if (!signature) return std::nullopt;
    std::optional<SessionId> found;
    sessions_.each_awake([&](const core::SessionRecord& record) {
        if (sandbox_id_of(record.id) && signature->is_of(kept_token(record))) found = record.id;
        return !found;
    });
    return found;
}

}  // namespace atl::api::e2b
