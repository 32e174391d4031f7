#pragma once
// What the store does with sessions, inside a transaction of DatabaseThread. core/store.hpp says
// what each call promises.
#include "core/records.hpp"
#include "stores/sqlite/connection.hpp"

namespace atl::sqlite {

[[nodiscard]] core::SessionRecord create_session(Connection& db, const core::SessionRecord& record,
                                                 std::uint64_t owner_max);
[[nodiscard]] core::SessionRecord update_session(Connection& db, const core::SessionRecord& record);
[[nodiscard]] core::SessionRecord patch_session(Connection& db, const core::Whose& whose,
                                                const SessionId& id,
                                                const core::SessionPatch& patch,
                                                std::optional<std::uint64_t> generation);
[[nodiscard]] core::SessionRecord get_session(Connection& db, const core::Whose& whose,
                                              const SessionId& id);
[[nodiscard]] core::SessionRecord session_named(Connection& db, const std::string& owner,
                                                const std::string& name);
[[nodiscard]] core::SessionPage list_sessions(Connection& db, const core::SessionQuery& query);
[[nodiscard]] std::vector<core::SessionRecord> expired_sessions(Connection& db, core::Time now,
                                                                std::uint32_t limit);
void remove_session(Connection& db, const core::Whose& whose, const SessionId& id);

}  // namespace atl::sqlite
