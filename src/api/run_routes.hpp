#pragma once
// /v1/run and /v1/sessions/{id}/run: code in, one answer or a stream of events out.
#include "api/answer_budget.hpp"
#include "api/api.hpp"
#include "core/outputs.hpp"
#include "sessions/sessions.hpp"

namespace atl::api {

struct RunRules {
    std::size_t input_chars_max = 200'000;
    bool echo_code = false;  // the answer repeats the code
};

// Throws when the code is longer than that.
void check_input(const RunRules& rules, const std::string& code);

void add_run_routes(Api& api, sessions::Sessions& sessions, core::Outputs& outputs, RunRules rules,
                    std::shared_ptr<AnswerBudget> answers);

}  // namespace atl::api
