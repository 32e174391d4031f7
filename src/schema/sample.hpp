#pragma once
// Types for the tests of this room, as a resource of the API would have them.
#include "schema/json.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace atl::sample {

enum class Network { None, AllowList, Open };
ATOLL_DESCRIBED(Network);

struct Limits {
    std::uint64_t memory_bytes_max = 2ull << 30;
    std::uint32_t processes_max = 128;
    double cpus_max = 1.5;
    std::int8_t nice = 0;

    bool operator==(const Limits&) const = default;
};
ATOLL_DESCRIBED(Limits);

struct Mount {
    std::string source;
    std::string target;
    bool writable = false;

    bool operator==(const Mount&) const = default;
};
ATOLL_DESCRIBED(Mount);

struct CreateSession {
    std::string name;
    std::string template_name = "default";
    Limits limits;
    Network network = Network::None;
    std::vector<std::string> allow;
    std::map<std::string, std::string> environment;
    std::vector<Mount> mounts;
    std::optional<std::int64_t> seed;
    std::chrono::milliseconds idle_time{std::chrono::minutes{10}};
    std::variant<std::string, std::vector<std::string>> command;
    boost::json::value metadata;

    bool operator==(const CreateSession&) const = default;
};
ATOLL_DESCRIBED(CreateSession);

struct Session {
    std::string id;
    Network network = Network::None;
    std::optional<std::string> error;
    std::vector<Session> children;  // a type that contains itself
};
ATOLL_DESCRIBED(Session);

struct ListQuery {
    std::uint32_t limit = 50;
    bool all = false;
    std::optional<Network> network;
    std::vector<std::string> tag;
    std::optional<std::vector<std::int32_t>> port;
    std::chrono::milliseconds wait{0};
    double ratio = 0.5;
};
ATOLL_DESCRIBED(ListQuery);

struct SessionPath {
    std::string id;
};
ATOLL_DESCRIBED(SessionPath);

struct FilePath {
    std::string id;
    std::string path;
};
ATOLL_DESCRIBED(FilePath);

struct Headers {
    std::optional<std::string> idempotency_key;
    std::optional<std::uint64_t> last_event_id;
};
ATOLL_DESCRIBED(Headers);

struct UploadForm {
    bool overwrite = false;
};
ATOLL_DESCRIBED(UploadForm);

struct Output {
    std::string text;
};
ATOLL_DESCRIBED(Output);

// A document with a route of every kind.
[[nodiscard]] std::string sample_document();

}  // namespace atl::sample
