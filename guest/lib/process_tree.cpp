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
constexpr std::size_t kProgramsMax = 256;
constexpr std::size_t kCommandBytesMax = 200;

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

std::string command_of(pid_t pid) {
    const std::string folder = "/proc/" + std::to_string(pid);
    auto text = sys::read_small_file(folder + "/cmdline");
    if (!text || text->empty()) text = sys::read_small_file(folder + "/comm");
    std::string command = text.value_or("");
    while (!command.empty() && (command.back() == '\0' || command.back() == '\n')) {
        command.pop_back();
    }
    if (command.size() > kCommandBytesMax) command.resize(kCommandBytesMax);
    for (char& c : command) {
        if (c == '\0') c = ' ';
        // It is a program's to choose, and goes into JSON and onto screens.
        if (c < ' ' || c > '~') c = '?';
    }
    return command;
}

// A kernel that was deleted a moment ago is still there, and is nobody's loss.
bool is_ending(pid_t pid) {
    const std::string folder = "/proc/" + std::to_string(pid);
    const auto status = sys::read_small_file(folder + "/status");
    const auto stat = sys::read_small_file(folder + "/stat");
    if (!status || !stat) return true;  // gone
    for (const char* line : {"\nSigPnd:", "\nShdPnd:"}) {
        const auto at = status->find(line);
        if (at == std::string::npos) continue;
        const auto pending = std::strtoull(status->c_str() + at + std::strlen(line), nullptr, 16);
        if ((pending & (1ull << (SIGKILL - 1))) != 0) return true;
    }
    // Once the signal is taken it is no longer pending: then the kernel's own flags say so. They
    // are the seventh field behind the name, of which only the first is no number.
    constexpr unsigned long kExiting = 0x4;  // PF_EXITING
    const auto end = stat->rfind(')');
    if (end == std::string::npos || end + 4 >= stat->size()) return true;
    const char* at = stat->c_str() + end + 3;
    unsigned long flags = 0;
    for (int field = 0; field < 6; ++field) {
        char* next = nullptr;
        flags = std::strtoul(at, &next, 10);
        if (next == at) return true;
        at = next;
    }
    return (flags & kExiting) != 0;
}

std::map<pid_t, pid_t> living_and_parents() {
    std::map<pid_t, pid_t> parents;
    DIR* directory = ::opendir("/proc");
    if (directory == nullptr) return parents;
    while (const dirent* entry = ::readdir(directory)) {
        pid_t pid = 0;
        const char* end = entry->d_name + std::strlen(entry->d_name);
        if (std::from_chars(entry->d_name, end, pid).ptr != end || pid <= 1) continue;
        if (const pid_t parent = parent_of(pid); parent >= 0) parents[pid] = parent;
    }
    ::closedir(directory);
    return parents;
}

}  // namespace

std::vector<RunningProgram> programs_except(const std::set<pid_t>& ours, bool coming) {
    std::vector<RunningProgram> found;
    const std::string kernels_command = command_of(1);  // both are forks of the zygote
    const auto living = living_and_parents();
    for (const auto& [pid, parent] : living) {
        if (ours.count(pid) != 0) continue;
        // Its parent is outside: a helper of the zygote that brings a kernel here and is about to
        // end. No program of this sandbox can have such a parent. Its child is that kernel, which
        // becomes ours when the helper ends: it may have done so while this looked.
        if (parent == 0) continue;
        const auto above = living.find(parent);
        if (above != living.end() && above->second == 0) continue;
        const bool may_have_come = parent <= 1 || above == living.end();
        if (found.size() == kProgramsMax) break;
        std::string command = command_of(pid);
        if (is_ending(pid)) continue;  // looked at last: it may have ended in between
        if (coming && may_have_come && command == kernels_command) continue;
        found.push_back({pid, std::move(command)});
    }
    return found;
}

std::vector<pid_t> processes_of(pid_t root, const std::string& mark) {
    const auto parents = living_and_parents();
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
