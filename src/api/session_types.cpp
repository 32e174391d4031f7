#include "api/session_types.hpp"

#include "api/sandbox_options.hpp"
#include "api/time_text.hpp"
#include "schema/describe.hpp"
#include "schema/validation.hpp"
#include "sessions/spec_text.hpp"

namespace atl::api {

core::Limits limits_of(const std::optional<LimitsBody>& body, core::Limits otherwise,
                       const core::Ceilings& ceilings) {
    core::Limits limits = otherwise;
    if (!body) return limits;
    const auto set = [](auto& field, const auto& given) {
        if (given) field = *given;
    };
    set(limits.memory_bytes_max, body->memory_bytes_max);
    set(limits.processes_max, body->processes_max);
    set(limits.cpus_max, body->cpus_max);
    set(limits.file_bytes_max, body->file_bytes_max);
    set(limits.open_files_max, body->open_files_max);
    set(limits.disk_bytes_max, body->disk_bytes_max);
    set(limits.disk_files_max, body->disk_files_max);
    set(limits.output_bytes_max, body->output_bytes_max);
    // A request for many processes alone means the usual open files, or as many as fit.
    if (!body->open_files_max) {
        limits.open_files_max = core::below(limits, ceilings).open_files_max;
    }
    std::vector<schema::Issue> issues;
    for (auto& [field, sentence] : core::beyond(limits, ceilings)) {
        issues.push_back({"limits." + field, std::move(sentence)});
    }
    if (!issues.empty()) throw schema::ValidationError(std::move(issues));
    return limits;
}

void check_run_time(std::chrono::milliseconds asked, const core::Ceilings& ceilings) {
    const auto sentence = core::beyond(asked, ceilings);
    if (!sentence.empty()) throw schema::ValidationError({{"timeout", sentence}});
}

std::map<std::string, std::string> metadata_in(const std::vector<std::string>& pairs) {
    std::map<std::string, std::string> metadata;
    for (const auto& pair : pairs) {
        const auto sign = pair.find('=');
        if (sign == std::string::npos) {
            throw ErrorException(
                {Code::InvalidArgument, "metadata: write key=value, not " + schema::quoted(pair)});
        }
        metadata[pair.substr(0, sign)] = pair.substr(sign + 1);
    }
    return metadata;
}

LimitsView view_of(const core::Limits& limits) {
    return {limits.memory_bytes_max,
            limits.processes_max,
            limits.cpus_max,
            limits.file_bytes_max,
            limits.open_files_max,
            limits.disk_bytes_max,
            limits.disk_files_max,
            limits.output_bytes_max,
            static_cast<std::uint64_t>(limits.wall_time_max.count())};
}

UsageView view_of(const core::Usage& usage) {
    return {usage.memory_bytes, usage.memory_peak_bytes, usage.cpu_us / 1000, usage.processes};
}

SessionView view_of(const core::SessionRecord& record) {
    SessionView view;
    view.id = record.id.text();
    view.state = std::string(core::name_of(record.state));
    view.name = record.name;
    view.template_name = record.template_name;
    view.runtime = record.runtime;
    view.network = kNetwork;
    view.datasets = sessions::data_sets_from(record.spec_json);
    view.metadata = record.metadata;
    view.created_at = time_text(record.created_at);
    view.last_used_at = time_text(record.last_used_at);
    if (record.expires_at) view.expires_at = time_text(*record.expires_at);
    view.idle_to_warm_s = record.idle_to_warm.count();
    view.idle_to_cold_s = record.idle_to_cold.count();
    if (!record.state_note.empty()) view.state_note = record.state_note;
    // A record of a newer server may have a spec that is not understood here.
    if (const auto spec = sessions::spec_from(record.spec_json, record.template_name)) {
        view.limits = view_of(spec->limits());
    }
    return view;
}

SessionView view_of(const core::SessionRecord& record, const std::optional<core::Usage>& usage) {
    SessionView view = view_of(record);
    if (usage) {
        view.usage = UsageView{usage->memory_bytes, usage->memory_peak_bytes, usage->cpu_us / 1000,
                               usage->processes};
    }
    return view;
}

constexpr std::size_t kCodeCharactersMax = 200'000;

BOOST_DESCRIBE_STRUCT(LimitsBody, (),
                      (memory_bytes_max, processes_max, cpus_max, file_bytes_max, open_files_max,
                       disk_bytes_max, disk_files_max, output_bytes_max))
ATOLL_TYPE(LimitsBody) {
    return request(
        "What a sandbox may use. What is left out has the server's default; what is beyond the "
        "server's ceilings is refused with them.",
        field<&T::memory_bytes_max>("Memory of all its processes together.",
                                    range(32 << 20, 1ull << 46), example(512 << 20)),
        field<&T::processes_max>("Processes and threads at one time.", range(4, 4'000'000)),
        field<&T::cpus_max>("Processors; 0 is all of them.", range(0, 4096), example(1.5)),
        field<&T::file_bytes_max>("Size of one file.", range(1 << 20, 1ull << 46)),
        field<&T::open_files_max>("Open files of one process.", range(32, 1 << 20)),
        field<&T::disk_bytes_max>(
            "Space for all files, `/tmp` included. A session has them on disk, and by "
            "default as much as `sessions.max_bytes`; a run without a session has "
            "them in memory, by default 1 GiB.",
            range(1 << 20, 1ull << 46)),
        field<&T::disk_files_max>("Number of files, `/tmp` included.", range(256, 1ull << 32)),
        field<&T::output_bytes_max>("Output and results of one run.", range(1024, 1ull << 30)));
}

BOOST_DESCRIBE_STRUCT(CreateSession, (),
                      (name, template_name, runtime, network, datasets, limits, environment,
                       metadata, idle_to_warm, idle_to_cold, lifetime))
ATOLL_TYPE(CreateSession) {
    return request(
        "What a new session is made of. An empty object is enough.",
        field<&T::name>("What you call it: as good as its id in requests, and no two sessions of "
                        "yours have the same.",
                        length(0, 200), one_line(), example("taxi data")),
        field<&T::template_name>(
            "The template that it starts from.", named("template"), length(1, 64),
            pattern("A-Za-z0-9_", "A-Za-z0-9._-", "letters, digits, dot, dash and underscore"),
            example("default")),
        field<&T::runtime>("What builds its walls; /v1/info lists what there is.", length(1, 64),
                           one_line(), example("native")),
        field<&T::network>("What it may reach; /v1/info lists what there is.", length(1, 64),
                           one_line(), example("none")),
        field<&T::datasets>("Data sets of the server, which show read-only at /data/<name>; "
                            "/v1/info lists them.",
                            items(0, 64), each(length(1, 64))),
        field<&T::limits>("What it may use."),
        field<&T::environment>("Variables that its programs and kernels see.", items(0, 256),
                               keys(length(1, 256)), each(length(0, 32'768))),
        field<&T::metadata>("Your own; sessions can be found by it.", items(0, 32),
                            keys(length(1, 128), one_line()), each(length(0, 1024))),
        field<&T::idle_to_warm>("Unused for so long it is frozen; 0 is never.",
                                range(0, 31'536'000), example("60s")),
        field<&T::idle_to_cold>("Unused for so long it goes to disk; 0 is never.",
                                range(0, 31'536'000), example("10m")),
        field<&T::lifetime>("It is removed after so long, used or not.", range(1, 31'536'000),
                            example("24h")));
}

BOOST_DESCRIBE_STRUCT(PatchSession, (), (name, metadata, idle_to_warm, idle_to_cold, lifetime))
ATOLL_TYPE(PatchSession) {
    return request("What is to change; the rest stays.",
                   field<&T::name>("What you call it; no two sessions of yours have the same.",
                                   length(0, 200), one_line()),
                   field<&T::metadata>("Replaces all of it.", items(0, 32),
                                       keys(length(1, 128), one_line()), each(length(0, 1024))),
                   field<&T::idle_to_warm>("Unused for so long it is frozen; 0 is never.",
                                           range(0, 31'536'000)),
                   field<&T::idle_to_cold>("Unused for so long it goes to disk; 0 is never.",
                                           range(0, 31'536'000)),
                   field<&T::lifetime>("It is removed so long from now on.", range(1, 31'536'000)));
}

BOOST_DESCRIBE_STRUCT(ForkSession, (), (count, name))
ATOLL_TYPE(ForkSession) {
    return request("How a session is to be forked.",
                   field<&T::count>("How many copies.", range(1, 100)),
                   field<&T::name>("Of the copy, if there is one.", length(0, 200), one_line()));
}

BOOST_DESCRIBE_STRUCT(UsageView, (), (memory_bytes, memory_peak_bytes, cpu_ms, processes))
ATOLL_TYPE(UsageView) {
    return response("What a sandbox uses; 0 where the host cannot tell.",
                    field<&T::memory_bytes>("Now."), field<&T::memory_peak_bytes>("At most."),
                    field<&T::cpu_ms>("Since it was started."),
                    field<&T::processes>("That live in it."));
}

BOOST_DESCRIBE_STRUCT(LimitsView, (),
                      (memory_bytes_max, processes_max, cpus_max, file_bytes_max, open_files_max,
                       disk_bytes_max, disk_files_max, output_bytes_max, run_ms_max))
ATOLL_TYPE(LimitsView) {
    return response("What a sandbox may use.",
                    field<&T::memory_bytes_max>("Memory of all its processes together."),
                    field<&T::processes_max>("Processes and threads at one time."),
                    field<&T::cpus_max>("Processors; 0 is all of them."),
                    field<&T::file_bytes_max>("Size of one file."),
                    field<&T::open_files_max>("Open files of one process."),
                    field<&T::disk_bytes_max>("Space for all files."),
                    field<&T::disk_files_max>("Number of files."),
                    field<&T::output_bytes_max>("Output and results of one run."),
                    field<&T::run_ms_max>("Time of one run; 0 is no limit."));
}

BOOST_DESCRIBE_STRUCT(SessionView, (),
                      (id, state, name, template_name, runtime, network, datasets, metadata,
                       created_at, last_used_at, expires_at, idle_to_warm_s, idle_to_cold_s,
                       state_note, limits, usage))
ATOLL_TYPE(SessionView) {
    return response(
        "A session.", field<&T::id>("Its id."),
        field<&T::state>("starting, hot, warm, cold, failed or deleting.", example("hot")),
        field<&T::name>("What you call it; empty: it has no name."),
        field<&T::template_name>("The template it starts from.", named("template")),
        field<&T::runtime>("What builds its walls."), field<&T::network>("What it may reach."),
        field<&T::datasets>("Data sets that show at /data/<name>."),
        field<&T::metadata>("Your own."),
        field<&T::created_at>("When it was made.", format("date-time")),
        field<&T::last_used_at>("When it was last used, or changed its state.",
                                format("date-time")),
        field<&T::expires_at>("Its hard end.", format("date-time")),
        field<&T::idle_to_warm_s>("Unused for so long it is frozen; 0 is never."),
        field<&T::idle_to_cold_s>("Unused for so long it goes to disk; 0 is never."),
        field<&T::state_note>("What was lost at the last restore, or why it failed."),
        field<&T::limits>("What it may use."),
        field<&T::usage>("What its sandbox uses, while it has one."));
}

BOOST_DESCRIBE_STRUCT(SessionList, (), (sessions, next_cursor))
ATOLL_TYPE(SessionList) {
    return response("Sessions, the newest first.", field<&T::sessions>("This page."),
                    field<&T::next_cursor>("For the next page; left out at the end."));
}

BOOST_DESCRIBE_STRUCT(SessionPath, (), (id))
ATOLL_TYPE(SessionPath) {
    return request("", field<&T::id>("The session: its id or its name.", required, length(1, 200),
                                     example("s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk")));
}

BOOST_DESCRIBE_STRUCT(ListSessions, (), (state, metadata, cursor, limit))
ATOLL_TYPE(ListSessions) {
    return request(
        "", field<&T::state>("Only these states.", items(0, 6), each(length(1, 16))),
        field<&T::metadata>("key=value, each must be equal.", items(0, 16), each(length(1, 1200))),
        field<&T::cursor>("Of the page before.", length(0, 512)),
        field<&T::limit>("How many at most.", range(1, 1000)));
}

BOOST_DESCRIBE_ENUM(RunLanguage, Python, Shell, Javascript, Typescript)
ATOLL_TYPE(RunLanguage) {
    return choices("What the code is written in.",
                   choice<RunLanguage::Python>("in a kernel that keeps its variables"),
                   choice<RunLanguage::Shell>("by bash"),
                   choice<RunLanguage::Javascript>("by bun; in a session, in a kernel"),
                   choice<RunLanguage::Typescript>("the same; types are stripped, not checked"));
}

BOOST_DESCRIBE_STRUCT(RunBody, (), (code, language, context, timeout, environment, keep_running))
ATOLL_TYPE(RunBody) {
    return request(
        "A run in a session.",
        field<&T::code>("What to run.", required, length(0, kCodeCharactersMax), example("1 + 1")),
        field<&T::language>("What it is written in."),
        field<&T::context>(
            "Which of the session's kernels; it is made when it is not there. `default` is "
            "Python's; "
            "for JavaScript and TypeScript it stands for the kernel `javascript`.",
            length(1, 100),
            pattern("A-Za-z0-9._-", "A-Za-z0-9._-", "letters, digits, dot, dash and underscore")),
        field<&T::timeout>("It is stopped after so long; 0 is the session's own limit.",
                           range(0, 86'400), example("30s")),
        field<&T::environment>("Variables, for this run alone.", items(0, 256),
                               keys(length(1, 256)), each(length(0, 32'768))),
        field<&T::keep_running>("It goes on when the client leaves; else it is stopped then."));
}

BOOST_DESCRIBE_STRUCT(EphemeralBody, (),
                      (code, language, session_id, timeout, template_name, runtime, network,
                       datasets, limits, environment))
ATOLL_TYPE(EphemeralBody) {
    return request(
        "A run in a sandbox of its own, which is gone afterwards, or in a session.",
        field<&T::code>("What to run.", required, length(0, kCodeCharactersMax), example("1 + 1")),
        field<&T::language>("What it is written in."),
        field<&T::session_id>(
            "The session to run in: its id, or a name of your own. A session of that name is made "
            "at its first use, with the template, data sets and limits of that request; later "
            "requests do not change them. Left out: a sandbox that is gone afterwards.",
            length(1, 128), example("my-conversation-1")),
        field<&T::timeout>("It is stopped after so long; 0 is the default.", range(0, 86'400),
                           example("30s")),
        field<&T::template_name>(
            "The template that it starts from.", named("template"), length(1, 64),
            pattern("A-Za-z0-9_", "A-Za-z0-9._-", "letters, digits, dot, dash and underscore")),
        field<&T::runtime>("What builds its walls.", length(1, 64), one_line(), example("native")),
        field<&T::network>("What it may reach.", length(1, 64), one_line(), example("none")),
        field<&T::datasets>("Data sets of the server, which show read-only at /data/<name>.",
                            items(0, 64), each(length(1, 64))),
        field<&T::limits>("What it may use."),
        field<&T::environment>("Variables.", items(0, 256), keys(length(1, 256)),
                               each(length(0, 32'768))));
}

BOOST_DESCRIBE_STRUCT(OutputPath, (), (run_id, path))
ATOLL_TYPE(OutputPath) {
    return request(
        "",
        field<&T::run_id>("The run.", required, length(1, 128),
                          example("r-mfrggzdfmztwq2lkmfrggzdfmztwq2lk")),
        field<&T::path>("Below /work/artifacts.", required, length(1, 4096), example("plot.png")));
}

BOOST_DESCRIBE_STRUCT(LostView, (), (context, name, type, reason))
ATOLL_TYPE(LostView) {
    return response("What could not be kept while the session slept.",
                    field<&T::context>("Of which kernel; empty: of all."),
                    field<&T::name>("The variable; empty: all of them. Of a program that ended "
                                    "with the sandbox: its command."),
                    field<&T::type>("Its type; process: a program."), field<&T::reason>("Why."));
}

BOOST_DESCRIBE_STRUCT(RunTimings, (), (sandbox, run, total))
ATOLL_TYPE(RunTimings) {
    return response("Milliseconds.", field<&T::sandbox>("Until the sandbox was there, or awake."),
                    field<&T::run>("The run itself."), field<&T::total>("All of it."));
}

BOOST_DESCRIBE_STRUCT(ChangedFileView, (), (path, change, type, size))
ATOLL_TYPE(ChangedFileView) {
    return response("A file that the run changed.",
                    field<&T::path>("Where, in the sandbox.", example("/session/table.csv")),
                    field<&T::change>("created, modified or removed."),
                    field<&T::type>("file, symlink, …"), field<&T::size>("Bytes it has now."));
}

BOOST_DESCRIBE_STRUCT(ImageView, (), (path, content_type, size, href))
ATOLL_TYPE(ImageView) {
    return response("An image that the run wrote.", field<&T::path>("Where, in the sandbox."),
                    field<&T::content_type>("What it is, by its name.", example("image/png")),
                    field<&T::size>("Bytes."), field<&T::href>("Where to get it."));
}

BOOST_DESCRIBE_STRUCT(LeftOutView, (), (path, reason))
ATOLL_TYPE(LeftOutView) {
    return response("An artifact that was not copied to the host.",
                    field<&T::path>("Where, in the sandbox."), field<&T::reason>("Why not."));
}

BOOST_DESCRIBE_STRUCT(RunAnswer, (),
                      (out, err, results, error, exit_code, signal, reason, message,
                       output_truncated, state_lost, execution_count, timings_ms, memory_peak_bytes,
                       files, files_complete, images, artifact_map, artifacts_left_out, lost,
                       session_id, run_id, code))
ATOLL_TYPE(RunAnswer) {
    return response(
        "How a run went.", field<&T::out>("What it printed.", named("stdout")),
        field<&T::err>("What it printed as errors, and the traceback of the exception that ended "
                       "it. A stream of events has that in `error` alone.",
                       named("stderr")),
        field<&T::results>("Results and displays, as MIME bundles: {event, data, metadata}."),
        field<&T::error>("The exception that ended it: name, value, traceback."),
        field<&T::exit_code>("0 when all went well."), field<&T::signal>("What ended it, or 0."),
        field<&T::reason>("exited, signalled, timeout, memory, disk, output or killed."),
        field<&T::message>("Why it ended, in words, unless it ended by itself."),
        field<&T::output_truncated>("It printed more than it may."),
        field<&T::state_lost>("The kernel had to be replaced, or did not come back: variables are "
                              "gone."),
        field<&T::execution_count>("The cell's number, of Python."),
        field<&T::timings_ms>("Where the time went."),
        field<&T::memory_peak_bytes>("The sandbox's peak; 0 when the host cannot tell."),
        field<&T::files>("What it changed below /session, /data and /work."),
        field<&T::files_complete>("False when more changed than could be told."),
        field<&T::images>("Images among them, in /session/artifacts, /data/outputs and "
                          "/work/artifacts."),
        field<&T::artifact_map>("What it left in /session/artifacts (without a session: in "
                                "/work/artifacts), and where the copy lies on the host."),
        field<&T::artifacts_left_out>("What was not copied, and why."),
        field<&T::lost>("What did not come back when the session was restored for this run."),
        field<&T::session_id>("The id of the session it ran in."),
        field<&T::run_id>("Of a run without a session: what it left is at /v1/outputs/{run_id}/."),
        field<&T::code>("What was run, when the server is set to say so."));
}

}  // namespace atl::api
