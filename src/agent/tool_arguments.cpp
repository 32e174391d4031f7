#include "agent/tool_arguments.hpp"

#include "schema/describe.hpp"

namespace atl::agent {

namespace {

constexpr std::size_t kCodeCharactersMax = 200'000;
constexpr std::size_t kContentCharactersMax = 4'000'000;
constexpr std::size_t kPathCharactersMax = 4096;
constexpr std::uint64_t kReadMost = 1'000'000;
constexpr const char* kSession =
    "The session to work in: its id, or a name of your own, which makes one at its first use.";
constexpr const char* kPath = "Absolute, or below /session.";
constexpr const char* kTimeout = "It is stopped after so long; 0 is the session's own limit.";
constexpr const char* kSessionExample = "s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk";

}  // namespace

BOOST_DESCRIBE_STRUCT(RunPythonArguments, (), (code, timeout, session_id))
ATOLL_TYPE(RunPythonArguments) {
    return request("Python for the session's kernel.",
                   field<&T::code>("Python. The value of the last expression is shown.", required,
                                   length(1, kCodeCharactersMax), example("df.head()")),
                   field<&T::timeout>(kTimeout, range(0, 86'400), example("30s")),
                   field<&T::session_id>(kSession, length(1, 128), example(kSessionExample)));
}

BOOST_DESCRIBE_STRUCT(ExecuteShellArguments, (), (command, working_directory, timeout, session_id))
ATOLL_TYPE(ExecuteShellArguments) {
    return request("A command for bash.",
                   field<&T::command>("What bash runs.", required, length(1, kCodeCharactersMax),
                                      example("ls -la /data")),
                   field<&T::working_directory>("Where it starts.", length(1, kPathCharactersMax)),
                   field<&T::timeout>(kTimeout, range(0, 86'400), example("30s")),
                   field<&T::session_id>(kSession, length(1, 128), example(kSessionExample)));
}

BOOST_DESCRIBE_STRUCT(ExecuteScriptArguments, (), (script, path, timeout, session_id))
ATOLL_TYPE(ExecuteScriptArguments) {
    return request(
        "A Python script, by its text or by its path.",
        field<&T::script>("The script itself.", length(1, kCodeCharactersMax),
                          example("print('hello')")),
        field<&T::path>("A script that is in the session.", length(1, kPathCharactersMax)),
        field<&T::timeout>(kTimeout, range(0, 86'400), example("30s")),
        field<&T::session_id>(kSession, length(1, 128), example(kSessionExample)),
        rule([](const T& value, Findings& findings) {
            if (value.script.has_value() == value.path.has_value()) {
                findings.add("script", "give either script or path, and not both");
            }
        }));
}

BOOST_DESCRIBE_STRUCT(ListFilesArguments, (), (path, recursive, session_id))
ATOLL_TYPE(ListFilesArguments) {
    return request("Which folder to list.",
                   field<&T::path>(kPath, length(1, kPathCharactersMax), example("/data")),
                   field<&T::recursive>("With all folders below."),
                   field<&T::session_id>(kSession, length(1, 128), example(kSessionExample)));
}

BOOST_DESCRIBE_STRUCT(ReadFileArguments, (), (path, offset, length, session_id))
ATOLL_TYPE(ReadFileArguments) {
    return request(
        "Which file to read.",
        field<&T::path>(kPath, required, Words::length(1, kPathCharactersMax),
                        example("/data/outputs/report.txt")),
        field<&T::offset>("From this byte on.", range(0, 1ull << 46)),
        field<&T::length>("So many bytes at most.", range(1, kReadMost)),
        field<&T::session_id>(kSession, Words::length(1, 128), example(kSessionExample)));
}

BOOST_DESCRIBE_STRUCT(WriteFileArguments, (), (path, content, session_id))
ATOLL_TYPE(WriteFileArguments) {
    return request("A text to store as a file.",
                   field<&T::path>(kPath, required, length(1, kPathCharactersMax),
                                   example("/session/notes.txt")),
                   field<&T::content>("All of it, as text.", required,
                                      length(0, kContentCharactersMax), example("hello")),
                   field<&T::session_id>(kSession, length(1, 128), example(kSessionExample)));
}

BOOST_DESCRIBE_STRUCT(DeleteFileArguments, (), (path, recursive, session_id))
ATOLL_TYPE(DeleteFileArguments) {
    return request("What to remove.",
                   field<&T::path>(kPath, required, length(1, kPathCharactersMax),
                                   example("/session/notes.txt")),
                   field<&T::recursive>("A folder with all that is in it."),
                   field<&T::session_id>(kSession, length(1, 128), example(kSessionExample)));
}

BOOST_DESCRIBE_STRUCT(MakeDirectoryArguments, (), (path, session_id))
ATOLL_TYPE(MakeDirectoryArguments) {
    return request("Which folder to make.",
                   field<&T::path>(kPath, required, length(1, kPathCharactersMax),
                                   example("/session/results")),
                   field<&T::session_id>(kSession, length(1, 128), example(kSessionExample)));
}

BOOST_DESCRIBE_STRUCT(CodeSandboxArguments, (),
                      (code, session_id, timeout, memory_bytes_max, cpus_max))
ATOLL_TYPE(CodeSandboxArguments) {
    return request(
        "Python, in a fresh sandbox or in a session's.",
        field<&T::code>("Python.", required, length(1, kCodeCharactersMax), example("1 + 1")),
        field<&T::session_id>("Variables and /session stay from call to call: a session's id, or a "
                              "name of your own, which makes one at its first use. Left out: a "
                              "fresh sandbox, gone afterwards.",
                              length(1, 128), example("my-conversation-1")),
        field<&T::timeout>("It is stopped after so long; 0 is the default.", range(0, 86'400),
                           example("30s")),
        field<&T::memory_bytes_max>("Memory of a sandbox or session that this makes.",
                                    range(32 << 20, 1ull << 46)),
        field<&T::cpus_max>("Processors of a sandbox or session that this makes; 0 is all.",
                            range(0, 4096)));
}

}  // namespace atl::agent
