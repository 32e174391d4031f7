#include "cli/failure.hpp"

#include "base/text.hpp"
#include "cli/one_off.hpp"
#include "net/problem.hpp"

#include <boost/json/serialize.hpp>
#include <cstdio>

namespace atl::cli {

namespace json = boost::json;

namespace {

json::object object_of(const Error& error, const Refusal& refusal) {
    const std::string code =
        refusal.code.empty() ? std::string(net::name_of(error.code)) : as_text(refusal.code);
    json::object about{{"code", code}, {"message", as_text(error.message)}};
    if (refusal.status != 0) about["status"] = refusal.status;
    if (!refusal.request_id.empty()) about["request_id"] = as_text(refusal.request_id);
    return {{"error", std::move(about)}};
}

}  // namespace

void tell_failure(const Error& error, For whom, const Refusal& refusal, const char* who) {
    if (whom == For::Programs) {
        std::printf("%s\n", printable(json::serialize(object_of(error, refusal))).c_str());
        std::fflush(stdout);
    } else {
        // A sentence may quote a server or a file's name: neither shall steer the terminal.
        std::fprintf(stderr, "%s: %s\n", who, printable(error.message, Lines::Kept).c_str());
    }
}

}  // namespace atl::cli
