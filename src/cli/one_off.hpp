#pragma once
// A sandbox for one program: created, used, destroyed. Shared by `atoll run` and `atoll shell`.
//
// Owns      the sandbox and the event loop for the time of the run. Ctrl-C goes to the program
//           first; a second one ends it.
#include "core/spec.hpp"
#include "guest_client/program.hpp"

#include <boost/json/object.hpp>
#include <optional>

namespace atl::cli {

struct OneOff {
    struct Script {
        std::string path, content;
    };
    std::optional<Script> script;       // put there first
    std::optional<std::string> folder;  // of this machine: its contents are copied to /work first
    guest_client::ProgramRequest request;
    bool collect = false;      // keep the output instead of passing it on live
    bool interactive = false;  // our terminal becomes the program's
};

struct OneOffResult {
    guest_client::ProgramResult program;
    // The sandbox stood, but the program is not there, or is none.
    std::optional<Error> not_started;
    std::string out, err;  // when collected; else the end of what it wrote to stderr
    struct File {
        std::string path;
        const char* change;  // created, modified, removed
        std::uint64_t bytes;
    };
    std::vector<File> files;  // that it changed, when collected
    bool files_complete = true;
    double walls_ms = 0, prepare_ms = 0, total_ms = 0;
};

[[nodiscard]] Result<OneOffResult> run_one_off(const core::SandboxSpec& spec, OneOff one);
[[nodiscard]] boost::json::object to_json(const OneOffResult& result);

// On stderr, if a limit ended it.
void say_why(const OneOffResult& result, const core::SandboxSpec& spec);
[[nodiscard]] int exit_status(const guest_client::ProgramResult& result);

// As JSON text for people too: numbers as 57.658, not 5.7658E1.
[[nodiscard]] std::string print_json(const boost::json::value& value);

// Bytes as valid UTF-8, what is none replaced.
[[nodiscard]] std::string as_text(const std::string& bytes);

// Whether the command line had a `--`: then what follows is a command, not a script.
[[nodiscard]] bool asked_for_command();
void remember_arguments(int argc, char** argv);

}  // namespace atl::cli
