#pragma once
// What the analyst knows and is no code of this program, from the folder data/: tables of words,
// and the Python that reads tables inside a sandbox. Embedded when the program is built.
//
// Owns      bytes in the program's read-only data; any thread may read them.
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl::offline {

struct Asset {
    std::string_view path;  // "words.txt"
    std::string_view content_type;
    std::string_view bytes;
    std::string_view etag;
};

[[nodiscard]] std::span<const Asset> assets();

// A file of data/, whole; empty if there is none.
[[nodiscard]] std::string_view data_file(std::string_view name);

// Its lines. Those that begin with a space go on with the line before; # begins a comment.
[[nodiscard]] std::vector<std::string> data_lines(std::string_view name);

// A table of words: a row a line, `key: phrase | phrase` or the phrases alone.
struct DataRow {
    std::string key;
    std::string phrases;  // "sum|in total|合计"
};
[[nodiscard]] std::vector<DataRow> data_rows(std::string_view name);

// Words of one kind, from lists.txt.
[[nodiscard]] const std::set<std::string>& word_list(const std::string& name);
// The same in the order in which they stand there.
[[nodiscard]] const std::vector<std::string>& word_row(const std::string& name);
// Words and what they stand for, from pairs.txt, in its order.
using WordPairs = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] const WordPairs& word_pairs(const std::string& name);

}  // namespace atl::offline
