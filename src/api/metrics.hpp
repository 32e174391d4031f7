#pragma once
// Counters of the server in the format of Prometheus: `GET /metrics`.
//
// Requests are counted as they end; all else is asked for when somebody looks, so that nothing has
// to keep a gauge up to date. Labels are routes as they were declared, never what a client sent.
// Threads   the server's one. Owns      its registry.
#include "api/api.hpp"
#include "net/server.hpp"

#include <functional>
#include <memory>
#include <string>

namespace atl::api {

// What to ask when somebody looks.
struct Readings {
    struct Reading {
        std::string name;  // atoll_pool_ready
        std::string help;
        std::string label;  // "state", or none
        std::string value;  // "hot"
        bool counter = false;
        std::function<double()> read;
    };
    std::vector<Reading> all;
};

class Metrics {
public:
    explicit Metrics(Readings readings);
    Metrics(const Metrics&) = delete;
    Metrics& operator=(const Metrics&) = delete;
    ~Metrics();

    void request_ended(const net::Finished& request);
    [[nodiscard]] std::string text();

private:
    struct Families;
    std::unique_ptr<Families> families_;
};

void add_metrics_route(Api& api, Metrics& metrics);

}  // namespace atl::api
