#pragma once
// The arguments of the tools, described once for models, REST and the OpenAPI document. Flat, so
// that each schema is self-contained.
#include "schema/json.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace atl::agent {

struct RunPythonArguments {
    std::string code;
    std::chrono::milliseconds timeout{0};
    std::optional<std::string> session_id;
};
ATOLL_DESCRIBED(RunPythonArguments);

struct ExecuteShellArguments {
    std::string command;
    std::string working_directory = "/session";
    std::chrono::milliseconds timeout{0};
    std::optional<std::string> session_id;
};
ATOLL_DESCRIBED(ExecuteShellArguments);

struct ExecuteScriptArguments {
    std::optional<std::string> script;
    std::optional<std::string> path;
    std::chrono::milliseconds timeout{0};
    std::optional<std::string> session_id;
};
ATOLL_DESCRIBED(ExecuteScriptArguments);

struct ListFilesArguments {
    std::string path = "/session";
    bool recursive = false;
    std::optional<std::string> session_id;
};
ATOLL_DESCRIBED(ListFilesArguments);

struct ReadFileArguments {
    std::string path;
    std::uint64_t offset = 0;
    std::uint64_t length = 100'000;
    std::optional<std::string> session_id;
};
ATOLL_DESCRIBED(ReadFileArguments);

struct WriteFileArguments {
    std::string path;
    std::string content;
    std::optional<std::string> session_id;
};
ATOLL_DESCRIBED(WriteFileArguments);

struct DeleteFileArguments {
    std::string path;
    bool recursive = false;
    std::optional<std::string> session_id;
};
ATOLL_DESCRIBED(DeleteFileArguments);

struct MakeDirectoryArguments {
    std::string path;
    std::optional<std::string> session_id;
};
ATOLL_DESCRIBED(MakeDirectoryArguments);

struct CodeSandboxArguments {
    std::string code;
    std::optional<std::string> session_id;
    std::chrono::milliseconds timeout{0};
    std::optional<std::uint64_t> memory_bytes_max;
    std::optional<double> cpus_max;
};
ATOLL_DESCRIBED(CodeSandboxArguments);

}  // namespace atl::agent
