#pragma once
// Where Redis is and how long to wait for it.
#include "base/result.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace atl::redis {

struct RedisOptions {
    std::string host = "127.0.0.1";  // REDIS_HOST
    std::uint16_t port = 6379;       // REDIS_PORT
    std::string socket;              // a unix socket; when set, instead of host and port
    std::string username;            // REDIS_USERNAME; empty: the default user
    std::string password;            // REDIS_PASSWORD; empty: none is asked for
    std::uint32_t database = 0;      // REDIS_DB
    std::string prefix = "atoll:";   // before every key, so that others may use the database, too

    std::chrono::milliseconds connect_timeout{3000};  // with the name, the password, the scripts
    std::chrono::milliseconds answer_timeout{5000};
    std::chrono::milliseconds retry_min{50};
    std::chrono::milliseconds retry_max{2000};
    std::size_t requests_max = 4096;  // that wait; beyond, they are refused at once
    std::size_t requests_bytes_max = 128u << 20;
    std::size_t reply_bytes_max = 128u << 20;      // beyond, the connection is given up
    std::function<void(const std::string&)> tell;  // for the log; may be empty
};

}  // namespace atl::redis
