#pragma once
// Threads: /thread/…, /threads and /v1/threads/…: ask, follow, look, rename, export, remove.
#include "agent/threads.hpp"
#include "api/api.hpp"

namespace atl::api {

struct ThreadRules {
    std::size_t input_chars_max = 200'000;
};

void add_thread_routes(Api& api, agent::Threads& threads, ThreadRules rules);

}  // namespace atl::api
