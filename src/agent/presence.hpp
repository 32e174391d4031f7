#pragma once
// Who is in a thread: which pages of the web interface show it, and which were left.
//
//     here ──▶ shown by this tab, as long as it says so again
//     left ──▶ of the last that was there: the thread is due after the grace, unless somebody comes
//
// Bookkeeping alone: whoever asks for what is due() ends it, and says what became of that. A thread
// that no page ever spoke of is never due. A tab names one arrival and is not used again once it
// was left, so it does not matter in which order the words of two arrivals come.
//
// Owns      the list, in memory: a server that starts anew hears of open pages again.
// Threads   one. Time is given.
// Bounded   tabs of a thread and of an owner. One that is silent for long is forgotten: its browser
//           has crashed or sleeps, and the session goes by its idle times.
// Trusts    its caller for `owner`, and that `here` names a thread of theirs.
#include "core/clock.hpp"
#include "core/threads.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace atl::agent {

inline constexpr std::size_t kTabsOfThreadMax = 64;
inline constexpr std::size_t kTabsOfOwnerMax = 1000;
// Pages say it each minute; those in the background may be late.
inline constexpr std::chrono::seconds kTabSilentMax{300};
// How late a word of a tab may come that was left.
inline constexpr std::chrono::seconds kTabLateMax{30};
// Of a thread that is due and at work still: when to look again.
inline constexpr std::chrono::seconds kAtWorkPause{2};

class Presence {
public:
    using Moment = core::Moment;

    // 0: nothing is ever due.
    explicit Presence(std::chrono::milliseconds grace) : grace_(grace) {}

    // Exhausted when there are too many.
    void here(const std::string& owner, const ThreadId& thread, const std::string& tab, Moment now);
    void left(const std::string& owner, const ThreadId& thread, const std::string& tab, Moment now);
    [[nodiscard]] bool is_anybody_in(const ThreadId& thread) const;

    // Threads that were left, and nobody came back in time. Each is told once, until it is said to
    // be at work. Forgets silent tabs.
    std::vector<ThreadId> due(Moment now);
    // It could not be ended yet: it is due again in a moment, unless somebody comes.
    void at_work(const ThreadId& thread, Moment now);
    void forget(const ThreadId& thread);

private:
    struct Tab {
        bool is_left = false;  // and remembered for a while, for words of it that come late
        Moment said;
    };
    struct Place {
        std::string owner;
        std::map<std::string, Tab> tabs;
        Moment due = Moment::max();
    };
    using Places = std::map<std::string, Place>;

    // Null: there is no room for it.
    Tab* add(Place& place, const std::string& tab);
    void erase(Place& place, std::map<std::string, Tab>::iterator tab);
    [[nodiscard]] static bool is_anybody_in(const Place& place);

    std::chrono::milliseconds grace_;
    Places places_;  // by thread
    std::map<std::string, std::size_t> of_owner_;
};

}  // namespace atl::agent
