#include "api/e2b/sandbox_entry.hpp"

#include "base/encoding.hpp"
#include "base/utf8.hpp"

#include <boost/json/object.hpp>

namespace atl::api::e2b {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kVariablesMax = 1024;

asio::awaitable<void> run_plain(sessions::Sessions& sessions, net::Handler handler,
                                net::Exchange& exchange) {
    std::optional<Error> failed;
    int status = 0;
    bool gone = false;
    try {
        co_await handler(exchange);
    } catch (const SandboxGone&) { gone = true; } catch (const net::Problem& problem) {
        failed = problem.error;
        status = problem.status;
    } catch (const ErrorException& error) { failed = error.error; }
    if (failed && failed->code == Code::Unavailable) gone = !co_await is_there(sessions, exchange);
    if (!failed && !gone) co_return;
    if (exchange.begun()) cut_off();
    if (gone) {
        co_await exchange.respond(gone_response(exchange));
        co_return;
    }
    if (status == 0) status = http_status_of(*failed);
    co_await exchange.respond(error_response(status, failed->message));
}

}  // namespace

asio::awaitable<sessions::Use> enter(sessions::Sessions& sessions, net::Exchange& exchange) {
    try {
        co_return co_await sessions.use(whose(exchange), session_in(exchange));
    } catch (const ErrorException& error) {
        if (error.error.code == Code::NotFound) throw SandboxGone();
        throw;
    }
}

asio::awaitable<bool> is_there(sessions::Sessions& sessions, net::Exchange& exchange) {
    try {
        const auto record = co_await sessions.get(whose(exchange), session_in(exchange));
        co_return record.state != core::SessionState::Deleting;
    } catch (const ErrorException& error) { co_return error.error.code != Code::NotFound; }
}

User user_named(std::string_view name) {
    if (name.empty() || name == kUser.name) return kUser;
    if (name == kRoot.name) return kRoot;
    throw ErrorException({Code::Unauthenticated,
                          "invalid username: a sandbox has the users user and root, and not " +
                              as_utf8(name.substr(0, 64))});
}

User user_of(const net::Request& request) {
    constexpr std::string_view kBasic = "Basic ";
    const auto header = request.headers.get_or("Authorization", {});
    if (header.size() < kBasic.size() ||
        !net::same_ignoring_case(header.substr(0, kBasic.size()), kBasic)) {
        return kUser;
    }
    const auto shown = base64_decoded(net::trimmed(header.substr(kBasic.size())));
    return user_named(std::string_view(shown).substr(0, shown.find(':')));
}

std::map<std::string, std::string> environment_in(const sessions::Use& use,
                                                  std::map<std::string, std::string> more,
                                                  const User& user) {
    // insert() keeps what is there.
    more.insert(use->environment().begin(), use->environment().end());
    more.insert({{"HOME", std::string(user.home)},
                 {"USER", std::string(user.name)},
                 {"LOGNAME", std::string(user.name)}});
    return more;
}

void check_environment(const std::map<std::string, std::string>& variables) {
    const auto refuse = [](const std::string& why) {
        throw ErrorException({Code::InvalidArgument, "environment: " + why});
    };
    if (variables.size() > kVariablesMax) {
        refuse("there are more than " + std::to_string(kVariablesMax) + " variables");
    }
    for (const auto& [name, value] : variables) {
        if (name.empty()) refuse("a variable has no name");
        if (name.find('=') != std::string::npos || name.find('\0') != std::string::npos) {
            refuse("the name of a variable has an equals sign or a zero byte");
        }
        if (value.find('\0') != std::string::npos) refuse(name + " has a zero byte");
    }
}

net::Response gone_response(const net::Exchange& exchange) {
    const json::object body{{"sandboxId", exchange.request().parameter("id")},
                            {"message", "The sandbox was not found"},
                            {"code", 502}};
    return net::Response::json(502, body);
}

net::Response error_response(int status, std::string_view message) {
    const json::object body{{"code", status}, {"message", as_utf8(message)}};
    return net::Response::json(status, body);
}

void cut_off() {
    // Not ClientGone, for which the connection would end in good order.
    throw net::Problem(Code::Unavailable, "the sandbox has gone");
}

int http_status_of(const Error& error) noexcept {
    switch (error.code) {
        case Code::Conflict: return 400;
        case Code::Exhausted:
        case Code::DiskFull: return 507;
        default: return net::status_of(error.code);
    }
}

net::Handler plain_http(sessions::Sessions& sessions, net::Handler handler) {
    return [&sessions, handler = std::move(handler)](net::Exchange& exchange) {
        return run_plain(sessions, handler, exchange);
    };
}

}  // namespace atl::api::e2b
