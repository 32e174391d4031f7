#pragma once
// A hint if a script cannot import its neighbour: `atoll run pkg/main.py` copies the script only.
#include <functional>
#include <string>

namespace atl::cli {

// What to do about it, if `err` ends with an import that failed for a module that stands next to
// the script on this machine; else empty. `exists` looks at this machine's files.
[[nodiscard]] std::string import_hint(const std::string& script, const std::string& err,
                                      const std::function<bool(const std::string&)>& exists);

}  // namespace atl::cli
