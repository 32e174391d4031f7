#include "models/offline/data.hpp"

#include "models/offline/text.hpp"

#include <map>

namespace atl::offline {
namespace {

// "a | b" as "a|b"
std::string joined(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_beside_bar = text[i] == ' ' && ((i + 1 < text.size() && text[i + 1] == '|') ||
                                                      out.empty() || out.back() == '|');
        if (!is_beside_bar) out += text[i];
    }
    return out;
}

}  // namespace

std::string_view data_file(std::string_view name) {
    for (const Asset& asset : assets()) {
        if (asset.path == name) return asset.bytes;
    }
    return {};
}

std::vector<std::string> data_lines(std::string_view name) {
    std::vector<std::string> lines;
    std::string_view left = data_file(name);
    while (!left.empty()) {
        const std::size_t end = left.find('\n');
        const std::string_view line = left.substr(0, end);
        left = end == std::string_view::npos ? std::string_view() : left.substr(end + 1);
        if (line.find_first_not_of(' ') == line.npos || line.front() == '#') continue;
        if (line.front() == ' ' && !lines.empty()) {
            lines.back() += line.substr(line.find_first_not_of(' ') - 1);
        } else {
            lines.emplace_back(line);
        }
    }
    return lines;
}

std::vector<DataRow> data_rows(std::string_view name) {
    std::vector<DataRow> rows;
    for (const std::string& line : data_lines(name)) {
        const std::size_t colon = line.find(':');
        const bool has_key = colon != std::string::npos;
        rows.push_back({has_key ? line.substr(0, colon) : "",
                        joined(has_key ? std::string_view(line).substr(colon + 1) : line)});
    }
    return rows;
}

const std::vector<std::string>& word_row(const std::string& name) {
    static const auto rows = [] {
        std::map<std::string, std::vector<std::string>> out;
        for (const DataRow& row : data_rows("lists.txt")) {
            for (const std::string_view word : parts_of(row.phrases)) {
                out[row.key].emplace_back(word);
            }
        }
        return out;
    }();
    return rows.at(name);
}

const std::set<std::string>& word_list(const std::string& name) {
    static const auto lists = [] {
        std::map<std::string, std::set<std::string>> out;
        for (const DataRow& row : data_rows("lists.txt")) {
            const auto& words = word_row(row.key);
            out[row.key] = {words.begin(), words.end()};
        }
        return out;
    }();
    return lists.at(name);
}

const WordPairs& word_pairs(const std::string& name) {
    static const auto lists = [] {
        std::map<std::string, WordPairs> out;
        for (const DataRow& row : data_rows("pairs.txt")) {
            for (const std::string_view pair : parts_of(row.phrases)) {
                const std::size_t middle = pair.find(" = ");
                out[row.key].emplace_back(pair.substr(0, middle), pair.substr(middle + 3));
            }
        }
        return out;
    }();
    return lists.at(name);
}

}  // namespace atl::offline
