#include "guest/lib/process_tree.hpp"

#include "sys/files.hpp"

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <map>
#include <set>

namespace atl::guest {

namespace {

constexpr int kRoundsMax = 16;

pid_t parent_of(pid_t pid) {
    const auto text = sys::read_small_file("/proc/" + std::to_string(pid) + "/stat");
    if (!text) return -1;
    // The name in parentheses may hold anything, parentheses too: the last one ends it.
    const auto end = text->rfind(')');
    if (end == std::string::npos || end + 4 >= text->size()) return -1;
    if ((*text)[end + 2] == 'Z') return -1;  // already dead
    return static_cast<pid_t>(std::strtol(text->c_str() + end + 4, nullptr, 10));
}

bool carries(pid_t pid, const std::string& mark) {
    if (mark.empty()) return false;
    const auto text = sys::read_small_file("/proc/" + std::to_string(pid) + "/environ");
    if (!text) return false;
    const std::string wanted = std::string(kRunMark) + "=" + mark;
    std::size_t at = 0;
    while (at < text->size()) {
        const char* variable = text->c_str() + at;
        if (wanted == variable) return true;
        at += std::strlen(variable) + 1;
    }
    return false;
}

}  // namespace

std::vector<pid_t> processes_of(pid_t root, const std::string& mark) {
    std::map<pid_t, pid_t> parents;
    DIR* directory = ::opendir("/proc");
    if (directory == nullptr) return {};
    while (const dirent* entry = ::readdir(directory)) {
        pid_t pid = 0;
        const char* end = entry->d_name + std::strlen(entry->d_name);
        if (std::from_chars(entry->d_name, end, pid).ptr != end || pid <= 1) continue;
        if (const pid_t parent = parent_of(pid); parent >= 0) parents[pid] = parent;
    }
    ::closedir(directory);

    std::set<pid_t> found;
    for (const auto& [pid, parent] : parents) {
        if (pid == root || carries(pid, mark)) found.insert(pid);
    }
    // Numbers wrap round, so a child may come before its parent: go on until nothing is added.
    for (bool added = true; added;) {
        added = false;
        for (const auto& [pid, parent] : parents) {
            if (found.count(parent) != 0 && found.insert(pid).second) added = true;
        }
    }
    return {found.begin(), found.end()};
}

void kill_tree(pid_t root, const std::string& mark) {
    for (int round = 0; round < kRoundsMax; ++round) {
        const auto left = processes_of(root, mark);
        if (left.empty()) return;
        for (const pid_t pid : left) ::kill(pid, SIGKILL);
    }
}

}  // namespace atl::guest
