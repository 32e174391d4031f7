#pragma once
// How lists are cut into pages: a query put together from what is asked (core/paging.hpp has the
// cursor from one page to the next).
#include "core/paging.hpp"
#include "core/records.hpp"
#include "stores/sqlite/connection.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace atl::sqlite {

inline constexpr std::size_t kMetadataFiltersMax = 16;  // of one query

using core::check_id;
using core::check_limit;
using core::Cursor;
using core::kPageBytesMax;
using core::kPageMax;
using core::read_cursor;
using core::write_cursor;

// Conditions and their arguments, in step.
class Filter {
public:
    void where(const std::string& condition) { text_ += " AND " + condition; }
    void where(const std::string& condition, std::string value);
    void where(const std::string& condition, std::string value, std::string second);
    void where(const std::string& condition, std::int64_t value);
    void where(const std::string& condition, std::int64_t value, std::int64_t second);
    void whose(const core::Whose& whose);  // by the column owner
    // By a column of times and id, newest first.
    void after(const std::string& cursor, const std::string& time_column = "created_at");
    template <core::Named Enum>
    void one_of(const std::string& column, const std::vector<Enum>& values) {
        if (values.empty()) return;
        std::string marks;
        for (const Enum value : values) {
            marks += marks.empty() ? "?" : ", ?";
            values_.emplace_back(std::string(core::name_of(value)));
        }
        text_ += " AND " + column + " IN (" + marks + ")";
    }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    void bind(Query& query) const;

private:
    std::string text_ = "1";
    std::vector<std::variant<std::int64_t, std::string>> values_;
};

}  // namespace atl::sqlite
