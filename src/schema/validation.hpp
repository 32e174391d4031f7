#pragma once
// What is wrong with a request, as a list that a program can read and a sentence for people.
//
// Trusts    nobody: paths and messages may quote what a client sent, cut short and made printable.
// Limit     kIssuesMax findings a request; whoever sends more mistakes repairs those first.
// On failure it throws ValidationError, though plain functions return Result elsewhere: the list
//           of findings would not fit into an Error, and who asks is a coroutine's handler.
#include "base/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace atl::schema {

inline constexpr std::size_t kIssuesMax = 20;

// One finding: `limits.memory_bytes_max`, `must be at least 33554432, not 5`. The path is empty
// when the whole body is meant.
struct Issue {
    std::string path;
    std::string message;

    bool operator==(const Issue&) const = default;
};

// Code::InvalidArgument. The sentence (error.message) is that of the first finding; `issues` is the
// member `errors` of the problem that is sent back.
struct ValidationError : ErrorException {
    explicit ValidationError(std::vector<Issue> found);
    std::vector<Issue> issues;
};

// What a rule across several fields complains to (see `rule` in describe.hpp).
class Findings {
public:
    virtual void add(std::string_view field, std::string message) = 0;

protected:
    ~Findings() = default;
};

// At most `bytes_max` bytes of what a client wrote, in quotes and without anything unprintable, fit
// to stand in a message.
[[nodiscard]] std::string quoted(std::string_view text, std::size_t bytes_max = 40);

// The known name that `wrong` was probably meant to be, or an empty view.
[[nodiscard]] std::string_view nearest(std::string_view wrong,
                                       const std::vector<std::string_view>& known);

}  // namespace atl::schema
