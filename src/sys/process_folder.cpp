#include "sys/process_folder.hpp"

#include "sys/files.hpp"

#include <dirent.h>

namespace atl::sys {

namespace {

bool has_ended(const std::string& folder) {
    const auto text = read_small_file(folder + "/stat");
    if (!text) return true;
    // "12 (name) Z …": a name may contain anything, also a bracket.
    const auto name_end = text->rfind(')');
    if (name_end == std::string::npos || name_end + 2 >= text->size()) return true;
    const char state = (*text)[name_end + 2];
    return state == 'Z' || state == 'X';
}

}  // namespace

std::string process_folder(const std::string& pid) {
    const std::string whole = "/proc/" + pid;
    if (!has_ended(whole)) return whole;
    const std::string tasks = whole + "/task";
    DIR* directory = ::opendir(tasks.c_str());
    if (directory == nullptr) return whole;
    std::string found = whole;
    while (const dirent* entry = ::readdir(directory)) {
        if (entry->d_name[0] == '.' || pid == entry->d_name) continue;
        std::string thread = tasks + "/" + entry->d_name;
        if (has_ended(thread)) continue;
        found = std::move(thread);
        break;
    }
    ::closedir(directory);
    return found;
}

}  // namespace atl::sys
