#pragma once
// The names of the sheets of a thread's workbooks, for its prompt: a model that is not told of a
// sheet does not read it.
//
// A workbook is a zip archive from a stranger, so it is read in the thread's own sandbox, by a
// program beside the kernel (data/sheet_names.py). That takes one short run for each thread, before
// its first answer, and none for threads without archives.
//
// Owns      the names that are known, by session; those of at most 10,000.
// Threads   one, the executor's.
// Trusts    nothing that the program says: names are bounded in number and length, and made one
//           line. It may say what it likes of its own thread, and of no other.
// On failure there are no names. Without a sandbox they are asked for again for the next prompt; a
//           program that failed or took too long is not run twice for one thread.
#include "agent/prompt.hpp"
#include "sessions/sessions.hpp"

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace atl::agent {

class SheetNames {
public:
    // Awake, and held by the caller; null: there is none.
    using UseSession = std::function<boost::asio::awaitable<sessions::Use*>()>;

    explicit SheetNames(sessions::Sessions& sessions) : sessions_(sessions) {}

    // The same files, with their sheets. `use` is called if there is something to ask for.
    boost::asio::awaitable<std::vector<PromptFile>> added_to(std::vector<PromptFile> files,
                                                             SessionId id, UseSession use);
    void forget(const SessionId& id) { known_.erase(id.text()); }

private:
    using Sheets = std::vector<std::vector<std::string>>;  // of each file

    boost::asio::awaitable<Sheets> ask(sessions::Use& use, std::vector<std::string> paths);

    sessions::Sessions& sessions_;
    std::map<std::string, Sheets> known_;
};

// One line of what the program printed: at most 50 names, each of at most 80 bytes; empty if it is
// anything but a list of texts.
[[nodiscard]] std::vector<std::string> sheets_in_line(std::string_view line);

}  // namespace atl::agent
