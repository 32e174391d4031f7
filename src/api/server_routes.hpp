#pragma once
// About the server itself: /healthz, /readyz, /v1/info, /v1/templates. (/metrics: metrics.hpp)
#include "api/api.hpp"
#include "core/store.hpp"
#include "schema/json.hpp"
#include "sessions/sessions.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace atl::api {

struct TemplateView {
    std::string name;
    std::string description;
    bool ready = false;
    std::uint64_t bytes = 0;
    std::string problem;
};
ATOLL_DESCRIBED(TemplateView);

struct ServerFacts {
    std::string version;
    std::function<std::size_t()> pooled;                   // sandboxes that are ready
    std::function<std::string()> walls;                    // for people: what holds sandboxes here
    std::function<std::vector<TemplateView>()> templates;  // by a worker: it reads the disk
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
