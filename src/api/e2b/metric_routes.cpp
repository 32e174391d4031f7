// What sandboxes use now, and their logs, of which a server keeps none.
#include "api/e2b/control.hpp"
#include "api/e2b/marks.hpp"
#include "api/e2b/sandbox_id.hpp"
#include "api/request_reading.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <charconv>
#include <map>
#include <memory>

namespace atl::api::e2b {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kSandboxesAtOnce = 100;
constexpr std::size_t kReadingsMax = 4096;

// Remembers what each sandbox had used when somebody asked last: what share of the processors it
// takes is what came in addition since.
class MetricRoutes {
public:
    explicit MetricRoutes(ControlParts parts) : parts_(parts) {}

    asio::awaitable<void> send(net::Exchange& exchange) {
        const auto record = co_await sandbox_in(parts_, exchange);
        json::array answer;
        if (auto now = reading(record); now && is_within(*now, exchange.request().target)) {
            answer.emplace_back(std::move(*now));
        }
        co_await exchange.respond(json_text(200, answer));
    }

    asio::awaitable<void> send_many(net::Exchange& exchange) {
        const auto list = exchange.request().target.parameter("sandbox_ids").value_or("");
        json::object sandboxes;
        std::string ids(list);
        std::string_view rest = ids;
        for (std::size_t count = 0; !rest.empty(); ++count) {
            if (count == kSandboxesAtOnce) {
                throw ErrorException(
                    {Code::InvalidArgument, "sandbox_ids: ask for at most 100 at once"});
            }
            const auto end = std::min(rest.find(','), rest.size());
            const std::string one(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
            const auto id = session_id_of(one);
            if (!id) continue;
            try {
                const auto record = co_await parts_.sessions.get(whose(exchange), *id);
                if (is_snapshot(record)) continue;
                if (auto now = reading(record)) sandboxes[one] = std::move(*now);
            } catch (const ErrorException& error) {
                if (error.error.code != Code::NotFound) throw;
            }
        }
        const json::object answer{{"sandboxes", std::move(sandboxes)}};
        co_await exchange.respond(json_text(200, answer));
    }

    asio::awaitable<void> send_logs(net::Exchange& exchange) {
        co_await sandbox_in(parts_, exchange);
        const json::object none{{"logs", json::array()}, {"logEntries", json::array()}};
        co_await exchange.respond(json_text(200, none));
    }

private:
    using Clock = std::chrono::steady_clock;
    struct Reading {
        Clock::time_point at;
        std::uint64_t cpu_us = 0;
    };

    // Nothing of one that has no sandbox at the moment.
    std::optional<json::object> reading(const core::SessionRecord& record) {
        const auto usage = parts_.sessions.usage(record.id);
        if (!usage || is_paused(record)) return std::nullopt;
        if (last_.size() >= kReadingsMax) last_.clear();
        const auto now = Clock::now();
        const auto found = last_.find(record.id.text());
        double percent = 0;
        if (found != last_.end() && usage->cpu_us >= found->second.cpu_us) {
            const std::chrono::duration<double, std::micro> passed = now - found->second.at;
            const auto used = static_cast<double>(usage->cpu_us - found->second.cpu_us);
            if (passed.count() > 0) percent = 100 * used / passed.count();
        }
        last_[record.id.text()] = {now, usage->cpu_us};
        return metric_view(record, *usage, percent);
    }

    static bool is_within(const json::object& metric, const net::Target& target) {
        const auto at = metric.at("timestampUnix").as_int64();
        const auto bound = [&](const char* name, std::int64_t otherwise) {
            const auto text = target.parameter(name);
            if (!text) return otherwise;
            std::int64_t value = 0;
            const char* end = text->data() + text->size();
            const auto read = std::from_chars(text->data(), end, value);
            if (read.ec != std::errc() || read.ptr != end) {
                throw ErrorException(
                    {Code::InvalidArgument, std::string(name) + ": must be seconds since 1970"});
            }
            return value;
        };
        return at >= bound("start", at) && at <= bound("end", at);
    }

    ControlParts parts_;
    std::map<std::string, Reading> last_;
};

}  // namespace

void add_metric_routes(Api& api, ControlParts parts) {
    const auto routes = std::make_shared<MetricRoutes>(parts);
    using Handle = asio::awaitable<void> (MetricRoutes::*)(net::Exchange&);
    const auto add = [&](std::string_view pattern, std::string_view id, Handle handle) {
        api.add(
            unlisted("GET", pattern, id, "sessions:read"),
            [routes, handle](net::Exchange& exchange) { return ((*routes).*handle)(exchange); });
    };
    add("/sandboxes/{id}/metrics", "get_sandbox_metrics", &MetricRoutes::send);
    add("/sandboxes/metrics", "list_sandbox_metrics", &MetricRoutes::send_many);
    add("/sandboxes/{id}/logs", "get_sandbox_logs", &MetricRoutes::send_logs);
    add("/v2/sandboxes/{id}/logs", "get_sandbox_logs", &MetricRoutes::send_logs);
}

}  // namespace atl::api::e2b
