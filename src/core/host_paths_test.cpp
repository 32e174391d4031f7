// Goal: what a client reads names no path of the host, and everything else of a sentence stays.
#include "core/host_paths.hpp"

#include <gtest/gtest.h>

namespace atl::core {
namespace {

TEST(HostPaths, are_hidden) {
    const struct {
        const char* said;
        const char* shown;
    } rows[] = {
        {"open /var/lib/atoll/sessions/s-1: No such file",
         "open (a path of the server): No such file"},
        {"/sys/fs/cgroup/atoll: busy", "(a path of the server): busy"},
        {"bind \"/a/b\" to /session/x", "bind \"(a path of the server)\" to /session/x"},
        {"at /data, /data/f and /work", "at /data, /data/f and /work"},
        {"/database is not /data", "(a path of the server) is not /data"},
        {"text/plain and 1/2 and a / b", "text/plain and 1/2 and a / b"},
        {"cannot open [/srv/atoll/outputs]", "cannot open [(a path of the server)]"},
        {"the model at http://127.0.0.1:8080/v1 answered",
         "the model at http://127.0.0.1:8080/v1 answered"},
        {"either/or, 3/4, and / alone", "either/or, 3/4, and / alone"},
        {"", ""},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(without_host_paths(std::string_view(row.said)), row.shown);
    }
    const auto told = without_host_paths(Error{Code::DiskFull, "write /srv/x: full"});
    EXPECT_EQ(told.code, Code::DiskFull);
    EXPECT_EQ(told.message, "write (a path of the server): full");
}

}  // namespace
}  // namespace atl::core
