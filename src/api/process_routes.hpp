#pragma once
// /v1/sessions/{id}/processes: programs in the background.
//
// Looking at processes does not wake a session; what reaches into one does, and while a client
// waits for a process or reads its output the session stays awake.
#include "api/answer_budget.hpp"
#include "api/api.hpp"
#include "sessions/processes.hpp"
#include "sessions/sessions.hpp"

namespace atl::api {

void add_process_routes(Api& api, sessions::Sessions& sessions, sessions::Processes& processes,
                        std::shared_ptr<AnswerBudget> answers);

}  // namespace atl::api
