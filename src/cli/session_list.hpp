#pragma once
// Finds sessions and jobs of a server by what a person types: an id, a name, or the beginning of an
// id, if it is unambiguous.
#include "cli/server.hpp"

#include <boost/json/array.hpp>
#include <string>
#include <vector>

namespace atl::cli {

// What the help says about an argument that names one.
inline constexpr const char* kSessionHelp = "The session: its id, the beginning of it, or its name";

// All that the caller may see, page by page; `states` empty: whatever their state.
[[nodiscard]] Result<boost::json::array> all_sessions(Server& server,
                                                      const std::vector<std::string>& states = {});

// The id of the session that `word` means. NotFound when there is none, Conflict when the beginning
// of an id belongs to several.
[[nodiscard]] Result<std::string> session_id(Server& server, const std::string& word);

// All jobs that the caller may see; `states` empty: whatever their state.
[[nodiscard]] Result<boost::json::array> all_jobs(Server& server,
                                                  const std::vector<std::string>& states = {});
// The id of the job that `word` means: its id, or as much of it as belongs to one job only.
[[nodiscard]] Result<std::string> job_id(Server& server, const std::string& word);

// Pure: which of these ids begin with it. Too short a word is no beginning: `atoll rm s` is a slip.
[[nodiscard]] std::vector<std::string> ids_beginning_with(const std::vector<std::string>& ids,
                                                          const std::string& word);

}  // namespace atl::cli
