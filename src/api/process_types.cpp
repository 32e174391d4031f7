#include "api/process_types.hpp"

#include "api/time_text.hpp"
#include "schema/describe.hpp"

#include <csignal>

namespace atl::api {

namespace {

std::string reason_of(const sessions::ProcessEnd& end) {
    return end.with_sandbox ? "sandbox" : std::string(core::name_of(end.reason));
}

}  // namespace

ProcessView view_of(const sessions::Process& process, bool frozen) {
    ProcessView view;
    view.id = process.id();
    view.argv = process.wanted().argv;
    view.cwd = process.wanted().directory;
    view.state = process.ended() ? "ended" : frozen ? "frozen" : "running";
    view.pid = process.pid();
    view.stdin_open = process.stdin_open();
    view.keep_awake = process.wanted().keep_awake;
    view.started_at = time_text(process.started_at());
    view.output_begin = process.output_log().begin();
    view.output_end = process.output_log().end();
    if (const auto& end = process.ended()) {
        view.ended_at = time_text(end->at);
        view.exit_code = end->exit_code;
        view.signal = end->signal;
        view.reason = reason_of(*end);
        if (!end->note.empty()) view.note = end->note;
    }
    return view;
}

void fill(ProcessResult& result, const sessions::ProcessEnd& end) {
    result.exit_code = end.exit_code;
    result.signal = end.signal;
    result.reason = reason_of(end);
    if (!end.note.empty()) result.note = end.note;
    result.run_ms = end.run_ms;
}

int number_of(SignalName name) {
    switch (name) {
        case SignalName::Hup: return SIGHUP;
        case SignalName::Int: return SIGINT;
        case SignalName::Quit: return SIGQUIT;
        case SignalName::Usr1: return SIGUSR1;
        case SignalName::Usr2: return SIGUSR2;
        case SignalName::Pipe: return SIGPIPE;
        case SignalName::Alrm: return SIGALRM;
        case SignalName::Term: return SIGTERM;
        case SignalName::Kill: return SIGKILL;
        case SignalName::Cont: return SIGCONT;
        case SignalName::Stop: return SIGSTOP;
        case SignalName::Tstp: return SIGTSTP;
        case SignalName::Winch: return SIGWINCH;
    }
    return SIGTERM;
}

// The system cuts such text at its NUL: it would run something else than what was asked for.
constexpr std::string_view kNoNul = R"(^\x00)";
constexpr std::string_view kNoNulSays = "text without NUL";

BOOST_DESCRIBE_STRUCT(StartProcess, (),
                      (argv, command, cwd, environment, input, stdin_open, timeout, wait,
                       keep_awake))
ATOLL_TYPE(StartProcess) {
    return request(
        "A program to start: `argv`, or `command` for the shell.",
        field<&T::argv>("The program and its arguments.", items(0, 4096),
                        each(length(0, 131'072), prefixed("", kNoNul, kNoNulSays)),
                        example_json(R"(["python3", "-m", "http.server", "8080"])")),
        field<&T::command>("A line for bash, in place of `argv`.", length(1, 131'072),
                           prefixed("", kNoNul, kNoNulSays)),
        field<&T::cwd>("The directory that it starts in.", length(1, 4096),
                       prefixed("", kNoNul, kNoNulSays)),
        field<&T::environment>(
            "Variables, besides the session's.", items(0, 256),
            keys(length(1, 256), pattern(R"(^=\x00)", R"(^=\x00)", "a name without = and NUL")),
            each(length(0, 32'768), prefixed("", kNoNul, kNoNulSays))),
        field<&T::input>("What it reads first.", length(0, 1u << 20)),
        field<&T::stdin_open>("Its input stays open for more, until it is ended."),
        field<&T::timeout>("It is killed after so long; 0 is never, and with `wait` 5 minutes.",
                           range(0, 31'536'000), example("30s")),
        field<&T::wait>("Answer when it has ended. A client that leaves ends it."),
        field<&T::keep_awake>("While it runs the session does not fall asleep."),
        rule([](const T& value, Findings& findings) {
            const bool program = !value.argv.empty() && !value.argv.front().empty();
            if (program == value.command.has_value() || (!program && !value.argv.empty())) {
                findings.add("argv", "give either argv, beginning with a program, or command");
            }
        }));
}

BOOST_DESCRIBE_STRUCT(ProcessView, (),
                      (id, argv, cwd, state, pid, stdin_open, keep_awake, started_at, ended_at,
                       exit_code, signal, reason, note, output_begin, output_end))
ATOLL_TYPE(ProcessView) {
    return response(
        "A process of a session.", field<&T::id>("Its id, for as long as it is remembered."),
        field<&T::argv>("The program and its arguments."),
        field<&T::cwd>("The directory that it started in."),
        field<&T::state>("running, frozen (its session is) or ended.", example("running")),
        field<&T::pid>("Its number inside the sandbox."), field<&T::stdin_open>("It takes input."),
        field<&T::keep_awake>("While it runs its session does not fall asleep."),
        field<&T::started_at>("When it was started.", format("date-time")),
        field<&T::ended_at>("When it ended.", format("date-time")),
        field<&T::exit_code>("Of one that has ended."), field<&T::signal>("What ended it, or 0."),
        field<&T::reason>("exited, signalled, timeout, memory, killed (by a request) or sandbox: "
                          "it ended with its sandbox.",
                          example("exited")),
        field<&T::note>("More about its end."),
        field<&T::output_begin>("Where the output that is still kept begins."),
        field<&T::output_end>("How many bytes it has written."));
}

BOOST_DESCRIBE_STRUCT(ProcessResult, (),
                      (id, out, err, output_truncated, exit_code, signal, reason, note, run_ms))
ATOLL_TYPE(ProcessResult) {
    return response(
        "A process that was waited for.", field<&T::id>("Its id."),
        field<&T::out>("What it printed.", named("stdout")),
        field<&T::err>("What it printed as errors.", named("stderr")),
        field<&T::output_truncated>("It printed more than 8 MiB: the rest is left out."),
        field<&T::exit_code>("0 when all went well."), field<&T::signal>("What ended it, or 0."),
        field<&T::reason>("exited, signalled, timeout, memory, killed or sandbox."),
        field<&T::note>("More about its end."), field<&T::run_ms>("How long it ran."));
}

BOOST_DESCRIBE_STRUCT(ProcessList, (), (processes))
ATOLL_TYPE(ProcessList) {
    return response("Processes, the newest first.",
                    field<&T::processes>("Running ones, and those that ended lately."));
}

BOOST_DESCRIBE_STRUCT(ProcessPath, (), (id, process))
ATOLL_TYPE(ProcessPath) {
    return request(
        "",
        field<&T::id>("The session.", required, length(1, 128),
                      example("s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk")),
        field<&T::process>("The process.", required, length(1, 128), example("p-mfrggzdf")));
}

BOOST_DESCRIBE_STRUCT(WriteInput, (), (end))
ATOLL_TYPE(WriteInput) {
    return request("", field<&T::end>("There is no more: the program reads an end after this."));
}

BOOST_DESCRIBE_STRUCT(WriteInputAnswer, (), (bytes, stdin_open))
ATOLL_TYPE(WriteInputAnswer) {
    return response("What was taken.", field<&T::bytes>("So many bytes."),
                    field<&T::stdin_open>("It takes more."));
}

BOOST_DESCRIBE_ENUM(SignalName, Hup, Int, Quit, Usr1, Usr2, Pipe, Alrm, Term, Kill, Cont, Stop,
                    Tstp, Winch)
ATOLL_TYPE(SignalName) {
    return choices("A signal.", choice<SignalName::Hup>("its terminal is gone; read settings anew"),
                   choice<SignalName::Int>("Ctrl-C"), choice<SignalName::Quit>("Ctrl-\\"),
                   choice<SignalName::Usr1>("the program's own"),
                   choice<SignalName::Usr2>("the program's own"),
                   choice<SignalName::Pipe>("nobody reads"), choice<SignalName::Alrm>("time is up"),
                   choice<SignalName::Term>("please end"), choice<SignalName::Kill>("end at once"),
                   choice<SignalName::Cont>("go on"), choice<SignalName::Stop>("stand still"),
                   choice<SignalName::Tstp>("Ctrl-Z"),
                   choice<SignalName::Winch>("the window's size has changed"));
}

BOOST_DESCRIBE_STRUCT(SendSignal, (), (signal))
ATOLL_TYPE(SendSignal) {
    return request("A signal for a process and its group.", field<&T::signal>("Which."));
}

BOOST_DESCRIBE_STRUCT(WaitForProcess, (), (timeout))
ATOLL_TYPE(WaitForProcess) {
    return request("", field<&T::timeout>("How long to wait at most.", range(0, 300)));
}

BOOST_DESCRIBE_STRUCT(ReadOutput, (), (after))
ATOLL_TYPE(ReadOutput) {
    return request("", field<&T::after>("From this byte on; left out, from the oldest still kept.",
                                        range(0, 1ull << 62)));
}

BOOST_DESCRIBE_STRUCT(ReadOutputHeaders, (), (last_event_id))
ATOLL_TYPE(ReadOutputHeaders) {
    return request("",
                   field<&T::last_event_id>("The id of the last event seen; goes before `after`.",
                                            range(0, 1ull << 62)));
}

BOOST_DESCRIBE_STRUCT(OutputText, (), (offset, text))
ATOLL_TYPE(OutputText) {
    return response("A piece of output. The event's id is the offset behind it.",
                    field<&T::offset>("Where it begins, counted over both streams."),
                    field<&T::text>("The text."));
}

BOOST_DESCRIBE_STRUCT(OutputGap, (), (begin, end))
ATOLL_TYPE(OutputGap) {
    return response("Output that is no longer kept: it was not read in time.",
                    field<&T::begin>("The first byte that is missing."),
                    field<&T::end>("The first that is there again."));
}

BOOST_DESCRIBE_STRUCT(OutputAnswer, (), (begin, end, lost_bytes, out, err, state))
ATOLL_TYPE(OutputAnswer) {
    return response("Output that is still kept.", field<&T::begin>("Where it begins."),
                    field<&T::end>("Where it ends: the next `after`."),
                    field<&T::lost_bytes>("Between what was asked for and what is still kept."),
                    field<&T::out>("What was printed.", named("stdout")),
                    field<&T::err>("What was printed as errors.", named("stderr")),
                    field<&T::state>("running or ended."));
}

}  // namespace atl::api
