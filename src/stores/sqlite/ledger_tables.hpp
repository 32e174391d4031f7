#pragma once
// What the store does with keys, the audit log and use, inside a transaction of DatabaseThread.
// core/store.hpp says what each call promises.
#include "core/records.hpp"
#include "stores/sqlite/connection.hpp"

namespace atl::sqlite {

void add_key(Connection& db, const core::KeyRecord& record);
[[nodiscard]] core::KeyRecord check_key(Connection& db, const KeyId& id, const core::Sha256& secret,
                                        core::Time now);
[[nodiscard]] core::KeyRecord get_key(Connection& db, const core::Whose& whose, const KeyId& id);
[[nodiscard]] core::KeyPage list_keys(Connection& db, const core::KeyQuery& query);
void touch_key(Connection& db, const KeyId& id, core::Time used_at);
[[nodiscard]] core::KeyRecord revoke_key(Connection& db, const core::Whose& whose, const KeyId& id,
                                         core::Time now);

void append_audit(Connection& db, const core::AuditRecord& record);
[[nodiscard]] core::AuditPage list_audit(Connection& db, const core::AuditQuery& query);

[[nodiscard]] core::UsageCounters add_usage(Connection& db, const std::string& owner, core::Day day,
                                            const core::UsageCounters& more);
[[nodiscard]] std::vector<core::UsageOfDay> get_usage(Connection& db, const std::string& owner,
                                                      core::Day first, core::Day last);

}  // namespace atl::sqlite
