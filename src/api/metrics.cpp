#include "api/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace atl::api {

namespace asio = boost::asio;

namespace {

const prometheus::Histogram::BucketBoundaries kSeconds{
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300};

// 499 and 0 are no statuses of HTTP: the client went, or the answer was cut off.
std::string class_of(const net::Finished& request) {
    if (request.status == 499 || request.status == 0 || !request.complete) return "gone";
    return std::to_string(request.status / 100) + "xx";
}

}  // namespace

struct Metrics::Families {
    prometheus::Registry registry;
    prometheus::Family<prometheus::Histogram>& seconds =
        prometheus::BuildHistogram()
            .Name("atoll_http_request_seconds")
            .Help("How long requests took, by route and how they ended")
            .Register(registry);
    prometheus::Family<prometheus::Counter>& bytes =
        prometheus::BuildCounter()
            .Name("atoll_http_bytes_total")
            .Help("Bytes of bodies taken in, and of answers sent")
            .Register(registry);
    prometheus::Counter& in = bytes.Add({{"direction", "in"}});
    prometheus::Counter& out = bytes.Add({{"direction", "out"}});
    struct Read {
        std::function<double()> read;
        prometheus::Gauge* gauge = nullptr;
        prometheus::Counter* counter = nullptr;
    };
    std::vector<Read> reads;
};

Metrics::Metrics(Readings readings) : families_(std::make_unique<Families>()) {
    for (auto& one : readings.all) {
        prometheus::Labels labels;
        if (!one.label.empty()) labels[one.label] = one.value;
        Families::Read read{std::move(one.read), nullptr, nullptr};
        // The same name again is the same family.
        if (one.counter) {
            read.counter = &prometheus::BuildCounter()
                                .Name(one.name)
                                .Help(one.help)
                                .Register(families_->registry)
                                .Add(labels);
        } else {
            read.gauge = &prometheus::BuildGauge()
                              .Name(one.name)
                              .Help(one.help)
                              .Register(families_->registry)
                              .Add(labels);
        }
        families_->reads.push_back(std::move(read));
    }
}

Metrics::~Metrics() = default;

void Metrics::request_ended(const net::Finished& request) {
    const std::string route(request.route.empty() ? "none" : request.route);
    families_->seconds
        .Add({{"method", request.route.empty() ? "any" : std::string(request.request.method)},
              {"route", route},
              {"status", class_of(request)}},
             kSeconds)
        .Observe(std::chrono::duration<double>(request.duration).count());
    families_->in.Increment(static_cast<double>(request.bytes_in));
    families_->out.Increment(static_cast<double>(request.bytes_out));
}

std::string Metrics::text() {
    for (auto& one : families_->reads) {
        const double now = one.read();
        if (one.gauge != nullptr) one.gauge->Set(now);
        if (one.counter != nullptr) one.counter->Increment(now - one.counter->Value());
    }
    return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

void add_metrics_route(Api& api, Metrics& metrics) {
    api.add({.method = "GET",
             .pattern = "/metrics",
             .id = "metrics",
             .tag = "Server",
             .summary = "What the server counts, for Prometheus",
             .answers = {schema::text_answer("In the text format of Prometheus.")}},
            [&metrics](net::Exchange& exchange) -> asio::awaitable<void> {
                net::Response response{200, {}, metrics.text()};
                response.headers.set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
                co_await exchange.respond(std::move(response));
            });
}

}  // namespace atl::api
