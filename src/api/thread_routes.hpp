#pragma once
// Threads: /thread/…, /threads and /v1/threads/…: ask, follow, look, rename, export, remove.
#include "agent/threads.hpp"
#include "api/api.hpp"

namespace atl::api {

struct ThreadRules {
    std::size_t input_chars_max = 200'000;
    std::uint64_t answer_bytes_max = 512u << 20;  // of histories and exports that are under way
};

void add_thread_routes(Api& api, agent::Threads& threads, ThreadRules rules);

}  // namespace atl::api
