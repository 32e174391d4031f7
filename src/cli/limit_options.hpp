#pragma once
// Options that every command with a sandbox shares: limits, environment, mounts, template.
#include "core/spec.hpp"

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace atl::cli {

struct SandboxOptions {
    std::string template_name = "default";
    std::string timeout, memory, cpus, processes, file_size, open_files, output, disk;
    std::vector<std::string> environment;
    std::vector<std::string> read_only;
    std::vector<std::string> read_write;

    void add_to(CLI::App& command);
    // Every value checked, with the option's name in the message.
    [[nodiscard]] Result<core::SandboxSpec> spec() const;
};

}  // namespace atl::cli
