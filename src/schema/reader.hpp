#pragma once
// The reader's insides, shared by JSON bodies (read_json.cpp) and text parameters
// (read_parameters.cpp): where we are, what was found, and the checks that notes ask for.
//
// Owns      the findings of one request; lives as long as the call that reads it, on one thread.
// Trusts    the tables; nothing of what is read.
#include "schema/type.hpp"
#include "schema/validation.hpp"

#include <boost/json/fwd.hpp>
#include <boost/json/storage_ptr.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atl::schema {

// The way to a value, as a list on the stack: spelled out only when there is something to say.
struct Path {
    static constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);
    const Path* parent = nullptr;
    std::string_view key;
    std::size_t index = kNoIndex;

    [[nodiscard]] std::string text() const;
};

class Report {
public:
    void add(const Path& path, std::string message);
    [[nodiscard]] bool full() const noexcept { return issues_.size() >= kIssuesMax; }
    [[nodiscard]] std::size_t count() const noexcept { return issues_.size(); }
    void throw_if_any();

private:
    std::vector<Issue> issues_;
};

// What a value is in JSON, for messages and for choosing among alternatives.
enum class JsonType : std::uint8_t { Boolean, Number, String, Array, Object, Other };
[[nodiscard]] JsonType json_type_of(const Type& type);

// Each says what is wrong and returns false, or returns true.
bool check_number(long double value, const Type& type, const Notes& notes, const Path& path,
                  Report& report);
bool check_text(std::string_view text, const Notes& notes, const Path& path, Report& report);
bool check_items(std::size_t count, const Type& type, const Notes& notes, const Path& path,
                 Report& report);
void check_unknown(const Type& type, std::string_view name, const Path& path, Report& report);
void check_missing(const Type& type, std::uint64_t seen, const Path& path, Report& report);
void check_rules(const Type& type, const void* object, const Path& path, Report& report);

// By name, into what the enum or the duration is; reports and returns false if there is none.
bool store_choice(const Type& type, std::string_view name, void* into, const Path& path,
                  Report& report);
bool store_duration(std::string_view text, const Type& type, const Notes& notes, void* into,
                    const Path& path, Report& report);
bool store_duration(long double seconds, const Type& type, const Notes& notes, void* into,
                    const Path& path, Report& report);

// "33554432", "0.5": a bound as people write it.
[[nodiscard]] std::string number_text(long double number);
inline const Notes kNoNotes{};

namespace detail {
// parse_json with the tree's memory from the caller.
[[nodiscard]] boost::json::value parse_into(boost::json::storage_ptr storage, std::string_view text,
                                            std::size_t bytes_max);
}  // namespace detail

}  // namespace atl::schema
