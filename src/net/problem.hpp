#pragma once
// How a failure becomes an answer: the one place that knows which Code is which status.
//
// A handler throws ErrorException, or a Problem when the answer needs more than a code and a
// sentence. Anything else that it throws is a fault of ours: the client gets a plain sentence and
// the request's id, the log gets the detail.
#include "base/result.hpp"
#include "net/message.hpp"

#include <boost/json/object.hpp>
#include <chrono>
#include <optional>
#include <stdexcept>

namespace atl::net {

// An Error with more to say to an HTTP client.
struct Problem : ErrorException {
    explicit Problem(Error e) : ErrorException(std::move(e)) {}
    Problem(Code code, std::string message) : ErrorException(Error{code, std::move(message)}) {}

    int status = 0;               // 0: what the code stands for
    boost::json::object members;  // in addition to the usual ones, which it cannot replace
    Headers headers;              // e.g. WWW-Authenticate, Allow
    std::optional<std::chrono::seconds> retry_after;

    Problem&& with_status(int value) && { return status = value, std::move(*this); }
    Problem&& with_member(std::string_view name, boost::json::value value) && {
        members[name] = std::move(value);
        return std::move(*this);
    }
    Problem&& with_header(std::string_view name, std::string_view value) && {
        headers.set(name, value);
        return std::move(*this);
    }
    Problem&& with_retry_after(std::chrono::seconds value) && {
        retry_after = value;
        return std::move(*this);
    }
};

// Thrown by whatever reads from or writes to a client that is no longer there. A handler lets it
// pass: there is nobody left to answer.
struct ClientGone : std::runtime_error {
    ClientGone() : std::runtime_error("the client has gone") {}
};

[[nodiscard]] std::string_view name_of(Code code) noexcept;  // "not_found": stable, part of the API
[[nodiscard]] int status_of(Code code) noexcept;

// application/problem+json: type, title, status, code, detail, request_id, and the members.
[[nodiscard]] Response problem_response(const Problem& problem, std::string_view request_id);

}  // namespace atl::net
