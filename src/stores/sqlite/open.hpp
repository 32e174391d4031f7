#pragma once
// Opens a database for use: inspects it before anything is written, and never writes to one that is
// damaged.
#include "core/store.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/database_thread.hpp"
#include "stores/sqlite/store.hpp"

namespace atl::sqlite {

struct Opened {
    std::unique_ptr<Connection> db;  // null: damaged beyond reading
    core::StoreHealth health;        // Ok, or ReadOnly and why
};

// Of a file that could not be read: opens it anew and checks it, as a start does.
[[nodiscard]] DatabaseThread::Found look_again(const StoreOptions& options);

// The data lock must be held.
[[nodiscard]] Result<Opened> open_database(const StoreOptions& options);

}  // namespace atl::sqlite
