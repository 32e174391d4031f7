#include "api/openai/errors.hpp"

#include "base/encoding.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace atl::api::openai {

namespace json = boost::json;

namespace {

// Clients of this API ask for these as well; that they are not here is told in their language.
constexpr std::array<std::string_view, 5> kPlaces{"chat", "completions", "embeddings", "responses",
                                                  "images"};
constexpr const char* kWord = "openai_code";
constexpr const char* kField = "openai_param";

int status_of(const net::Problem& problem) {
    return problem.status != 0 ? problem.status : net::status_of(problem.error.code);
}

std::string_view type_of(const net::Problem& problem) {
    switch (problem.error.code) {
        case Code::Unauthenticated: return "authentication_error";
        case Code::Forbidden: return "permission_error";
        case Code::RateLimited: return "rate_limit_error";
        case Code::Exhausted:
            return problem.retry_after ? "rate_limit_error" : "insufficient_quota";
        default: return status_of(problem) < 500 ? "invalid_request_error" : "server_error";
    }
}

std::string_view word_of(const net::Problem& problem) {
    switch (problem.error.code) {
        case Code::Unauthenticated: return "invalid_api_key";
        case Code::RateLimited: return "rate_limit_exceeded";
        case Code::Exhausted:
            return problem.retry_after ? "rate_limit_exceeded" : "insufficient_quota";
        default: return net::name_of(problem.error.code);
    }
}

// The first finding names the field.
json::value field_in(const net::Problem& problem) {
    if (const auto* field = problem.members.if_contains(kField)) return *field;
    const auto* errors = problem.members.if_contains("errors");
    if (errors == nullptr || !errors->is_array() || errors->get_array().empty()) return nullptr;
    const auto* first = errors->get_array().front().if_object();
    const auto* path = first == nullptr ? nullptr : first->if_contains("path");
    if (path == nullptr || !path->is_string() || path->get_string().empty()) return nullptr;
    return *path;
}

}  // namespace

bool is_for_us(const net::Request& request) {
    const auto& segments = request.target.segments;
    if (segments.size() < 2 || segments[0] != "v1") return false;
    if (segments[1] != "models") {
        return std::find(kPlaces.begin(), kPlaces.end(), segments[1]) != kPlaces.end();
    }
    return segments.size() != 3 || (segments[2] != "available" && segments[2] != "probe");
}

json::object error_object(const net::Problem& problem) {
    const auto& message = problem.error.message;
    json::object error;
    // It may quote a client's bytes.
    error["message"] = is_utf8(message) ? message : percent_encoded(message, " ");
    error["type"] = type_of(problem);
    error["param"] = field_in(problem);
    const auto* word = problem.members.if_contains(kWord);
    error["code"] = word != nullptr ? *word : json::value(json::string(word_of(problem)));
    json::object whole;
    whole["error"] = std::move(error);
    return whole;
}

std::optional<net::Response> tell_problem(const net::Request& request,
                                          const net::Problem& problem) {
    if (!is_for_us(request)) return std::nullopt;
    net::Response response{status_of(problem), problem.headers,
                           json::serialize(error_object(problem))};
    response.headers.set("Content-Type", "application/json");
    response.headers.set("Cache-Control", "no-store");
    if (problem.retry_after) {
        response.headers.set("Retry-After", std::to_string(problem.retry_after->count()));
    } else if (problem.error.code == Code::Exhausted || problem.error.code == Code::Conflict) {
        // The official clients try such a status again unless they are told that it is no use.
        response.headers.set("X-Should-Retry", "false");
    }
    return response;
}

net::Problem refused(Code code, std::string sentence, std::string_view field,
                     std::string_view word) {
    net::Problem problem(code, std::move(sentence));
    if (!field.empty()) problem.members[kField] = field;
    if (!word.empty()) problem.members[kWord] = word;
    return problem;
}

}  // namespace atl::api::openai
