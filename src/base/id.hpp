#pragma once
// Strongly typed IDs: the compiler tells a session's from a job's.
#include <compare>
#include <string>
#include <utility>

namespace atl {

// A SandboxId is no SessionId, though both are strings on the wire. Made once, at the API's edge;
// from there on the compiler keeps them apart.
template <class Tag>
class Id {
public:
    explicit Id(std::string text) : text_(std::move(text)) {}
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    auto operator<=>(const Id&) const = default;

private:
    std::string text_;
};
using SandboxId = Id<struct SandboxTag>;
using SessionId = Id<struct SessionTag>;

}  // namespace atl
