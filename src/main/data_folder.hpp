#pragma once
// What is where in a data folder, for whoever opens its database.
#include "stores/sqlite/store.hpp"

#include <string>

namespace atl::main {

// Options of the store of this data folder. What a server makes there after its database tells a
// folder whose database was lost from one that is new.
[[nodiscard]] inline sqlite::StoreOptions store_of(const std::string& data_folder) {
    sqlite::StoreOptions options;
    options.path = data_folder + "/atoll.db";
    options.made_after = {data_folder + "/token.key", data_folder + "/sessions/.store",
                          data_folder + "/recall.db"};
    return options;
}

}  // namespace atl::main
