#pragma once
// What people and models are told when the host itself fails: the sentence, without its paths.
//
// Where the server keeps its files is nobody's business in a chat, and of no use there: a model
// would look for them in its sandbox. Who runs the server reads the whole sentence in the log.
#include "base/result.hpp"

#include <string_view>

namespace atl::agent {

// An absolute path with a folder in it stands in the text.
[[nodiscard]] bool names_a_path(std::string_view text);

// As it is when it names no path. To be used on failures of the host alone: those of a sandbox name
// its own paths, and shall.
[[nodiscard]] Error for_people(Error error);

}  // namespace atl::agent
