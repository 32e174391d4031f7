#pragma once
// What is known of the data: tables, their columns, kinds and values, as the profile code printed
// them (profile_code.hpp).
//
// The line comes out of a sandbox: nothing of it is believed beyond its shape. Names and values
// enter code only through python_text.hpp, and answers only through answer.hpp's escaping.
#include "models/offline/text.hpp"
#include "models/offline/vocabulary.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::offline {

struct Column {
    enum class Kind { Number, Date, Text };
    std::string name;
    Kind kind = Kind::Text;
    bool is_whole = false;  // Number: integers only
    bool has_time = false;  // Date: with a time of day
    std::size_t distinct = 0;
    std::size_t missing = 0;
    double low = 0;  // Number
    double high = 0;
    std::string from;  // Date: "2024-03-05 12:00:00"
    std::string to;
    std::vector<std::string> values;  // Text: the commonest first, maybe not all

    // made from the above
    std::vector<Token> words;              // of the name
    std::vector<Token> strong;             // those of them that tell it from others
    std::string together;                  // the words without spaces
    std::vector<const Concept*> meanings;  // what its name says it is about, the head noun's first
    std::size_t head_meanings = 0;         // how many of them are said by the end of its name
    std::vector<std::vector<Token>> value_words;
    bool is_id = false;    // tells rows or things apart; not to be added up
    std::string positive;  // yes/no columns: the value that means yes
    std::string negative;

    [[nodiscard]] bool is_number() const { return kind == Kind::Number; }
    // A column of years: 1998, 2024.
    [[nodiscard]] bool is_year() const { return is_whole && low >= 1900 && high <= 2100; }
    [[nodiscard]] bool is_date() const { return kind == Kind::Date; }
    [[nodiscard]] bool is_text() const { return kind == Kind::Text; }
    [[nodiscard]] bool is_flag() const { return !positive.empty(); }
    [[nodiscard]] bool means(std::string_view concept_name) const;
    // What a total of it would be: money and pieces add up, prices and temperatures do not.
    [[nodiscard]] Nature nature() const;
    // What its name ends with, the unit in brackets apart.
    [[nodiscard]] Token last_word() const;
};

struct Table {
    std::string path;
    std::string sheet;  // empty: the file is one table
    std::string error;  // why it could not be read; no columns then
    std::string note;
    std::size_t rows = 0;
    std::size_t width = 0;
    std::size_t described = 0;  // of its columns, by the profile; others are found by their names
    std::vector<Column> columns;
    std::vector<Token> words;                   // of the file's name, and of the sheet's
    std::vector<Token> row_words;               // English: "match" of match_date
    std::vector<std::vector<Token>> row_nouns;  // Chinese: 订单 of 订单号, what a row is
    std::vector<std::vector<Token>> row_names;  // other words for it: row_families.hpp
    std::vector<Token> row_verbs;

    [[nodiscard]] std::string file_name() const;
    // "sales.xlsx / Costs", where it is one of a workbook
    [[nodiscard]] std::string title() const;
};

struct Schema {
    std::vector<Table> tables;

    [[nodiscard]] bool has_data() const;
};

// A column of a table of the schema.
struct Field {
    std::size_t table = 0;
    std::size_t column = 0;
    bool operator==(const Field&) const = default;
};

[[nodiscard]] const Column& at(const Schema& schema, Field field);

// The schema in a tool's output, if its line is there and whole.
[[nodiscard]] std::optional<Schema> schema_in(std::string_view tool_output);
// Adds values that a search in the table found (find_code in profile_code.hpp): [path, sheet,
// column, word, value]. The word is then another way to say the value.
void add_found(Schema& schema, std::string_view tool_output);
// Adds columns that a search for their names found (columns_code in profile_code.hpp).
void add_columns(Schema& schema, std::string_view tool_output);
// The words that such a search was for.
[[nodiscard]] std::vector<std::string> searched_in(std::string_view tool_output);
// The line of JSON that begins with {"<marker>": in a tool's output.
[[nodiscard]] std::string_view marked_line(std::string_view tool_output, std::string_view marker);

}  // namespace atl::offline
