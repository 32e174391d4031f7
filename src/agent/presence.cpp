#include "agent/presence.hpp"

#include "base/result.hpp"

#include <algorithm>

namespace atl::agent {

bool Presence::is_anybody_in(const Place& place) {
    return std::any_of(place.tabs.begin(), place.tabs.end(),
                       [](const auto& tab) { return !tab.second.is_left; });
}

bool Presence::is_anybody_in(const ThreadId& thread) const {
    const auto place = places_.find(thread.text());
    return place != places_.end() && is_anybody_in(place->second);
}

Presence::Tab* Presence::add(Place& place, const std::string& tab) {
    auto& count = of_owner_[place.owner];
    if (place.tabs.size() >= kTabsOfThreadMax || count >= kTabsOfOwnerMax) return nullptr;
    ++count;
    return &place.tabs[tab];
}

void Presence::erase(Place& place, std::map<std::string, Tab>::iterator tab) {
    place.tabs.erase(tab);
    const auto count = of_owner_.find(place.owner);
    if (count != of_owner_.end() && --count->second == 0) of_owner_.erase(count);
}

void Presence::here(const std::string& owner, const ThreadId& thread, const std::string& tab,
                    Moment now) {
    const auto there = places_.find(thread.text());
    // Somebody else's word about a thread that is not theirs.
    if (there != places_.end() && there->second.owner != owner) forget(thread);
    auto& place = places_[thread.text()];
    place.owner = owner;
    const auto found = place.tabs.find(tab);
    Tab* const known = found != place.tabs.end() ? &found->second : add(place, tab);
    if (known == nullptr) {
        throw ErrorException(
            {Code::Exhausted, "too many pages show this thread, or threads of this owner"});
    }
    if (known->is_left) return;  // this word was overtaken
    known->said = now;
    place.due = Moment::max();
}

void Presence::left(const std::string& owner, const ThreadId& thread, const std::string& tab,
                    Moment now) {
    auto& place = places_[thread.text()];
    if (place.owner.empty()) place.owner = owner;
    if (place.owner != owner) return;
    const auto found = place.tabs.find(tab);
    const bool was_here = found != place.tabs.end() && !found->second.is_left;
    Tab* const known = found != place.tabs.end() ? &found->second : add(place, tab);
    if (known != nullptr) *known = {true, now};
    if (was_here && !is_anybody_in(place) && grace_.count() > 0) place.due = now + grace_;
}

std::vector<ThreadId> Presence::due(Moment now) {
    std::vector<ThreadId> due;
    for (auto place = places_.begin(); place != places_.end();) {
        auto& tabs = place->second.tabs;
        for (auto tab = tabs.begin(); tab != tabs.end();) {
            const auto next = std::next(tab);
            const auto most = tab->second.is_left ? kTabLateMax : kTabSilentMax;
            if (now - tab->second.said > most) erase(place->second, tab);
            tab = next;
        }
        if (place->second.due <= now) {
            due.emplace_back(place->first);
            place->second.due = Moment::max();
        }
        const bool forgotten = tabs.empty() && place->second.due == Moment::max();
        place = forgotten ? places_.erase(place) : std::next(place);
    }
    return due;
}

void Presence::at_work(const ThreadId& thread, Moment now) {
    auto& place = places_[thread.text()];
    if (!is_anybody_in(place)) place.due = now + kAtWorkPause;
}

void Presence::forget(const ThreadId& thread) {
    const auto place = places_.find(thread.text());
    if (place == places_.end()) return;
    while (!place->second.tabs.empty()) erase(place->second, place->second.tabs.begin());
    places_.erase(place);
}

}  // namespace atl::agent
