#include "cli/server.hpp"

#include "base/encoding.hpp"
#include "net/target.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace atl::cli {

namespace json = boost::json;

namespace {

constexpr const char* kDefaultUrl = "http://127.0.0.1:8000";

std::string variable(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : otherwise;
}

Code code_of(int status) {
    switch (status) {
        case 400: return Code::InvalidArgument;
        case 401: return Code::Unauthenticated;
        case 403: return Code::Forbidden;
        case 404: return Code::NotFound;
        case 409: return Code::Conflict;
        case 413: return Code::TooLarge;
        case 429: return Code::RateLimited;
        case 501: return Code::Unsupported;
        case 503: return Code::Unavailable;
        default: return Code::Internal;
    }
}

// The server's own words, with what it says about single fields.
std::string sentence_of(const json::object& problem) {
    std::string sentence = text_in(problem, "detail");
    const auto* errors = problem.if_contains("errors");
    if (errors == nullptr || !errors->is_array()) return sentence;
    for (const auto& one : errors->get_array()) {
        if (!one.is_object()) continue;
        const std::string message = text_in(one.get_object(), "message");
        if (sentence.find(message) != std::string::npos) continue;
        sentence += "; " + text_in(one.get_object(), "path") + ": " + message;
    }
    return sentence;
}

Error error_of(int status, std::string sentence, const std::string& url) {
    if (sentence.empty()) {
        sentence = "status " + std::to_string(status) + "; is that an Atoll server at " + url + "?";
    }
    return {code_of(status), sentence};
}

Error with_advice(const Error& error) {
    if (error.code != Code::Unavailable && error.code != Code::Timeout) return error;
    return {error.code, error.message + "; start one with `atoll serve`, or set ATOLL_URL"};
}

void on_interrupt(int) { net::Client::interrupt().store(true); }

}  // namespace

Server Server::from_environment() {
    return {variable("ATOLL_URL", kDefaultUrl), variable("ATOLL_API_KEY", "")};
}

Result<net::ClientAnswer> Server::send(const net::ClientRequest& request) {
    refusal_ = {};
    auto answer = client_.send(request);
    if (!answer) return with_advice(answer.error());
    if (answer->status >= 300) return refused(*answer);
    return answer;
}

Error Server::refused(const net::ClientAnswer& answer) {
    boost::system::error_code failed;
    const json::value body = json::parse(answer.body, failed);
    json::object problem;  // without a body, as after HEAD, there is none
    if (!failed && body.is_object()) problem = body.get_object();
    refusal_ = {answer.status, text_in(problem, "code"), text_in(problem, "request_id")};
    const std::string sentence = sentence_of(problem);
    if (answer.status != 401) return error_of(answer.status, sentence, client_.url());
    if (key_.empty()) {
        // Which headers take a key is of no use to somebody who sets a variable.
        const bool says_more = !sentence.empty() && sentence.find("Bearer") == std::string::npos;
        return {Code::Unauthenticated,
                "the server requires an API key: set ATOLL_API_KEY (`atoll key create` on the "
                "server's machine makes one)" +
                    (says_more ? "; " + sentence : "")};
    }
    return {Code::Unauthenticated, "the server does not know the key in ATOLL_API_KEY" +
                                       (sentence.empty() ? "" : " (" + sentence + ")")};
}

Result<net::WebSocketClient> Server::open_websocket(const std::string& path) {
    refusal_ = {};
    net::WebSocketClient socket(client_.url(), key_);
    const auto answer = socket.open(path);
    if (!answer) return with_advice(answer.error());
    constexpr int kSwitching = 101;
    if (answer->status != kSwitching) return refused(*answer);
    return socket;
}

Result<json::object> Server::ask(const std::string& method, const std::string& path,
                                 const json::object* body) {
    net::ClientRequest request;
    request.method = method;
    request.path = path;
    if (body != nullptr) request.body = json::serialize(*body);
    auto answer = send(request);
    if (!answer) return answer.error();
    if (answer->body.empty()) return json::object{};
    boost::system::error_code failed;
    json::value value = json::parse(answer->body, failed);
    if (failed || !value.is_object()) {
        return Error{Code::Internal,
                     "the answer is not JSON; is that an Atoll server at " + client_.url() + "?"};
    }
    return std::move(value.get_object());
}

std::string api_path(const std::string& before, const std::string& segment,
                     const std::string& after) {
    return before + percent_encoded(segment) + after;
}

std::string session_path(const std::string& id, const std::string& after) {
    return api_path("/v1/sessions/", id, after);
}

Result<bool> Pages::go_on(std::string next) {
    constexpr std::size_t kPagesMax = 100'000;
    if (next.empty()) return false;
    if (!seen_.insert(next).second) {
        return Error{Code::Internal,
                     "the server's list does not go on: it returned the same cursor again"};
    }
    if (seen_.size() > kPagesMax) {
        return Error{Code::TooLarge, "the server's list has more than 100,000 pages"};
    }
    cursor_ = std::move(next);
    return true;
}

std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word) {
        if (c == '\'')
            text += "'\\''";
        else
            text.push_back(c);
    }
    return text + "'";
}

std::string quoted_if_needed(const std::string& word) {
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("/._-+:@%,").find(static_cast<char>(c)) != std::string_view::npos;
    });
    return plain ? word : quoted(word);
}

int report(const Error& error, For whom, const Refusal& refusal) {
    const bool interrupted = net::Client::interrupt().load();
    // The one code that no server sends: whoever pressed Ctrl-C.
    tell_failure(error, whom, interrupted ? Refusal{0, "interrupted", ""} : refusal);
    if (interrupted) return kExitInterrupted;
    return error.code == Code::InvalidArgument ? kExitUsage : kExitAtoll;
}

InterruptByKey::InterruptByKey() {
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    ::sigemptyset(&action.sa_mask);
    action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one ends the program itself
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

InterruptByKey::~InterruptByKey() {
    // Once it was pressed the program is on its way out, with an exit status of its own; the second
    // press of somebody in a hurry must not change that at the last moment.
    std::signal(SIGINT, net::Client::interrupt().load() ? SIG_IGN : SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

std::string text_in(const json::object& object, std::string_view key) {
    const auto* value = object.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->get_string())
                                                  : std::string();
}

std::int64_t number_in(const json::object& object, std::string_view key, std::int64_t otherwise) {
    const auto* value = object.if_contains(key);
    if (value == nullptr || !value->is_number()) return otherwise;
    boost::system::error_code failed;
    const auto number = value->to_number<std::int64_t>(failed);
    return failed ? otherwise : number;
}

}  // namespace atl::cli
