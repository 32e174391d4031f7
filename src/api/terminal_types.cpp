#include "api/terminal_types.hpp"

#include "schema/describe.hpp"

namespace atl::api {

BOOST_DESCRIBE_STRUCT(OpenTerminal, (), (rows, cols, cwd, command, pty, timeout))
ATOLL_TYPE(OpenTerminal) {
    return request(
        "", field<&T::rows>("Lines.", range(1, 4096)), field<&T::cols>("Columns.", range(1, 4096)),
        field<&T::cwd>("The directory that it starts in.", length(1, 4096), one_line()),
        field<&T::command>("A line for bash in place of an interactive shell.", length(1, 8192),
                           prefixed("", R"(^\x00)", "text without NUL")),
        field<&T::pty>("false: pipes in place of a terminal. The server's binary messages then "
                       "begin with a byte that names the stream: 1 is stdout, 2 stderr."),
        field<&T::timeout>("It is stopped after so long; 0 is never.", range(0, 86400)));
}

BOOST_DESCRIBE_STRUCT(TerminalSize, (), (rows, cols))
ATOLL_TYPE(TerminalSize) {
    return request("The size of the window.",
                   field<&T::rows>("Lines.", required, range(1, 4096), example(40)),
                   field<&T::cols>("Columns.", required, range(1, 4096), example(120)));
}

BOOST_DESCRIBE_STRUCT(TerminalControl, (), (resize, end_input))
ATOLL_TYPE(TerminalControl) {
    return request("A text message to a terminal.",
                   field<&T::resize>("The window has another size now."),
                   field<&T::end_input>("Without a terminal: there is no more input."));
}

BOOST_DESCRIBE_STRUCT(TerminalEnd, (), (exit_code, signal, reason))
ATOLL_TYPE(TerminalEnd) {
    return response("How the program ended.", field<&T::exit_code>("0 when all went well."),
                    field<&T::signal>("What ended it, or 0."),
                    field<&T::reason>("exited, signalled, timeout, or sandbox: it ended with its "
                                      "sandbox."));
}

BOOST_DESCRIBE_STRUCT(TerminalNote, (), (ended, error))
ATOLL_TYPE(TerminalNote) {
    return response(
        "A text message from a terminal.",
        field<&T::ended>("The last message: the program has ended."),
        field<&T::error>("A text message could not be understood; it changed nothing."));
}

}  // namespace atl::api
