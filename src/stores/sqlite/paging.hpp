#pragma once
// How lists are cut into pages: a query put together from what is asked, and the cursor from one
// page to the next.
//
// A cursor names the last record of a page by its time and id. It is no secret and no capability:
// whose records are listed is asked anew with each page, so a cursor of somebody else's list shows
// nothing of it.
#include "core/records.hpp"
#include "stores/sqlite/connection.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace atl::sqlite {

inline constexpr std::uint32_t kPageMax = 1000;
inline constexpr std::size_t kPageBytesMax = 8u << 20;

struct Cursor {
    std::int64_t time = 0;
    std::string id;
};
[[nodiscard]] std::string write_cursor(const Cursor& cursor);
// Throws InvalidArgument.
[[nodiscard]] Cursor read_cursor(const std::string& text);

// Throws InvalidArgument unless it is between 1 and kPageMax.
void check_limit(std::uint32_t limit);

// Throws InvalidArgument unless the id has 1 to 128 bytes.
void check_id(const std::string& id, const char* what);

// Conditions and their arguments, in step.
class Filter {
public:
    void where(const std::string& condition) { text_ += " AND " + condition; }
    void where(const std::string& condition, std::string value);
    void where(const std::string& condition, std::string value, std::string second);
    void where(const std::string& condition, std::int64_t value);
    void where(const std::string& condition, std::int64_t value, std::int64_t second);
    void whose(const core::Whose& whose);   // by the column owner
    void after(const std::string& cursor);  // by the columns created_at and id, newest first
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
