#pragma once
// The tables, as the ordered list of steps that made them. A database knows how many of them it has
// seen (user_version) and that it is Atoll's (application_id).
//
// To change the tables, add a step at the end; never edit one that was released.
#include "stores/sqlite/connection.hpp"

#include <span>

namespace atl::sqlite {

inline constexpr std::int32_t kApplicationId = 0x41544f4c;  // "ATOL"

[[nodiscard]] std::span<const char* const> schema_steps();

// What the database says of itself. Conflict: it is somebody else's. Unsupported: made by a newer
// Atoll.
[[nodiscard]] Result<void> check_identity(Connection& db, std::size_t steps_known);

// Takes the steps that are missing, each whole or not at all. An up-to-date database is not
// written to.
[[nodiscard]] Result<void> migrate(Connection& db, std::span<const char* const> steps);

}  // namespace atl::sqlite
