#pragma once
// The atomic operations, in Lua. Each checks everything before it writes anything: Redis does not
// roll back what a script wrote before it failed.
//
// A script answers with a list that begins with a word: "ok" and what was asked for, or the
// reason why not. If a record cannot be read, a message replaces it. Every key is in KEYS.
// The time is Redis' own, for the servers' clocks differ; it comes and goes in milliseconds.
#include <cstddef>
#include <span>
#include <string_view>

namespace atl::redis {

enum class Script : std::size_t {
    AddUpload,
    RemoveUpload,
    GetUploads,
    CreateThread,
    GetThreads,
    PatchThread,
    RemoveThread,
    BeginTurn,
    RenewTurn,
    Append,
    Read,
    TakeHome,
    LeaveHome,
    Live,
    AskForHome,
    CancelTurn,
    GetField,
    GetNames,
    GetAsked,
    ForkThread,
    AddMarks,
    GetMarks,
};

// In the order of the enumeration.
[[nodiscard]] std::span<const std::string_view> scripts();

}  // namespace atl::redis
