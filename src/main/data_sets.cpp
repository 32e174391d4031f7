#include "main/data_sets.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace atl::main {

namespace {

constexpr std::size_t kNameBytesMax = 64;

Error wrong_folder(const std::string& what) { return {Code::InvalidArgument, what}; }

bool is_plain(std::string_view name) {
    if (name.empty() || name.size() > kNameBytesMax || name.front() == '.' || name.front() == '-') {
        return false;
    }
    return std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               c == '.' || c == '-' || c == '_';
    });
}

}  // namespace

Result<std::map<std::string, std::string>> data_sets_of(const std::vector<std::string>& words) {
    std::map<std::string, std::string> sets;
    for (const auto& word : words) {
        const auto sign = word.find('=');
        if (sign == std::string::npos) {
            return wrong_folder("\"" + word + "\" is not a data set: write name=/folder");
        }
        std::string name = word.substr(0, sign);
        std::string folder = word.substr(sign + 1);
        if (!is_plain(name)) {
            return wrong_folder(
                "\"" + name +
                "\" is not a data set name: up to 64 letters, digits, dots, dashes and "
                "underscores, not starting with a dot or dash");
        }
        if (name == "outputs") {
            return wrong_folder("a data set cannot be called outputs: sessions use that folder");
        }
        if (folder.empty() || folder.front() != '/') {
            return wrong_folder("the data set " + name + " needs an absolute path");
        }
        while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
        if (folder == "/") return wrong_folder("the data set " + name + " would be the whole host");
        if (!sets.emplace(std::move(name), std::move(folder)).second) {
            return wrong_folder("the data set " + word.substr(0, sign) + " is named twice");
        }
    }
    return sets;
}

Result<void> check_data_root(const std::string& path) {
    if (path == "/data") return {};
    constexpr std::array<std::string_view, 19> kTaken{
        "bin", "dev",  "etc", "home", "lib", "lib32",   "lib64", "opt",  "proc", "root",
        "run", "sbin", "sys", "tmp",  "usr", "session", "var",   "work", "data"};
    if (path.size() < 2 || path.size() > 255 || path.front() != '/') {
        return wrong_folder("\"" + path + "\" is not an absolute path");
    }
    std::vector<std::string_view> parts;
    std::string_view rest(path);
    while (!rest.empty()) {
        rest.remove_prefix(1);
        const auto end = std::min(rest.find('/'), rest.size());
        parts.push_back(rest.substr(0, end));
        if (!is_plain(parts.back())) {
            return wrong_folder("\"" + path +
                                "\": use only letters, digits, dots, dashes and underscores");
        }
        rest.remove_prefix(end);
    }
    const bool taken = std::find(kTaken.begin(), kTaken.end(), parts.front()) != kTaken.end();
    if (taken || path == "/mnt") {
        return wrong_folder(
            "\"" + path +
            "\": sandboxes use this path themselves; choose /data, a path below /mnt, "
            "or another top-level folder");
    }
    return {};
}

}  // namespace atl::main
