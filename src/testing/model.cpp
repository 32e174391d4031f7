#include "testing/model.hpp"

namespace atl::testing {

void Cell::acknowledged(const std::string& value) {
    possible = {value};
    ever.insert(value);
}

void Cell::tried(const std::string& value) {
    possible.insert(value);
    ever.insert(value);
}

void Cell::lost() { possible = ever; }

bool Cell::found(const std::string& value) {
    if (possible.count(value) == 0 && (telling == 0 || ever.count(value) == 0)) return false;
    // Where a loss is being told, another reader may still find what was there before.
    if (telling == 0) possible = {value};
    return true;
}

std::vector<Cell*> ModelSession::begin_telling(const std::vector<guest_client::Lost>& lost) {
    std::vector<Cell*> cells;
    for (const auto& one : lost) {
        for (auto& [name, cell] : variables) {
            if (one.name.empty() || one.name == name) cells.push_back(&cell);
        }
    }
    for (auto* cell : cells) ++cell->telling;
    return cells;
}

void ModelSession::end_telling(const std::vector<Cell*>& cells, bool heard) {
    for (auto* cell : cells) {
        --cell->telling;
        if (heard) cell->lost();
    }
}

void ModelSession::all_lost() {
    for (auto& [name, cell] : variables) cell.lost();
}

ModelSession ModelSession::forked(const ModelSession& before, std::string new_id) const {
    ModelSession fork = *this;
    fork.id = std::move(new_id);
    fork.life = Life::Alive;
    const auto widen = [](std::map<std::string, Cell>& cells,
                          const std::map<std::string, Cell>& old) {
        for (auto& [name, cell] : cells) {
            const auto was = old.find(name);
            const Cell earlier = was == old.end() ? Cell{} : was->second;
            cell.possible.insert(earlier.possible.begin(), earlier.possible.end());
            for (const auto& value : cell.ever) {
                if (earlier.ever.count(value) == 0) cell.possible.insert(value);
            }
            cell.telling = 0;
        }
    };
    widen(fork.variables, before.variables);
    widen(fork.files, before.files);
    return fork;
}

}  // namespace atl::testing
