#include "stores/sqlite/paging.hpp"

namespace atl::sqlite {

void Filter::where(const std::string& condition, std::string value) {
    where(condition);
    values_.emplace_back(std::move(value));
}

void Filter::where(const std::string& condition, std::string value, std::string second) {
    where(condition, std::move(value));
    values_.emplace_back(std::move(second));
}

void Filter::where(const std::string& condition, std::int64_t value) {
    where(condition);
    values_.emplace_back(value);
}

void Filter::where(const std::string& condition, std::int64_t value, std::int64_t second) {
    where(condition, value);
    values_.emplace_back(second);
}

void Filter::whose(const core::Whose& whose) {
    if (whose.owner()) where("owner = ?", *whose.owner());
}

void Filter::after(const std::string& text, const std::string& time_column) {
    if (text.empty()) return;
    Cursor cursor = read_cursor(text);
    where("(" + time_column + ", id) < (?, ?)", cursor.time);
    values_.emplace_back(std::move(cursor.id));
}

void Filter::bind(Query& query) const {
    for (const auto& value : values_) {
        if (const auto* number = std::get_if<std::int64_t>(&value)) {
            query.bind(*number);
        } else {
            query.bind(std::get<std::string>(value));
        }
    }
}

}  // namespace atl::sqlite
