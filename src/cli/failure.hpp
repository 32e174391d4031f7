#pragma once
// How a command reports a failure: a sentence on stderr for people. With --json it is one object on
// stdout in place of the result, so that a program reads one object in any case:
//
//     {"error": {"code": "not_found", "message": "there is no session s-1",
//                "status": 404, "request_id": "r-…"}}
//
// `status` and `request_id` are there when a server answered.
#include "base/result.hpp"

#include <string>
#include <utility>

namespace atl::cli {

// What a server said in addition to its message; empty when none was asked, or none answered.
struct Refusal {
    int status = 0;
    std::string code;
    std::string request_id;
};

// What the user asked for cannot be done as it was said.
[[nodiscard]] inline Error invalid(std::string message) {
    return {Code::InvalidArgument, std::move(message)};
}

enum class For : bool { People, Programs };  // without --json, and with it

[[nodiscard]] inline For reader_of(bool as_json) { return as_json ? For::Programs : For::People; }

// `who` begins the sentence: "atoll", "atoll config".
void tell_failure(const Error& error, For whom, const Refusal& refusal = {},
                  const char* who = "atoll");

}  // namespace atl::cli
