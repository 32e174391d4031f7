#include "agent/plain_error.hpp"

#include <algorithm>

namespace atl::agent {

namespace {

constexpr std::string_view kBefore = " \t\n\"'(<[=`";
constexpr std::string_view kAfter = " \t\n\"')>],;`";

}  // namespace

bool names_a_path(std::string_view text) {
    for (std::size_t at = text.find('/'); at != text.npos; at = text.find('/', at + 1)) {
        if (at > 0 && kBefore.find(text[at - 1]) == kBefore.npos) continue;
        const auto end = std::min(text.find_first_of(kAfter, at), text.size());
        if (text.substr(at + 1, end - at - 1).find('/') != text.npos) return true;
    }
    return false;
}

Error for_people(Error error) {
    if (!names_a_path(error.message)) return error;
    switch (error.code) {
        case Code::DiskFull: error.message = "the server's disk is full"; break;
        case Code::NotFound: error.message = "something that the server stored is missing"; break;
        case Code::Unavailable:
            error.message = "the server cannot do this right now; try again in a moment";
            break;
        default: error.message = "something went wrong in the server; its log says what";
    }
    return error;
}

}  // namespace atl::agent
