#pragma once
// Texts as the words that they are found by.
//
// What a space parts is a word; Chinese, Japanese and Korean have no spaces, so a run of their
// letters becomes its pairs: 销售额 is 销售 and 售额, and is found by either. Case, accents and
// endings (sales, sale) are the tokenizer's of SQLite.
//
// Every word carries its thread's number in front ("17qsales"). So a thread has a vocabulary of its
// own inside one index, and to rank its words costs what the thread is long, not what all are.
//
// Trusts    nothing: any bytes go in. What comes out holds letters and digits alone, so no text is
//           ever taken for the query language.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atl::recall {

// To be put into the index.
[[nodiscard]] std::string words_of(std::string_view text, std::int64_t thread);

// The words of a question, each a query in the language of FTS5; at most `words_max` different
// ones.
[[nodiscard]] std::vector<std::string> queries_of(std::string_view text, std::int64_t thread,
                                                  std::size_t words_max);
// A query that finds messages with any of them; empty when there is no word in it.
[[nodiscard]] std::string query_of(std::string_view text, std::int64_t thread,
                                   std::size_t words_max);
[[nodiscard]] std::string joined(const std::vector<std::string>& queries, std::string_view with);

}  // namespace atl::recall
