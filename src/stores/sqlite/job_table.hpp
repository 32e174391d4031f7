#pragma once
// What the store does with jobs and their logs, inside a transaction of DatabaseThread.
// core/store.hpp says what each call promises.
//
// A job runs under one lease at a time, and the database itself holds to that: a row is `running`
// exactly when it has a lease (a CHECK in schema.cpp), and only the holder's instance and attempt
// together may renew, write the log or finish.
#include "core/records.hpp"
#include "stores/sqlite/connection.hpp"

namespace atl::sqlite {

[[nodiscard]] core::JobRecord add_job(Connection& db, const core::JobRecord& record,
                                      std::uint64_t owner_max);
[[nodiscard]] std::optional<core::JobRecord> take_job(Connection& db,
                                                      const core::JobRequest& request);
[[nodiscard]] bool renew_job(Connection& db, const core::JobHold& hold, core::Time until);
[[nodiscard]] core::JobRecord finish_job(Connection& db, const core::JobHold& hold,
                                         const core::JobEnd& end);
[[nodiscard]] core::JobRecord return_job(Connection& db, const core::JobHold& hold,
                                         const core::JobReturn& back);
[[nodiscard]] core::JobRecord cancel_job(Connection& db, const core::Whose& whose, const JobId& id,
                                         core::Time now);
[[nodiscard]] core::JobRecord get_job(Connection& db, const core::Whose& whose, const JobId& id);
[[nodiscard]] core::JobPage list_jobs(Connection& db, const core::JobQuery& query);
void remove_job(Connection& db, const core::Whose& whose, const JobId& id);
[[nodiscard]] std::uint64_t job_bytes(Connection& db, const std::string& owner);
[[nodiscard]] std::uint64_t forget_jobs(Connection& db, core::Time ended_before,
                                        std::uint32_t limit);

[[nodiscard]] core::LogAppended append_log(Connection& db, const core::JobHold& hold,
                                           const std::vector<core::LogPiece>& pieces,
                                           core::Time now, std::uint64_t bytes_max);
[[nodiscard]] core::LogRead read_log(Connection& db, const core::Whose& whose, const JobId& id,
                                     std::uint64_t sequence, std::uint64_t bytes_max);

[[nodiscard]] core::Recovered recover_jobs_of_others(Connection& db, const std::string& instance,
                                                     core::Time now);
[[nodiscard]] core::Recovered recover_expired_jobs(Connection& db, core::Time now);

}  // namespace atl::sqlite
