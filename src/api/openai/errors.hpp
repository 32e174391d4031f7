#pragma once
// How failures are told to clients of this API: {"error": {"message", "type", "param", "code"}}.
#include "net/problem.hpp"

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace atl::api::openai {

// Whether a request is for this API, by its path. /v1/models/available and probe are Atoll's own.
[[nodiscard]] bool is_for_us(const net::Request& request);
// For ServerOptions::tell_problem.
[[nodiscard]] std::optional<net::Response> tell_problem(const net::Request& request,
                                                        const net::Problem& problem);
// The same as a value, for the middle of a stream.
[[nodiscard]] boost::json::object error_object(const net::Problem& problem);

// What a client can do something about: the field, and a word for programs.
[[nodiscard]] net::Problem refused(Code code, std::string sentence, std::string_view field,
                                   std::string_view word);

}  // namespace atl::api::openai
