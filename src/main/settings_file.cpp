#include "main/settings_file.hpp"

#include <fstream>
#include <optional>
#include <sstream>
#include <toml++/toml.h>

namespace atl::main {

namespace {

constexpr std::streamsize kFileBytesMax = 1 << 20;
constexpr std::size_t kDepthMax = 4;

Error at(const std::string& path, unsigned line, const std::string& what) {
    return {Code::InvalidArgument, path + ":" + std::to_string(line) + ": " + what};
}

std::optional<std::string> word_of(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) return std::to_string(number->get());
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
    if (const auto* fraction = node.as_floating_point()) {
        std::ostringstream out;
        out << fraction->get();
        return out.str();
    }
    return std::nullopt;
}

Result<void> collect(const std::string& path, const toml::table& table, const std::string& prefix,
                     std::size_t depth, std::vector<FileEntry>& into) {
    for (const auto& [name, node] : table) {
        const std::string key = prefix + std::string(name.str());
        const unsigned line = static_cast<unsigned>(name.source().begin.line);
        if (const auto* inner = node.as_table()) {
            if (depth == kDepthMax) return at(path, line, "there is no setting " + key);
            if (auto good = collect(path, *inner, key + ".", depth + 1, into); !good) return good;
            continue;
        }
        FileEntry entry{key, {}, line};
        if (const auto* list = node.as_array()) {
            for (const auto& one : *list) {
                auto word = word_of(one);
                if (!word) return at(path, line, key + ": a list may contain strings only");
                entry.words.push_back(std::move(*word));
            }
        } else if (auto word = word_of(node)) {
            entry.words.push_back(std::move(*word));
        } else {
            return at(path, line, key + ": a date or time is not a valid value");
        }
        into.push_back(std::move(entry));
    }
    return {};
}

}  // namespace

Result<std::vector<FileEntry>> read_settings_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error{Code::InvalidArgument, "the settings file " + path + " cannot be read"};
    std::string text(kFileBytesMax + 1, '\0');
    file.read(text.data(), kFileBytesMax + 1);
    if (file.bad()) {  // a folder opens like a file
        return Error{Code::InvalidArgument, "the settings file " + path + " cannot be read"};
    }
    if (file.gcount() > kFileBytesMax) {
        return Error{Code::InvalidArgument, "the settings file " + path + " is larger than 1 MiB"};
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    std::vector<FileEntry> entries;
    try {
        const toml::table table = toml::parse(text, path);
        if (auto good = collect(path, table, "", 0, entries); !good) return good.error();
    } catch (const toml::parse_error& wrong) {
        return at(path, static_cast<unsigned>(wrong.source().begin.line),
                  std::string(wrong.description()));
    }
    return entries;
}

}  // namespace atl::main
