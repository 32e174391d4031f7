#pragma once
// How a plain function says that it can fail: Result<T>. A coroutine returns T and fails by
// exception; value() is the bridge from the one to the other.
#include <boost/system/result.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace atl {

// What the caller can do about it, not where it happened.
enum class Code {
    InvalidArgument,  // ask for something else
    Unauthenticated,  // say who you are
    Forbidden,        // you may not
    NotFound,
    Conflict,     // not in this state
    TooLarge,     // send less
    Exhausted,    // a quota or a limit is used up
    DiskFull,     // of the host, whoever filled it
    RateLimited,  // wait
    Unsupported,  // this server cannot do it at all
    Unavailable,  // not now
    Timeout,
    Internal,  // a fault of ours
};

struct Error {
    Code code = Code::Internal;
    std::string message;

    // Each layer adds what it was about; the message then reads from intent down to cause.
    [[nodiscard]] Error during(const std::string& intent) const {
        return {code, intent + ": " + message};
    }
};

struct ErrorException : std::runtime_error {
    explicit ErrorException(Error e) : std::runtime_error(e.message), error(std::move(e)) {}
    Error error;
};

// Boost finds this by name when value() meets a failure.
[[noreturn]] inline void throw_exception_from_error(const Error& e, const boost::source_location&) {
    throw ErrorException(e);
}

// Result<void> for what succeeds without an answer: `return {};`.
template <class T>
class [[nodiscard]] Result : public boost::system::result<T, Error> {
    using boost::system::result<T, Error>::result;
};

}  // namespace atl
