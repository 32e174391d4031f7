#include "cli/session_list.hpp"

#include "base/encoding.hpp"
#include "net/target.hpp"

#include <algorithm>

namespace atl::cli {

namespace json = boost::json;

namespace {

constexpr std::string_view kPrefix = "s-";
constexpr std::size_t kIdBytes = 34;      // of a whole one
constexpr std::size_t kBeginningMin = 3;  // letters after the prefix
constexpr std::size_t kNamedAtMost = 5;

bool may_be_beginning(const std::string& word) {
    return word.size() >= kBeginningMin + (word.starts_with(kPrefix) ? kPrefix.size() : 0);
}

// All pages of `what`: sessions or jobs.
Result<json::array> all_of(Server& server, const std::string& what,
                           const std::vector<std::string>& states) {
    std::string filter;
    for (const auto& state : states) filter += "&state=" + percent_encoded(state);
    json::array all;
    Pages pages;
    for (;;) {
        const auto& cursor = pages.cursor();
        auto page = server.get("/v1/" + what + "?limit=500" + filter +
                               (cursor.empty() ? "" : "&cursor=" + percent_encoded(cursor)));
        if (!page) return page.error();
        if (auto* found = page->if_contains(what); found != nullptr && found->is_array()) {
            for (auto& one : found->get_array()) {
                if (one.is_object()) all.push_back(std::move(one));
            }
        }
        const auto more = pages.go_on(text_in(*page, "next_cursor"));
        if (!more) return more.error();
        if (!*more) return all;
    }
}

}  // namespace

Result<json::array> all_sessions(Server& server, const std::vector<std::string>& states) {
    return all_of(server, "sessions", states);
}

Result<json::array> all_jobs(Server& server, const std::vector<std::string>& states) {
    return all_of(server, "jobs", states);
}

Result<std::string> job_id(Server& server, const std::string& word) {
    const auto whole = server.get(api_path("/v1/jobs/", word));
    if (whole) return word;
    if (whole.error().code != Code::NotFound || word.size() < kBeginningMin) return whole.error();
    const Refusal refusal = server.refusal();
    const auto jobs = all_jobs(server);
    std::vector<std::string> found;
    if (jobs) {
        for (const auto& one : *jobs) {
            auto id = text_in(one.get_object(), "id");
            if (id.starts_with(word)) found.push_back(std::move(id));
        }
    }
    if (found.size() == 1) return found.front();
    server.recall(found.empty() ? refusal : Refusal{});
    if (found.empty()) return whole.error();
    return Error{Code::Conflict,
                 std::to_string(found.size()) + " jobs begin with " + word + ": name more of it"};
}

std::vector<std::string> ids_beginning_with(const std::vector<std::string>& ids,
                                            const std::string& word) {
    std::vector<std::string> found;
    if (!may_be_beginning(word)) return found;
    const std::string whole =
        word.starts_with(kPrefix) ? word : std::string(kPrefix) + word;  // as in `atoll rm 3kq`
    std::copy_if(ids.begin(), ids.end(), std::back_inserter(found),
                 [&](const std::string& id) { return id.starts_with(whole); });
    return found;
}

Result<std::string> session_id(Server& server, const std::string& word) {
    if (word.starts_with(kPrefix) && word.size() == kIdBytes) return word;
    // The server takes a name for an id, so what can be nothing else needs no question.
    if (!may_be_beginning(word)) return word;
    const auto named = server.get(session_path(word));
    if (named) {
        auto id = text_in(*named, "id");
        if (!id.empty()) return id;
        return Error{Code::Internal, "the server's answer has no id; is that an Atoll server?"};
    }
    if (named.error().code != Code::NotFound) return named.error();
    const Refusal refusal = server.refusal();
    const auto sessions = all_sessions(server);
    if (!sessions) {
        // A key that may not list them: what was asked for first is what matters.
        server.recall(refusal);
        return named.error();
    }
    std::vector<std::string> ids;
    for (const auto& one : *sessions) ids.push_back(text_in(one.get_object(), "id"));
    const auto found = ids_beginning_with(ids, word);
    if (found.size() == 1) return found.front();
    server.recall(refusal);
    if (found.empty()) return named.error();
    std::string sentence = std::to_string(found.size()) + " sessions begin with " + word + ":";
    for (std::size_t i = 0; i < std::min(found.size(), kNamedAtMost); ++i) {
        sentence += (i == 0 ? " " : ", ") + found[i];
    }
    if (found.size() > kNamedAtMost) sentence += ", …";
    server.recall({});
    return Error{Code::Conflict, sentence};
}

}  // namespace atl::cli
