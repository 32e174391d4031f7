#include "main/settings.hpp"

#include "core/spec.hpp"
#include "main/data_sets.hpp"
#include "main/settings_file.hpp"
#include "main/settings_syntax.hpp"
#include "runtimes/native/paths.hpp"
#include "runtimes/native/runtime.hpp"

#include <algorithm>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <unistd.h>

namespace atl::main {

namespace {

constexpr std::uint64_t kMiB = 1ull << 20;
constexpr std::uint64_t kBytesMost = 1ull << 46;
constexpr std::uint64_t kYearMs = 366ull * 86'400'000;
constexpr std::string_view kSystemFile = "/etc/atoll/atoll.toml";
constexpr std::size_t kWordBytesMax = 4096;
constexpr std::size_t kListMax = 64;
constexpr std::string_view kDataSetTable = "datasets.";

// A server does not refuse to start for these: they may be meant for other programs. Nor are they
// passed over in silence.
struct Unused {
    const char* name;
    const char* why;
};
constexpr const char* kTemplatesSay =
    "sandboxes use the Python of their template (docs/templates.md)";
constexpr Unused kUnused[] = {
    {"CPYTHON_BIN", kTemplatesSay},
    {"PYTHON_BIN", kTemplatesSay},
    {"PYODIDE_INDEX_URL", "sandboxes run CPython, and Pyodide is not among the runtimes"},
    {"E2B_API_KEY", "sandboxes are made on this host, and E2B is not among the runtimes"},
};

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::vector<Setting> declare() {
    using S = Settings;
    return {
        {.key = "listen",
         .variables = {{"ATOLL_LISTEN"}},
         .flag = "--listen",
         .member = &S::listen,
         .help = "Addresses: 127.0.0.1:8000, [::1]:8000, unix:/path; comma-separated",
         .check = check_listen},
        {.key = "data_dir",
         .variables = {{"ATOLL_DATA_DIR"}},
         .flag = "--data-dir",
         .member = &S::data_dir,
         .help = "Folder of sessions, keys and database; the variable moves templates as well"},
        {.key = "session_dir",
         .variables = {{"SESSION_BASE_DIR"}},
         .flag = "--session-dir",
         .member = &S::session_dir,
         .help = "Folder of the sessions' files, if not below data_dir"},
        {.key = "pool",
         .variables = {{"ATOLL_POOL"}},
         .flag = "--pool",
         .member = &S::pool,
         .help = "Number of sandboxes kept ready",
         .most = 4096},
        {.key = "access_log",
         .variables = {{"ATOLL_ACCESS_LOG"}},
         .flag = "--access-log",
         .member = &S::access_log,
         .help = "Log one line per request"},
        {.key = "stop_grace",
         .variables = {{"ATOLL_STOP_GRACE"}},
         .flag = "--stop-grace",
         .member = &S::stop_grace,
         .help = "How long running requests and jobs may take when the server is told to stop",
         .most = 3'600'000},
        {.key = "runtime",
         .variables = {{"SANDBOX_RUNTIME"}},
         .flag = "--runtime",
         .member = &S::runtime,
         .help = "What builds the sandboxes",
         .choices = {"native"}},
        {.key = "data_root",
         .variables = {{"CPYTHON_DATA_ROOT"}},
         .member = &S::data_root,
         .help = "A second path of a session's data in its sandbox, next to /data"},
        {.key = "datasets",
         .variables = {{"ATOLL_DATASETS"}},
         .flag = "--dataset",
         .member = &S::data_sets,
         .help = "Folders that sessions may request by name, as taxi=/srv/taxi; read-only"},
        {.key = "tls.certificate",
         .variables = {{"ATOLL_TLS_CERT"}},
         .flag = "--tls-cert",
         .member = &S::tls_certificate,
         .help = "PEM file with the certificate and its chain; enables HTTPS"},
        {.key = "tls.key",
         .variables = {{"ATOLL_TLS_KEY"}},
         .flag = "--tls-key",
         .member = &S::tls_key,
         .help = "PEM file with the certificate's private key"},
        {.key = "access.require_keys",
         .variables = {{"ATOLL_REQUIRE_KEYS"}},
         .flag = "--require-keys",
         .member = &S::require_keys,
         .help = "auto: on any address but loopback, and as soon as a key exists; always; never",
         .choices = {"auto", "always", "never"}},
        {.key = "access.local_users",
         .variables = {{"ATOLL_LOCAL_USERS"}},
         .flag = "--local-users",
         .member = &S::local_users,
         .help = "Who needs no key if none is required: own is the server's user and root; any "
                 "is everybody on this machine",
         .choices = {"own", "any"}},
        {.key = "access.make_key",
         .variables = {{"ATOLL_MAKE_KEY"}},
         .flag = "--make-key",
         .member = &S::make_key,
         .help = "If there is no key at all, create one for an administrator and print it once"},
        {.key = "access.admin_key",
         .variables = {{"ATOLL_ADMIN_KEY"}},
         .member = &S::admin_key,
         .help = "An administrator's key of your own choice, at least 32 characters",
         .secret = true},
        {.key = "access.allowed_hosts",
         .variables = {{"ATOLL_ALLOWED_HOSTS"}},
         .flag = "--allowed-host",
         .member = &S::allowed_hosts,
         .help = "Host names by which the server may be addressed; * is any",
         .check = check_allowed_host},
        {.key = "access.allowed_origins",
         .variables = {{"ATOLL_ALLOWED_ORIGINS"}},
         .flag = "--allowed-origin",
         .member = &S::allowed_origins,
         .help = "Other origins that may send requests, as https://app.example",
         .check = check_allowed_origin},
        {.key = "rate.requests",
         .variables = {{"RATE_LIMIT_MAX"}},
         .flag = "--rate-requests",
         .member = &S::rate_requests,
         .help = "Requests per window of one key, or of one address without a key; 0 is no limit",
         .most = 1'000'000'000,
         .zero_is_none = true},
        {.key = "rate.window",
         .variables = {{"RATE_LIMIT_WINDOW_MS", Unit::Millisecond}},
         .flag = "--rate-window",
         .member = &S::rate_window,
         .help = "Length of the window",
         .least = 1,
         .most = 86'400'000},
        {.key = "http.connections",
         .variables = {{"ATOLL_CONNECTIONS"}},
         .member = &S::connections_max,
         .help =
             "Concurrent connections; default 4096, or half of the files that the server may open",
         .least = 1,
         .most = 1'000'000},
        {.key = "http.connections_per_address",
         .variables = {{"ATOLL_CONNECTIONS_PER_ADDRESS"}},
         .member = &S::connections_per_address_max,
         .help = "Concurrent connections of one address; default a quarter of http.connections",
         .least = 1,
         .most = 1'000'000},
        {.key = "http.body",
         .variables = {{"ATOLL_BODY"}},
         .member = &S::body_bytes_max,
         .help = "Largest streamed request body, such as an upload",
         .least = kMiB,
         .most = kBytesMost,
         .bytes = true},
        {.key = "http.header_timeout",
         .variables = {{"ATOLL_HEADER_TIMEOUT"}},
         .member = &S::header_timeout,
         .help = "How long a client may take to send the head of a request",
         .least = 100,
         .most = 3'600'000},
        {.key = "http.idle_timeout",
         .variables = {{"ATOLL_IDLE_TIMEOUT"}},
         .member = &S::idle_timeout,
         .help = "How long a connection may stay idle between requests",
         .least = 100,
         .most = 86'400'000},
        {.key = "http.ports_answer_timeout",
         .variables = {{"ATOLL_PORTS_ANSWER_TIMEOUT"}},
         .flag = "--ports-answer-timeout",
         .member = &S::ports_answer_timeout,
         .help = "How long a web server in a sandbox may take to answer",
         .least = 100,
         .most = 3'600'000},
        {.key = "ports.domain",
         .variables = {{"ATOLL_PORTS_DOMAIN"}},
         .member = &S::ports_domain,
         .help = "Web servers in sandboxes are at {port}-{session}.<this domain>; empty is off"},
        {.key = "jobs.running",
         .variables = {{"ATOLL_JOBS"}},
         .flag = "--jobs",
         .member = &S::jobs,
         .help = "Jobs that run at the same time; 0 is one per processor",
         .most = 10'000},
        {.key = "jobs.per_owner",
         .variables = {{"ATOLL_JOBS_PER_OWNER"}},
         .flag = "--jobs-per-owner",
         .member = &S::jobs_per_owner,
         .help = "Jobs of one owner that run at the same time; all but one of jobs.running if "
                 "there are keys; 0 is no limit",
         .most = 10'000},
        {.key = "run.input_chars",
         .variables = {{"MAX_INPUT_CHARS"}},
         .member = &S::input_chars_max,
         .help = "Maximum characters of code in one run",
         .least = 1,
         .most = 200'000},
        {.key = "run.echo_code",
         .variables = {{"SANDBOX_ECHO_CODE"}},
         .member = &S::echo_code,
         .help = "Repeat the code in the answer of a run"},
        {.key = "run.timeout",
         .variables = {{"SANDBOX_TIMEOUT_S"}},
         .member = &S::light_run_time,
         .help = "Timeout of a run without a session, if unnamed; default limits.timeout",
         .least = 1,
         .most = 86'400'000},
        {.key = "run.memory",
         .variables = {{"SANDBOX_AS_MB", Unit::Mebibyte}},
         .member = &S::light_memory_bytes,
         .help = "Memory of a run without a session, if unnamed; default limits.memory",
         .least = 32 * kMiB,
         .most = kBytesMost,
         .bytes = true,
         .zero_is_none = true},
        {.key = "limits.timeout",
         .variables = {{"CPYTHON_TIMEOUT_S"}},
         .member = &S::run_time,
         .help = "Timeout of a run that names none; default 5 minutes",
         .least = 1,
         .most = 86'400'000},
        {.key = "limits.memory",
         .variables = {{"CPYTHON_AS_MB", Unit::Mebibyte}},
         .member = &S::memory_bytes,
         .help = "Memory of a sandbox that names none; default 2 GiB",
         .least = 32 * kMiB,
         .most = kBytesMost,
         .bytes = true,
         .zero_is_none = true},
        {.key = "limits.file_size",
         .variables = {{"CPYTHON_FSIZE_MB", Unit::Mebibyte}},
         .member = &S::file_bytes,
         .help = "Largest file in a sandbox that names none; default 1 GiB",
         .least = kMiB,
         .most = kBytesMost,
         .bytes = true},
        {.key = "limits.open_files",
         .variables = {{"CPYTHON_NOFILE"}},
         .member = &S::open_files,
         .help = "Open files of a process if none are named; default 1024",
         .least = 32,
         .most = 1 << 20},
        {.key = "limits.timeout_max",
         .variables = {{"ATOLL_TIMEOUT_MAX"}},
         .member = &S::run_time_most,
         .help =
             "Longest timeout that a client may request; by default one day, and a week for jobs",
         .least = 1,
         .most = 86'400'000,
         .zero_is_none = true},
        {.key = "limits.memory_max",
         .variables = {{"ATOLL_MEMORY_MAX"}},
         .member = &S::memory_bytes_most,
         .help = "Most memory that a client may request; default the machine's memory",
         .least = 32 * kMiB,
         .most = kBytesMost,
         .bytes = true,
         .zero_is_none = true},
        {.key = "limits.processes_max",
         .variables = {{"ATOLL_PROCESSES_MAX"}},
         .member = &S::processes_most,
         .help = "Most processes of a sandbox that a client may request; 128 if none are "
                 "named",
         .least = 4,
         .most = 4'000'000},
        {.key = "limits.cpus_max",
         .variables = {{"ATOLL_CPUS_MAX"}},
         .member = &S::cpus_most,
         .help = "Processors that a sandbox may use, also if it names none; default all",
         .least = 1,
         .most = 4096,
         .zero_is_none = true},
        {.key = "limits.open_files_max",
         .variables = {{"ATOLL_OPEN_FILES_MAX"}},
         .member = &S::open_files_most,
         .help = "Most open files of a process that a client may request; default 65536",
         .least = 32,
         .most = 1 << 20,
         .zero_is_none = true},
        {.key = "limits.open_files_total",
         .variables = {{"ATOLL_OPEN_FILES_TOTAL"}},
         .member = &S::open_files_total,
         .help = "Open files of all sandboxes together; default half of fs.file-max; 0 is no limit",
         .most = kBytesMost},
        {.key = "limits.disk_max",
         .variables = {{"ATOLL_DISK_MAX"}},
         .member = &S::disk_bytes_most,
         .help = "Most space for files, `/tmp` included, that a client may request for a session "
                 "or a run",
         .least = kMiB,
         .most = kBytesMost,
         .bytes = true},
        {.key = "limits.disk_files_max",
         .variables = {{"ATOLL_DISK_FILES_MAX"}},
         .member = &S::disk_files_most,
         .help = "Most files of a session that a client may request; 200000 if none are "
                 "named",
         .least = 256,
         .most = 1ull << 32},
        {.key = "limits.output_max",
         .variables = {{"ATOLL_OUTPUT_MAX"}},
         .member = &S::output_bytes_most,
         .help = "Most output of one run that a client may request; 16m if it names none",
         .least = 1024,
         .most = 1ull << 30,
         .bytes = true},
        {.key = "sessions.idle_to_warm",
         .variables = {{"ATOLL_IDLE_TO_WARM"}},
         .member = &S::idle_to_warm,
         .help = "Freeze a session after this idle time; 0 is never",
         .most = kYearMs},
        {.key = "sessions.idle_to_cold",
         .variables = {{"ATOLL_IDLE_TO_COLD"}},
         .member = &S::idle_to_cold,
         .help = "Move a session to disk after this idle time; 0 is never",
         .most = kYearMs},
        {.key = "sessions.background_awake",
         .variables = {{"ATOLL_BACKGROUND_AWAKE"}},
         .member = &S::background_awake,
         .help = "Keep an idle session awake for this long while programs run in it; 0 is not at "
                 "all",
         .most = kYearMs},
        {.key = "sessions.ttl",
         .variables = {{"SESSION_TTL_S"}},
         .member = &S::session_ttl,
         .help = "Delete a session and its files after this idle time; unset or 0 is never",
         .least = 1000,
         .most = kYearMs,
         .zero_is_none = true},
        {.key = "sessions.max_bytes",
         .variables = {{"SESSION_MAX_BYTES"}},
         .member = &S::session_bytes,
         .help = "Disk space of one session; beyond it, it can only be read and cleaned up",
         .least = 4096,
         .most = kBytesMost,
         .bytes = true,
         .zero_is_none = true},
        {.key = "quotas.sessions",
         .variables = {{"ATOLL_QUOTA_SESSIONS"}},
         .member = &S::quota_sessions,
         .help = "Sessions per owner; 0 is no limit",
         .most = 1'000'000'000},
        {.key = "quotas.live",
         .variables = {{"ATOLL_QUOTA_LIVE"}},
         .member = &S::quota_live,
         .help = "Awake sandboxes per owner; default 768 if there are keys; 0 is no limit",
         .most = 1'000'000},
        {.key = "quotas.turns",
         .variables = {{"ATOLL_QUOTA_TURNS"}},
         .member = &S::quota_turns,
         .help = "Questions per owner that are answered or wait at the same time; default 256 if "
                 "there are keys; 0 is no limit",
         .most = 1'000'000},
        {.key = "quotas.memory",
         .variables = {{"ATOLL_QUOTA_MEMORY"}},
         .member = &S::quota_memory_bytes,
         .help = "Sum of the memory limits of an owner's awake sessions",
         .least = 32 * kMiB,
         .most = kBytesMost,
         .bytes = true,
         .zero_is_none = true},
        {.key = "quotas.cpu_per_day",
         .variables = {{"ATOLL_QUOTA_CPU_PER_DAY"}},
         .member = &S::quota_cpu_a_day,
         .help = "CPU time of an owner per day (UTC), as 30m or 10h",
         .least = 1,
         .most = kYearMs,
         .zero_is_none = true},
        {.key = "quotas.disk",
         .variables = {{"ATOLL_QUOTA_DISK"}},
         .member = &S::quota_disk_bytes,
         .help = "Disk space of an owner: sessions, outputs of runs, jobs",
         .least = 4096,
         .most = kBytesMost,
         .bytes = true,
         .zero_is_none = true},
        {.key = "model.base_url",
         .variables = {{"OPENAI_BASE_URL"}},
         .member = &S::model_base_url,
         .help = "URL of an OpenAI-compatible API, as http://127.0.0.1:11434/v1",
         .check = check_model_url},
        {.key = "model.key",
         .variables = {{"OPENAI_API_KEY"}},
         .member = &S::model_key,
         .help = "Its API key; never shown, never in a sandbox",
         .secret = true},
        {.key = "model.name",
         .variables = {{"OPENAI_MODEL"}},
         .member = &S::model_name,
         .help = "Name of the model"},
        {.key = "model.sees_images",
         .variables = {{"OPENAI_SEES_IMAGES"}},
         .member = &S::model_sees_images,
         .help = "Whether images are sent to it; auto decides by its name",
         .choices = {"auto", "yes", "no"}},
        {.key = "model.context_tokens",
         .variables = {{"OPENAI_CONTEXT_TOKENS"}},
         .member = &S::model_context_tokens,
         .help = "Size of its context window in tokens, if known",
         .least = 1000,
         .most = 100'000'000,
         .zero_is_none = true},
        {.key = "model.timeout",
         .variables = {{"OPENAI_TIMEOUT"}},
         .member = &S::model_timeout,
         .help = "How long it may be silent, before and during its answer",
         .least = 100,
         .most = 3'600'000},
        {.key = "model.embeddings",
         .variables = {{"OPENAI_EMBEDDING_MODEL"}},
         .member = &S::embedding_model,
         .help = "Embedding model of the same API; none if unset"},
        {.key = "model.embeddings_folder",
         .variables = {{"ATOLL_EMBEDDINGS_FOLDER"}},
         .member = &S::embedding_folder,
         .help = "Folder of all-MiniLM-L6-v2, for embeddings on this machine instead"},
        {.key = "model.prompt_cents",
         .variables = {{"ATOLL_MODEL_PROMPT_CENTS"}},
         .member = &S::model_prompt_cents,
         .help = "Price of a million prompt tokens, in cents; for turn.cents",
         .most = 100'000'000},
        {.key = "model.answer_cents",
         .variables = {{"ATOLL_MODEL_ANSWER_CENTS"}},
         .member = &S::model_answer_cents,
         .help = "Price of a million answer tokens, in cents; for turn.cents",
         .most = 100'000'000},
        {.key = "redis.host",
         .variables = {{"REDIS_HOST"}},
         .member = &S::redis_host,
         .help = "Redis that stores threads, shared by several servers; unset: the local database",
         .check = check_redis_host},
        {.key = "redis.port",
         .variables = {{"REDIS_PORT"}},
         .member = &S::redis_port,
         .help = "Its port",
         .least = 1,
         .most = 65'535},
        {.key = "redis.username",
         .variables = {{"REDIS_USERNAME"}},
         .member = &S::redis_username,
         .help = "Its user, if not the default user"},
        {.key = "redis.password",
         .variables = {{"REDIS_PASSWORD"}},
         .member = &S::redis_password,
         .help = "Its password, if it needs one",
         .secret = true},
        {.key = "redis.database",
         .variables = {{"REDIS_DB"}},
         .member = &S::redis_database,
         .help = "Its database number",
         .most = 1'000'000},
        {.key = "turn.steps",
         .variables = {{"ATOLL_TURN_STEPS"}},
         .member = &S::turn_steps,
         .help = "Requests to the model per question",
         .least = 1,
         .most = 1000},
        {.key = "turn.tokens",
         .variables = {{"ATOLL_TURN_TOKENS"}},
         .member = &S::turn_tokens,
         .help = "Tokens per question, over all requests and answers",
         .least = 1000,
         .most = 1'000'000'000},
        {.key = "turn.timeout",
         .variables = {{"ATOLL_TURN_TIMEOUT"}},
         .member = &S::turn_time,
         .help = "How long one question may take",
         .least = 1000,
         .most = 86'400'000},
        {.key = "turn.cents",
         .variables = {{"ATOLL_TURN_CENTS"}},
         .member = &S::turn_cents,
         .help = "What one question may cost, in cents, by the prices of model.*; 0 is no limit",
         .most = 1'000'000'000},
        {.key = "threads.context_tokens",
         .variables = {{"ATOLL_CONTEXT_TOKENS"}},
         .member = &S::context_tokens,
         .help = "Tokens of a conversation that are sent with a question; the rest is summarised",
         .least = 2000,
         .most = 100'000'000},
        {.key = "threads.waiting",
         .variables = {{"ATOLL_THREAD_WAITING"}},
         .member = &S::thread_waiting,
         .help = "Questions of one thread that may wait in the queue; more are refused",
         .most = 1000},
        {.key = "threads.owner",
         .variables = {{"ATOLL_THREADS_OWNER"}},
         .member = &S::threads_owner,
         .help = "Threads per owner; 0 is no limit",
         .most = 1'000'000'000},
        {.key = "threads.messages",
         .variables = {{"ATOLL_THREADS_MESSAGES"}},
         .member = &S::threads_messages,
         .help = "Messages per thread, after which it takes no more questions; 0 is no limit",
         .most = 1'000'000'000},
        {.key = "threads.kept",
         .variables = {{"ATOLL_THREADS_KEPT"}},
         .member = &S::threads_kept_bytes,
         .help = "Memory for finished answers of all threads; older ones are read from the store",
         .most = kBytesMost,
         .bytes = true},
        {.key = "uploads.file",
         .variables = {{"ATOLL_UPLOAD_FILE"}},
         .member = &S::upload_bytes,
         .help = "Largest uploaded file",
         .least = 1024,
         .most = kBytesMost,
         .bytes = true},
        {.key = "uploads.owner",
         .variables = {{"ATOLL_UPLOAD_OWNER"}},
         .member = &S::upload_owner_bytes,
         .help = "Total size of the uploads of one owner; 0 is no limit",
         .most = kBytesMost,
         .bytes = true},
        {.key = "uploads.files",
         .variables = {{"ATOLL_UPLOAD_FILES"}},
         .member = &S::upload_owner_files,
         .help = "Number of uploads per owner; 0 is no limit",
         .most = 1'000'000'000},
        {.key = "uploads.unused",
         .variables = {{"ATOLL_UPLOAD_UNUSED"}},
         .member = &S::upload_unused_time,
         .help = "Delete uploads that no thread uses after this time; 0 is never",
         .most = 31'536'000'000},
    };
}

Error wrong(const std::string& what) { return {Code::InvalidArgument, what}; }
std::string quoted(const std::string& text) { return "\"" + text + "\""; }

Result<std::uint64_t> whole_number(const std::string& text) {
    if (text.empty() || text.size() > 18 ||
        !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
        return wrong(quoted(text) + " is not a whole number");
    }
    return std::stoull(text);
}

std::string number_text(std::uint64_t value, bool bytes) {
    if (!bytes || value % 1024 != 0 || value == 0) return std::to_string(value);
    static constexpr std::string_view kUnits[] = {"", "k", "m", "g", "t"};
    std::size_t unit = 0;
    while (value % 1024 == 0 && unit < 4) {
        value /= 1024;
        ++unit;
    }
    return std::to_string(value) + std::string(kUnits[unit]);
}

std::string time_text(std::uint64_t ms) {
    if (ms % 1000 != 0) return std::to_string(ms) + "ms";
    return std::to_string(ms / 1000) + "s";
}

Result<std::uint64_t> amount(const Setting& setting, const std::string& text, Unit unit) {
    const bool is_time =
        std::holds_alternative<Milliseconds Settings::*>(setting.member) ||
        std::holds_alternative<std::optional<Milliseconds> Settings::*>(setting.member);
    std::uint64_t value = 0;
    if (unit != Unit::Usual) {
        auto number = whole_number(text);
        if (!number) return number.error();
        if (unit == Unit::Mebibyte && *number > kBytesMost / kMiB) {
            return wrong(text + " is too large");
        }
        value = unit == Unit::Mebibyte ? *number * kMiB : *number;
    } else if (is_time) {
        auto time = core::parse_duration(text);
        if (!time) return time.error();
        value = static_cast<std::uint64_t>(time->count());
    } else if (setting.bytes) {
        auto bytes = core::parse_bytes(text);
        if (!bytes) return bytes.error();
        value = *bytes;
    } else {
        auto number = whole_number(text);
        if (!number) return number.error();
        value = *number;
    }
    if (value == 0 && setting.zero_is_none) return value;
    const auto shown = [&](std::uint64_t number) {
        return is_time ? time_text(number) : number_text(number, setting.bytes);
    };
    if (value < setting.least || value > setting.most) {
        return wrong(text + " is not between " + shown(setting.least) + " and " +
                     shown(setting.most));
    }
    return value;
}

Result<bool> flag_of(const std::string& text) {
    for (const char* yes : {"1", "true", "yes", "on"}) {
        if (text == yes) return true;
    }
    for (const char* no : {"0", "false", "no", "off"}) {
        if (text == no) return false;
    }
    return wrong(quoted(text) + " is neither true nor false");
}

std::vector<std::string> split(const std::vector<std::string>& words) {
    std::vector<std::string> items;
    for (const auto& word : words) {
        std::size_t from = 0;
        while (from <= word.size()) {
            const auto comma = std::min(word.find(',', from), word.size());
            auto first = word.find_first_not_of(" \t", from);
            auto last = word.find_last_not_of(" \t", comma == 0 ? 0 : comma - 1);
            if (first != std::string::npos && first < comma) {
                items.push_back(word.substr(first, last - first + 1));
            }
            from = comma + 1;
        }
    }
    return items;
}

Result<void> store(const Setting& setting, const std::vector<std::string>& words, Unit unit,
                   Settings& into) {
    for (const auto& word : words) {
        if (word.size() > kWordBytesMax) return wrong("the value is too long");
        for (const char c : word) {
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
                return wrong("the value contains a line break or another control character");
            }
        }
    }
    if (const auto* list = std::get_if<std::vector<std::string> Settings::*>(&setting.member)) {
        auto items = split(words);
        if (items.size() > kListMax) return wrong("these are more than 64");
        if (items.empty() && setting.key == "listen") return wrong("no address is given");
        for (const auto& item : items) {
            if (setting.check == nullptr) break;
            if (auto good = setting.check(item); !good) return good.error();
        }
        into.*(*list) = std::move(items);
        return {};
    }
    if (words.size() != 1) return wrong("a single value is expected, not a list");
    const std::string& text = words.front();
    return std::visit(
        Overloaded{[&](std::string Settings::*member) -> Result<void> {
                       const auto& choices = setting.choices;
                       if (!choices.empty() &&
                           std::find(choices.begin(), choices.end(), text) == choices.end()) {
                           std::string all;
                           for (const auto choice : choices) {
                               all.append(all.empty() ? "" : ", ").append(choice);
                           }
                           return wrong(quoted(text) +
                                        " is not available; this server has: " + all);
                       }
                       if (setting.check != nullptr) {
                           if (auto good = setting.check(text); !good) return good.error();
                       }
                       into.*member = text;
                       return {};
                   },
                   [&](std::vector<std::string> Settings::*) -> Result<void> { return {}; },
                   [&](bool Settings::*member) -> Result<void> {
                       auto value = flag_of(text);
                       if (!value) return value.error();
                       into.*member = *value;
                       return {};
                   },
                   [&](std::uint64_t Settings::*member) -> Result<void> {
                       auto value = amount(setting, text, unit);
                       if (!value) return value.error();
                       into.*member = *value;
                       return {};
                   },
                   [&](std::optional<std::uint64_t> Settings::*member) -> Result<void> {
                       auto value = amount(setting, text, unit);
                       if (!value) return value.error();
                       (into.*member).reset();
                       if (*value != 0 || !setting.zero_is_none) into.*member = *value;
                       return {};
                   },
                   [&](Milliseconds Settings::*member) -> Result<void> {
                       auto value = amount(setting, text, unit);
                       if (!value) return value.error();
                       into.*member = Milliseconds(*value);
                       return {};
                   },
                   [&](std::optional<Milliseconds> Settings::*member) -> Result<void> {
                       auto value = amount(setting, text, unit);
                       if (!value) return value.error();
                       (into.*member).reset();
                       if (*value != 0 || !setting.zero_is_none)
                           into.*member = Milliseconds(*value);
                       return {};
                   }},
        setting.member);
}

// How many letters apart, for "did you mean".
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = above;
        }
    }
    return row[b.size()];
}

Error no_such_setting(const std::string& where, const std::string& key) {
    const Setting* nearest = nullptr;
    std::size_t apart = 4;
    for (const auto& setting : all_settings()) {
        const auto far = distance(key.substr(0, 64), setting.key);
        if (far < apart) {
            apart = far;
            nearest = &setting;
        }
    }
    std::string sentence = where + ": there is no setting " + quoted(key);
    if (nearest != nullptr) sentence += "; did you mean " + std::string(nearest->key) + "?";
    return wrong(sentence);
}

// What holds where a client names nothing is no more than what it could name.
Result<void> check_ceilings(const SettingsInForce& settings) {
    const auto& values = settings.values;
    const auto check = [&](const auto& usual, const auto& most, std::string_view key,
                           std::string_view ceiling) -> Result<void> {
        if (!usual || !most || *usual <= *most) return {};
        return wrong(std::string(key) + " (" + settings.from.at(key) + ") is more than " +
                     std::string(ceiling) + " (" + settings.from.at(ceiling) + ")");
    };
    const auto& memory = values.memory_bytes_most;
    const auto& time = values.run_time_most;
    for (auto good : {check(values.memory_bytes, memory, "limits.memory", "limits.memory_max"),
                      check(values.light_memory_bytes, memory, "run.memory", "limits.memory_max"),
                      check(values.run_time, time, "limits.timeout", "limits.timeout_max"),
                      check(values.light_run_time, time, "run.timeout", "limits.timeout_max"),
                      check(values.open_files, values.open_files_most, "limits.open_files",
                            "limits.open_files_max")}) {
        if (!good) return good.error();
    }
    return {};
}

// The file that is to be read; empty when there is none. One that was named must be there.
std::string file_to_read(const SettingsWords& words,
                         const std::function<const char*(const char*)>& variable) {
    if (!words.config.empty()) return words.config;
    if (const char* named = variable("ATOLL_CONFIG"); named != nullptr && *named != '\0') {
        return named;
    }
    std::string data;
    if (const auto given = words.given.find("data_dir");
        given != words.given.end() && !given->second.empty()) {
        data = given->second.back();
    } else {
        data = native::Paths::data_folder();
    }
    for (const auto& candidate : {data + "/atoll.toml", std::string(kSystemFile)}) {
        if (::access(candidate.c_str(), F_OK) == 0) return candidate;
    }
    return {};
}

}  // namespace

Settings::Settings() : pool(native::default_pool_size()) {}

std::span<const Setting> all_settings() {
    static const std::vector<Setting> kAll = declare();
    return kAll;
}

void SettingsWords::add_to(CLI::App& command) {
    command.add_option("--config", config, "Settings file (TOML; docs/settings.md)");
    for (const auto& setting : all_settings()) {
        if (setting.flag.empty()) continue;
        const std::string name(setting.flag);
        if (std::holds_alternative<bool Settings::*>(setting.member)) {
            command.add_flag(name, flags[setting.key], std::string(setting.help));
            continue;
        }
        auto* option = command.add_option(name, given[setting.key], std::string(setting.help));
        const bool list =
            std::holds_alternative<std::vector<std::string> Settings::*>(setting.member);
        option->allow_extra_args(false);
        if (!list) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
}

Result<SettingsInForce> load_settings(const SettingsWords& words,
                                      const std::function<const char*(const char*)>& variable) {
    SettingsInForce out;
    for (const auto& setting : all_settings()) out.from[setting.key] = "default";

    out.file = file_to_read(words, variable);
    if (!out.file.empty()) {
        auto entries = read_settings_file(out.file);
        if (!entries) return entries.error();
        for (const auto& entry : *entries) {
            const std::string where = out.file + ":" + std::to_string(entry.line);
            if (entry.key.rfind(kDataSetTable, 0) == 0 && entry.words.size() == 1) {
                // A table of the user's own names; it is the list in other words.
                auto& sets = out.values.data_sets;
                sets.push_back(entry.key.substr(kDataSetTable.size()) + "=" + entry.words.front());
                out.from["datasets"] = where;
                if (auto good = data_sets_of(sets); !good) return good.error().during(where);
                if (sets.size() > kListMax) return wrong(where + ": these are more than 64");
                continue;
            }
            const auto all = all_settings();
            const auto setting = std::find_if(
                all.begin(), all.end(), [&](const Setting& one) { return one.key == entry.key; });
            if (setting == all.end()) return no_such_setting(where, entry.key);
            auto good = store(*setting, entry.words, Unit::Usual, out.values);
            if (!good) return good.error().during(where + ": " + entry.key);
            out.from[setting->key] = where;
        }
    }
    for (const auto& setting : all_settings()) {
        for (const auto& [name, unit] : setting.variables) {
            const char* text = variable(std::string(name).c_str());
            if (text == nullptr || *text == '\0') continue;
            auto good = store(setting, {text}, unit, out.values);
            if (!good) {
                return good.error().during("the environment variable " + std::string(name));
            }
            out.from[setting.key] = "environment: " + std::string(name);
            break;
        }
    }
    for (const auto& [name, why] : kUnused) {
        const char* text = variable(name);
        if (text == nullptr || *text == '\0') continue;
        out.unused.push_back(std::string(name) + " is set and has no effect: " + why);
    }
    for (const auto& setting : all_settings()) {
        std::vector<std::string> given;
        if (const auto found = words.given.find(setting.key); found != words.given.end()) {
            given = found->second;
        }
        if (const auto flag = words.flags.find(setting.key);
            flag != words.flags.end() && flag->second) {
            given = {"true"};
        }
        if (given.empty()) continue;
        auto good = store(setting, given, Unit::Usual, out.values);
        if (!good) return good.error().during(std::string(setting.flag));
        out.from[setting.key] = "command line: " + std::string(setting.flag);
    }

    const auto& values = out.values;
    if (auto good = data_sets_of(values.data_sets); !good) {
        return good.error().during("datasets (" + out.from["datasets"] + ")");
    }
    if (auto good = check_listen_all(values.listen, values.require_keys == "never"); !good) {
        return good.error().during("listen (" + out.from["listen"] + ")");
    }
    if (auto good = check_data_root(values.data_root); !good) {
        return good.error().during("data_root (" + out.from["data_root"] + ")");
    }
    if (values.tls_certificate.empty() != values.tls_key.empty()) {
        return wrong(
            "tls.certificate and tls.key belong together: one of them is set and the other is "
            "not");
    }
    if (auto good = check_ceilings(out); !good) return good.error();
    if (!values.admin_key.empty() && values.admin_key.size() < 32) {
        return wrong("access.admin_key (" + out.from["access.admin_key"] +
                     "): it needs 32 characters or more; `openssl rand -hex 32` makes one");
    }
    return out;
}

std::string value_text(const Setting& setting, const Settings& values) {
    const auto shown = std::visit(
        Overloaded{
            [&](std::string Settings::*member) { return values.*member; },
            [&](std::vector<std::string> Settings::*member) {
                std::string all;
                for (const auto& one : values.*member) {
                    all.append(all.empty() ? "" : ", ").append(one);
                }
                return all;
            },
            [&](bool Settings::*member) { return std::string(values.*member ? "true" : "false"); },
            [&](std::uint64_t Settings::*member) {
                return number_text(values.*member, setting.bytes);
            },
            [&](std::optional<std::uint64_t> Settings::*member) {
                const auto& value = values.*member;
                return value ? number_text(*value, setting.bytes) : std::string();
            },
            [&](Milliseconds Settings::*member) {
                return time_text(static_cast<std::uint64_t>((values.*member).count()));
            },
            [&](std::optional<Milliseconds> Settings::*member) {
                const auto& value = values.*member;
                return value ? time_text(static_cast<std::uint64_t>(value->count()))
                             : std::string();
            }},
        setting.member);
    return setting.secret && !shown.empty() ? "(hidden)" : shown;
}

}  // namespace atl::main
