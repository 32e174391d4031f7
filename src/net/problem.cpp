#include "net/problem.hpp"

#include "base/encoding.hpp"
#include "base/utf8.hpp"

#include <boost/json/serialize.hpp>

namespace atl::net {

std::string_view name_of(Code code) noexcept {
    switch (code) {
        case Code::InvalidArgument: return "invalid_argument";
        case Code::Unauthenticated: return "unauthenticated";
        case Code::Forbidden: return "forbidden";
        case Code::NotFound: return "not_found";
        case Code::Conflict: return "conflict";
        case Code::TooLarge: return "too_large";
        case Code::Exhausted: return "exhausted";
        case Code::DiskFull: return "disk_full";
        case Code::RateLimited: return "rate_limited";
        case Code::Unsupported: return "unsupported";
        case Code::Unavailable: return "unavailable";
        case Code::Timeout: return "timeout";
        case Code::Internal: return "internal";
    }
    return "internal";
}

int status_of(Code code) noexcept {
    switch (code) {
        case Code::InvalidArgument: return 400;
        case Code::Unauthenticated: return 401;
        case Code::Forbidden: return 403;
        case Code::NotFound: return 404;
        case Code::Conflict: return 409;
        case Code::TooLarge: return 413;
        case Code::Exhausted:
        case Code::RateLimited: return 429;
        case Code::DiskFull: return 507;
        case Code::Unsupported: return 501;
        case Code::Unavailable: return 503;
        case Code::Timeout: return 504;
        case Code::Internal: return 500;
    }
    return 500;
}

Response problem_response(const Problem& problem, std::string_view request_id) {
    const int status = problem.status != 0 ? problem.status : status_of(problem.error.code);
    boost::json::object body;
    body["type"] = "about:blank";
    body["title"] = reason_phrase(status);
    body["status"] = status;
    body["code"] = name_of(problem.error.code);
    // Messages may quote a client's or a guest's bytes; the document must be UTF-8 all the same.
    body["detail"] = is_utf8(problem.error.message) ? problem.error.message
                                                    : percent_encoded(problem.error.message, " ");
    body["request_id"] = request_id;
    for (const auto& member : problem.members) body.insert(member);  // never over one of ours
    Response response{status, problem.headers, boost::json::serialize(body)};
    response.headers.set("Content-Type", "application/problem+json");
    response.headers.set("Cache-Control", "no-store");
    if (problem.retry_after) {
        response.headers.set("Retry-After", std::to_string(problem.retry_after->count()));
    }
    return response;
}

}  // namespace atl::net
