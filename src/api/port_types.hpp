#pragma once
// API types of ports.
#include "schema/json.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace atl::api {

struct PortPath {
    std::string id;
    std::uint16_t port = 0;
};
ATOLL_DESCRIBED(PortPath);

struct PortFilePath {
    std::string id;
    std::uint16_t port = 0;
    std::string path;
};
ATOLL_DESCRIBED(PortFilePath);

struct ListeningPort {
    std::uint16_t port = 0;
    std::string href;
};
ATOLL_DESCRIBED(ListeningPort);

struct PortList {
    std::vector<ListeningPort> ports;
};
ATOLL_DESCRIBED(PortList);

}  // namespace atl::api
