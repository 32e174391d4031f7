#pragma once
// About the server itself: /healthz, /readyz, /v1/info. (/metrics: metrics.hpp)
#include "api/api.hpp"
#include "core/store.hpp"
#include "sessions/sessions.hpp"

#include <functional>
#include <optional>
#include <string>

namespace atl::api {

struct ServerFacts {
    std::string version;
    std::function<std::size_t()> pooled;  // sandboxes that are ready
    std::function<std::string()> walls;   // for people: what holds sandboxes here
    std::function<bool()> stopping;
    std::function<std::string()> storage;     // what is wrong with the data folder; empty: nothing
    std::function<std::string()> model;       // who answers questions in threads
    std::function<std::string()> model_note;  // the same as a sentence
    std::string data_root = "/data";
    // Of the store that threads are in, where that is not the server's own.
    std::function<std::optional<core::StoreHealth>()> shared_threads;
};

void add_server_routes(Api& api, ServerFacts facts, sessions::Sessions& sessions,
                       core::Store& store);

}  // namespace atl::api
