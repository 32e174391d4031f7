#include "main/failure.hpp"

#include "main/one_off.hpp"
#include "net/problem.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cstdio>

namespace atl::main {

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

// A sentence may quote a server or a file's name: neither shall steer the terminal.
std::string harmless(std::string text) {
    std::replace_if(
        text.begin(), text.end(),
        [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; }, ' ');
    return text;
}

}  // namespace

void tell_failure(const Error& error, For whom, const Refusal& refusal, const char* who) {
    if (whom == For::Programs) {
        std::printf("%s\n", json::serialize(object_of(error, refusal)).c_str());
        std::fflush(stdout);
    } else {
        std::fprintf(stderr, "%s: %s\n", who, harmless(error.message).c_str());
    }
}

}  // namespace atl::main
