#pragma once
// What clients were told, and therefore what they may observe later.
//
// An acknowledged value is found until another one is acknowledged, or until a run reports it as
// lost (`lost`). If a write failed, either the new value or the one before it may be found. After
// a reported loss, any value that was ever written may be found, or none. Nothing else is
// allowed.
// Threads   one.
#include "guest_client/variables.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace atl::testing {

inline const std::string kUnset = "unset";

// One variable or file. Only one client writes it.
struct Cell {
    std::set<std::string> possible{kUnset};
    std::set<std::string> ever{kUnset};
    int telling = 0;  // answers on their way that say it was lost

    void acknowledged(const std::string& value);
    void tried(const std::string& value);
    void lost();
    // What was read. False when it cannot be.
    [[nodiscard]] bool found(const std::string& value);
};

struct ModelSession {
    enum class Life {
        Alive,
        Unsure,  // somebody asked to remove it and heard no good answer
        Gone,
    };
    std::string id;
    Life life = Life::Alive;
    int restarts = 0;  // under way
    std::uint64_t last_restarted_at =
        0;  // how many requests there had been when the last one ended
    std::map<std::string, Cell> variables;
    std::map<std::string, Cell> files;

    // An answer that says this is on its way: what it is about. Then it was heard, or it was not.
    [[nodiscard]] std::vector<Cell*> begin_telling(const std::vector<guest_client::Lost>& lost);
    static void end_telling(const std::vector<Cell*>& cells, bool heard);
    void all_lost();

    // What a fork of it may have that was asked for when the session was `before`, and is answered
    // now.
    [[nodiscard]] ModelSession forked(const ModelSession& before, std::string new_id) const;
};

}  // namespace atl::testing
