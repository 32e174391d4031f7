// `atoll serve`: the server, put together from its parts and taken apart again in order.
//
// How a stop goes. What was started ends before what it refers to goes, and no coroutine is
// cancelled in the middle: a wait is ended by whoever owns what is waited for.
//
//   at once         no more connections, jobs and turns; streams and turns are told to end
//   stop_grace      requests and jobs end by themselves
//   + kUnwind       clients that are still there are cut off, so that their runs are interrupted;
//                   jobs and turns are stopped; all have a few seconds to leave in good order
//   + 20 s          sessions are saved, each by itself; then all links to guests are closed, and
//                   whatever waited for a guest, even for one that has hung, ends with an error
//   + kTimeToEnd    handlers, jobs and turns have ended
//   then            sandboxes, templates and the store are closed
//
// Who has not ended by then is stuck, which is a mistake of ours. It is named in the log, and the
// process ends with status 1 and without destructors, which would pull away what it refers to; all
// that could be saved has been. kTimeToStop after the grace the same happens wherever the stop is.
// A second signal ends the server at once.
#include "api/access_routes.hpp"
#include "api/api.hpp"
#include "api/audit.hpp"
#include "api/context_routes.hpp"
#include "api/door.hpp"
#include "api/e2b/access.hpp"
#include "api/e2b/control_routes.hpp"
#include "api/e2b/envd_routes.hpp"
#include "api/e2b/errors.hpp"
#include "api/e2b/gateway.hpp"
#include "api/e2b/interpreter_routes.hpp"
#include "api/file_routes.hpp"
#include "api/job_routes.hpp"
#include "api/keys.hpp"
#include "api/metrics.hpp"
#include "api/openai/errors.hpp"
#include "api/openai/file_links.hpp"
#include "api/output_routes.hpp"
#include "api/port_host.hpp"
#include "api/port_routes.hpp"
#include "api/process_routes.hpp"
#include "api/run_routes.hpp"
#include "api/scopes.hpp"
#include "api/secrets.hpp"
#include "api/server_routes.hpp"
#include "api/session_routes.hpp"
#include "api/terminal_routes.hpp"
#include "api/tokens.hpp"
#include "base/as_tuple.hpp"
#include "base/scope.hpp"
#include "cli/build_display.hpp"
#include "cli/server.hpp"
#include "core/ceilings.hpp"
#include "core/clock_watch.hpp"
#include "core/host_paths.hpp"
#include "main/analyst.hpp"
#include "main/commands.hpp"
#include "main/control_socket.hpp"
#include "main/data_folder.hpp"
#include "main/data_sets.hpp"
#include "main/descriptors.hpp"
#include "main/reserve.hpp"
#include "main/settings.hpp"
#include "net/server.hpp"
#include "runtimes/native/runtime.hpp"
#include "runtimes/native/template.hpp"
#include "sessions/jobs.hpp"
#include "sessions/largest_file.hpp"
#include "sessions/meter.hpp"
#include "sessions/owner_storage.hpp"
#include "sessions/processes.hpp"
#include "sessions/sessions.hpp"
#include "stores/folders/disk_folders.hpp"
#include "stores/folders/disk_outputs.hpp"
#include "stores/sqlite/store.hpp"
#include "sys/memory.hpp"
#include "sys/open_files.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::main {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kUnwind{8};
constexpr std::chrono::seconds kTimeToEnd{10};
constexpr std::chrono::seconds kTimeToStop{90};
constexpr std::chrono::hours kOutputsStay{24};
constexpr int kStoppedTwice = 130;
constexpr int kStuck = 1;
// Nobody's on the host, and below the ids of sandboxes (docs/decisions/0003): what untrusted code
// wrote to disk.
constexpr folders::Ids kNobodys{1'899'999'999, 1'899'999'999};

constexpr std::uint64_t kOpenFilesMost = 65'536;
constexpr std::uint64_t kOpenFilesTogetherMost = 1 << 20;

// A default that somebody set is never beyond: who says what a sandbox has says what it may have.
core::Ceilings ceilings_of(const Settings& settings) {
    core::Ceilings ceilings;
    ceilings.memory_bytes = settings.memory_bytes_most.value_or(
        std::max({sys::memory_total(), settings.memory_bytes.value_or(0),
                  settings.light_memory_bytes.value_or(0)}));
    ceilings.processes = static_cast<std::uint32_t>(settings.processes_most);
    ceilings.cpus = static_cast<double>(settings.cpus_most.value_or(0));
    ceilings.open_files = static_cast<std::uint32_t>(settings.open_files_most.value_or(
        std::max(kOpenFilesMost, settings.open_files.value_or(0))));
    // A quarter, so that a few greedy sandboxes leave some for everybody else on this machine; and
    // no more where the machine's own limit is none.
    const std::uint64_t share = std::min(sys::machine_open_files() / 4, kOpenFilesTogetherMost);
    ceilings.open_files_together =
        std::max(share, settings.open_files.value_or(0) * core::Limits{}.processes_max);
    ceilings.disk_bytes = settings.disk_bytes_most;
    ceilings.disk_files = settings.disk_files_most;
    ceilings.output_bytes = settings.output_bytes_most;
    ceilings.run_time = settings.run_time_most.value_or(ceilings.run_time);
    return ceilings;
}

// What stays as core::Limits has it unless somebody set it.
core::Limits session_limits(const Settings& settings, const core::Ceilings& ceilings) {
    core::Limits limits;
    limits.memory_bytes_max = settings.memory_bytes.value_or(limits.memory_bytes_max);
    limits.file_bytes_max = settings.file_bytes.value_or(limits.file_bytes_max);
    limits.open_files_max =
        static_cast<std::uint32_t>(settings.open_files.value_or(limits.open_files_max));
    limits.wall_time_max = settings.run_time.value_or(limits.wall_time_max);
    return core::below(limits, ceilings);
}

core::Limits run_limits(const Settings& settings, const core::Ceilings& ceilings) {
    core::Limits limits = session_limits(settings, ceilings);
    limits.memory_bytes_max = settings.light_memory_bytes.value_or(limits.memory_bytes_max);
    limits.wall_time_max = settings.light_run_time.value_or(limits.wall_time_max);
    return core::below(limits, ceilings);
}

std::string absolute(const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
}

// What a browser on this machine opens; empty for a Unix socket.
std::string url_of(const std::string& address, bool encrypted) {
    if (address.starts_with("unix:")) return {};
    const auto colon = address.rfind(':');
    std::string host = address.substr(0, colon);
    if (host == "0.0.0.0") host = "127.0.0.1";
    if (host == "[::]") host = "[::1]";
    return (encrypted ? "https://" : "http://") + host + address.substr(colon) + "/";
}

// The same at each start of this server, and another's on another data folder or machine.
std::string name_among_servers(const std::string& data) {
    char host[256] = "";
    (void)::gethostname(host, sizeof host - 1);
    return std::to_string(std::hash<std::string>{}(std::string(host) + ":" + data));
}

std::string walls_of(const sys::CgroupHost& host) {
    std::string text = "namespaces, seccomp, ";
    switch (host.version) {
        case sys::CgroupHost::Version::V1: text += "cgroup v1"; break;
        case sys::CgroupHost::Version::V2: text += "cgroup v2"; break;
        case sys::CgroupHost::Version::None: text += "no cgroup (memory is watched)"; break;
    }
    return text;
}

// A fault of ours stops the server in order, as SIGTERM does. Once, and not while it stops: a
// second signal is somebody who cannot wait, and then nothing is saved.
struct Faults {
    bool seen = false;
    bool stopping = false;

    void stop_server() {
        seen = true;
        if (!std::exchange(stopping, true)) std::raise(SIGTERM);
    }
};
Faults faults;  // there is one server in a process

// Work that goes on as long as the server does. One that ended would be missed by nobody until
// disks are full or sessions never sleep, so its fault ends the server, in order.
asio::awaitable<void> or_stop(const char* what, asio::awaitable<void> work) {
    std::string why;
    try {
        co_await std::move(work);
        co_return;
    } catch (const std::exception& failed) { why = failed.what(); } catch (...) {
        why = "something that is no std::exception";
    }
    spdlog::critical("a fault of the server in {}: {}; it saves the sessions and stops", what, why);
    faults.stop_server();
}

// Everything that lives as long as the server does, in the order in which it depends on what stands
// above it.
class Assembly {
public:
    using Clock = std::chrono::steady_clock;
    using ReadSettings = std::function<Result<Settings>()>;

    Assembly(asio::io_context& context, const SettingsInForce& settings, DescriptorPlan descriptors,
             ReadSettings read_again)
        : context_(context),
          options_(settings.values),
          model_from_(model_sources(settings)),
          descriptors_(descriptors),
          reloaded_(options_),
          read_again_(std::move(read_again)),
          ceilings_(ceilings_of(options_)),
          // From the start: a terminal that closes while templates are raised ends nothing.
          hangup_(context, SIGHUP),
          clearing_(context),
          signals_(context, SIGINT, SIGTERM),
          background_(context.get_executor()) {}

    asio::awaitable<void> run() {
        std::exception_ptr failed;
        try {
            co_await serve_until_told();
        } catch (...) { failed = std::current_exception(); }
        co_await take_down();
        if (failed) std::rethrow_exception(failed);
        spdlog::info("stopped");
    }

private:
    asio::awaitable<void> serve_until_told() {
        say_a_word_if_stopped_early();
        const auto executor = context_.get_executor();
        const auto paths = native::Paths::find().value();
        const std::string data =
            options_.data_dir.empty() ? paths.data : absolute(options_.data_dir);
        const std::string kept_root =
            options_.session_dir.empty() ? data + "/sessions" : absolute(options_.session_dir);
        sqlite::StoreOptions store = store_of(data);
        store.open_unreadable = true;
        database_ = store.path;
        if (give_up_reserve_if_full(data)) {
            spdlog::error(
                "the disk that holds {} is full; the server starts with what it kept in reserve. "
                "Remove sessions or files soon",
                data);
        }
        store_ = sqlite::SqliteStore::open(std::move(store)).value();
        read_only_at_start_ = read_only();
        if (read_only_at_start_) {
            spdlog::error("the server starts read-only, with {}: {}", data,
                          store_->health().sentence);
        }
        co_await prepare_access(data);
        const bool shared = Analyst::is_shared(options_);
        folders::FolderOptions keeping;
        if (shared) keeping.server = name_among_servers(data);
        keeping.tell = [](const std::string& sentence) { spdlog::warn("{}", sentence); };
        folders_ = folders::DiskFolders::open(kept_root, kNobodys, keeping).value();
        outputs_ = folders::DiskOutputs::open(kept_root, data + "/outputs").value();
        if (!read_only()) outputs_->remove_older(kOutputsStay);
        data_sets_ = data_sets_of(options_.data_sets).value();
        native::RuntimeOptions runtime;
        for (const auto& [name, folder] : data_sets_) {
            runtime.shown.push_back(folder);
            if (std::error_code failed; std::filesystem::is_directory(folder, failed)) continue;
            spdlog::warn("the data set {} is missing: {} is not a folder", name, folder);
        }
        runtime.data_root = options_.data_root;
        runtime.open_files_total =
            options_.open_files_total.value_or(sys::machine_open_files() / 2);
        runtime.defaults = sandbox_limits();
        runtime.pool_size = options_.pool;
        runtime.kept_root = kept_root;
        runtime.tell = [](const std::string& sentence) { spdlog::warn("{}", sentence); };
        runtime_ = std::make_unique<native::NativeRuntime>(executor, paths, runtime);
        owner_storage_ = std::make_unique<sessions::OwnerStorage>(executor, *store_, *outputs_);
        sessions_ = std::make_unique<sessions::Sessions>(executor, *runtime_, *store_, *folders_,
                                                         session_options());
        processes_ = std::make_unique<sessions::Processes>(executor);
        sessions::JobOptions jobs;
        jobs.running_max = options_.jobs;
        if (options_.jobs_per_owner) {
            jobs.owner_running_max = static_cast<std::uint32_t>(*options_.jobs_per_owner);
        }
        jobs.owners_differ = [this] { return door_->keys_needed(); };
        jobs.timeout = std::min(jobs.timeout, ceilings_.run_time);
        jobs_ = std::make_unique<sessions::Jobs>(executor, *store_, *sessions_, jobs);
        analyst_ = std::make_unique<Analyst>(Analyst::Parts{
            executor, options_, model_from_, store_->threads(), *sessions_, *folders_, *outputs_,
            shared ? kept_root + "/.uploads" : data + "/uploads", data + "/recall.db",
            data + "/model.json", [this] { return door_->keys_needed(); },
            [this] { return own_ports(); }});
        co_await analyst_->start();
        make_http(data);
        http_->bind();  // a port that is taken is said at once
        build_template_if_missing(paths);
        spdlog::info("starting the template default");
        co_await runtime_->start();
        const auto strangers = co_await sessions_->recover();
        if (strangers > 0) {
            spdlog::warn(
                "{} holds {} folders of which this server knows no session; they are left as they "
                "are",
                folders_->root(), strangers);
        }
        sessions_->on_removed([this](const SessionId& id) {
            processes_->forget(id);
            envd_.forget(id);
            interpreter_->forget(id);
        });
        if (!read_only()) co_await recover_jobs();
        http_->start();
        served_ = true;
        const auto go_on = [this](const char* what, asio::awaitable<void> work) {
            background_.spawn(or_stop(what, std::move(work)));
        };
        if (!read_only_at_start_) go_on("running jobs", jobs_->run());
        go_on("looking after sessions", sessions_->keep_house());
        go_on("looking after threads", analyst_->keep_house());
        go_on("looking after uploads", analyst_->keep_uploads([this] { return read_only(); }));
        go_on("looking after temporary chats",
              analyst_->keep_temporary([this] { return read_only(); }));
        go_on("looking after conversations",
              analyst_->keep_conversations([this] { return read_only(); }));
        go_on("metering", meter_->run());
        go_on("the audit log", audit_->run());
        go_on("removing old outputs", clear_outputs());
        go_on("reloading", reload_at_hangups());
        if (!read_only()) keep_reserve(data);
        audit_->write(about_server("server.start"));
        spdlog::info("{}", analyst_->model_sentence());
        for (const auto& address : http_->addresses()) {
            if (address == control_address_) continue;
            const auto url = url_of(address, !options_.tls_certificate.empty());
            spdlog::info("listening on {}; {}the API's documentation is at {}docs", address,
                         url.empty() ? "" : "open " + url + ", ", url.empty() ? "/" : url);
        }
        signals_.cancel();
        co_await signals_.async_wait(kAsTuple);
        say_stopping();
        stopping_ = faults.stopping = true;
        signals_.async_wait([](boost::system::error_code cancelled, int) {
            if (cancelled) return;
            spdlog::warn(
                "stopped at once: variables that were not saved yet are lost, files are kept");
            // As if killed: what is on disk is whole, and the next start clears the rest.
            std::_Exit(kStoppedTwice);
        });
    }

    // At a first start. Blocks the loop, which has nothing to do yet. Signals are the build's for
    // that time: it cleans up, and then ends us as they would anybody.
    void build_template_if_missing(const native::Paths& paths) {
        signals_.clear();
        {
            cli::BuildDisplay display(
                [](const std::string& step) { spdlog::info("template default: {}", step); });
            native::build_missing_default(paths, display.listener()).value();
        }
        signals_.add(SIGINT);
        signals_.add(SIGTERM);
        say_a_word_if_stopped_early();
    }

    // Raising a template takes seconds. Nothing is served yet, so nothing is to be saved: the
    // signal ends us as it would anybody, but not in silence.
    void say_a_word_if_stopped_early() {
        signals_.async_wait([](boost::system::error_code cancelled, int number) {
            if (cancelled) return;
            spdlog::warn("stopped before it was ready");
            std::signal(number, SIG_DFL);
            std::raise(number);
        });
    }

    // As the top of this file says, whatever of it is there.
    asio::awaitable<void> take_down() {
        stopping_ = faults.stopping = true;
        hangup_.cancel();
        clearing_.cancel();
        if (jobs_) jobs_->begin_stop();
        if (analyst_) analyst_->begin_stop();
        if (http_) http_->begin_stop();
        const auto grace_ends = Clock::now() + reloaded_.stop_grace;
        asio::steady_timer watchdog(context_, grace_ends + kTimeToStop);
        watchdog.async_wait([this](boost::system::error_code cancelled) {
            if (!cancelled) give_up();
        });
        if (http_) co_await http_->idle_by(grace_ends);
        if (http_) http_->cut_off();  // whoever is still there
        const auto unwind = [this, grace_ends](Scope& scope) -> asio::awaitable<void> {
            if (jobs_) scope.spawn(jobs_->stop(grace_ends));
            if (analyst_) scope.spawn(analyst_->stop());
            if (http_) co_await http_->idle_by(Clock::now() + kUnwind);
        };
        co_await in_scope(unwind);
        if (served_) audit_->write(about_server("server.stop"));
        if (sessions_) co_await save_sessions();
        const bool ended = co_await all_ended_by(Clock::now() + kTimeToEnd);
        if (analyst_) co_await analyst_->leave_homes();
        if (meter_) co_await meter_->stop();
        if (keys_) co_await keys_->stop();
        if (audit_) co_await audit_->stop();
        const bool quiet = co_await background_.ended_by(Clock::now() + kTimeToEnd);
        if (!ended || !quiet) give_up();
        if (http_) http_->finish_stop();
        if (runtime_) co_await runtime_->stop();
        watchdog.cancel();
        jobs_.reset();
        processes_.reset();
        analyst_.reset();
        sessions_.reset();
        owner_storage_.reset();
        folders_.reset();
        store_.reset();
        http_.reset();
        runtime_.reset();
    }

    // Everybody who may refer to what goes next.
    asio::awaitable<bool> all_ended_by(Clock::time_point until) {
        bool requests = true, jobs = true, turns = true;
        if (http_) requests = co_await http_->idle_by(until);
        if (jobs_) jobs = co_await jobs_->ended_by(until);
        if (analyst_) turns = co_await analyst_->ended_by(until);
        const bool all = requests && jobs && turns;
        co_return all;
    }

    [[noreturn]] void give_up() const {
        if (http_) {
            for (const auto& request : http_->under_way()) {
                spdlog::critical("the request {} does not end", request);
            }
        }
        spdlog::critical(
            "something in the server does not end ({} jobs, {} tasks in the background); the "
            "process ends without it. What could be saved has been saved",
            jobs_ ? jobs_->running() : 0, background_.running());
        spdlog::default_logger()->flush();
        std::_Exit(kStuck);
    }

    // For daemons the usual meaning of SIGHUP, and what a server hears whose terminal is closed.
    asio::awaitable<void> reload_at_hangups() {
        while (!stopping_) {
            const auto [cancelled, number] = co_await hangup_.async_wait(kAsTuple);
            if (cancelled || stopping_) break;
            reload();
        }
    }

    void reload() {
        const auto read = read_again_();
        if (read) {
            take_settings(*read);
        } else {
            spdlog::error("SIGHUP: the settings stay as they are: {}", read.error().message);
        }
        if (reloaded_.tls_certificate.empty()) return;
        const net::TlsOptions files{reloaded_.tls_certificate, reloaded_.tls_key};
        if (const auto loaded = http_->reload_tls(files); loaded) {
            spdlog::info("SIGHUP: new connections get the certificate in {}",
                         files.certificate_file);
        } else {
            spdlog::error("SIGHUP: the certificate stays as it is: {}", loaded.error().message);
        }
    }

    void take_settings(const Settings& read) {
        std::string changed, not_changed;
        // Which listeners speak TLS was decided when they were bound.
        const bool tls_stays = !options_.tls_certificate.empty() && !read.tls_certificate.empty();
        for (const auto& setting : all_settings()) {
            if (value_text(setting, read) == value_text(setting, reloaded_)) continue;
            const bool at_once =
                setting.reloaded && (tls_stays || !setting.key.starts_with("tls."));
            if (at_once) copy_value(setting, read, reloaded_);
            auto& list = at_once ? changed : not_changed;
            list.append(list.empty() ? "" : ", ").append(setting.key);
        }
        http_->change_timeouts(read.header_timeout, read.idle_timeout);
        spdlog::info("SIGHUP: settings read again; changed: {}{}",
                     changed.empty() ? "none" : changed,
                     not_changed.empty() ? "" : "; these take a restart: " + not_changed);
    }

    static std::string counted_sessions(std::size_t count) {
        return std::to_string(count) + (count == 1 ? " session" : " sessions");
    }

    [[nodiscard]] std::size_t awake() const {
        std::size_t all = 0;
        for (const auto& [state, count] : sessions_->counts().awake) all += count;
        return all;
    }

    void say_stopping() const {
        const auto count = awake();
        spdlog::info("stopping: requests under way have {} s to end{}; Ctrl-C again stops at once",
                     std::chrono::ceil<std::chrono::seconds>(reloaded_.stop_grace).count(),
                     count == 0 ? "" : ", then " + counted_sessions(count) + " will be saved");
    }

    asio::awaitable<void> save_sessions() {
        const auto before = sessions_->counts();
        const auto count = awake();
        if (count > 0) spdlog::info("saving {}", counted_sessions(count));
        co_await sessions_->stop();
        const auto after = sessions_->counts();
        const auto saved = (after.evicted - before.evicted) - (after.unsaved - before.unsaved);
        if (saved >= count) {
            if (count > 0) spdlog::info("saved {}", counted_sessions(count));
        } else {
            spdlog::warn(
                "saved {} of {}; the variables of the others are as they were when last saved, "
                "their files are kept",
                saved, counted_sessions(count));
        }
    }

    asio::awaitable<void> recover_jobs() {
        const auto recovered = co_await jobs_->recover();
        const auto again = recovered.queued_again.size(), failed = recovered.failed.size();
        if (again + failed == 0) co_return;
        spdlog::info("jobs that were running when the server ended: {} run again, {} failed", again,
                     failed);
    }

    [[nodiscard]] bool read_only() const {
        return store_->health().state == core::StoreHealth::State::ReadOnly;
    }

    // What is wrong with the folders underneath; empty when they are where they were.
    [[nodiscard]] std::string storage_sentence() const {
        const auto sessions = folders_->check_root();
        if (!sessions) return sessions.error().message;
        struct stat there {};
        if (::stat(database_.c_str(), &there) == 0) return {};
        return "the data folder is not there any more: it was removed or moved, or its disk is not "
               "mounted; what is written now would be lost. Put it back, then start the server "
               "again";
    }

    // What a session's sandbox has when nobody names anything: the pool is made of such.
    [[nodiscard]] core::Limits sandbox_limits() const {
        core::Limits limits = session_limits(options_, ceilings_);
        limits.file_bytes_max =
            sessions::largest_file(limits.file_bytes_max, options_.session_bytes);
        return limits;
    }

    asio::awaitable<void> clear_outputs() {
        core::ClockWatch clock;
        while (!stopping_) {
            clearing_.expires_after(std::chrono::hours{1});
            co_await clearing_.async_wait(kAsTuple);
            if (stopping_ || !clock.settled() || read_only()) continue;
            outputs_->remove_older(kOutputsStay);
        }
    }

    [[nodiscard]] sessions::SessionOptions session_options() const {
        using std::chrono::ceil;
        using std::chrono::seconds;
        sessions::SessionOptions options;
        options.idle_to_warm = ceil<seconds>(options_.idle_to_warm);
        options.idle_to_cold = ceil<seconds>(options_.idle_to_cold);
        options.background_awake = ceil<seconds>(options_.background_awake);
        options.sessions_an_owner_max = options_.quota_sessions;
        options.idle_to_end = ceil<seconds>(options_.session_ttl.value_or(Milliseconds(0)));
        options.session_bytes_max = options_.session_bytes;
        options.owner_bytes_max = options_.quota_disk_bytes;
        options.owner_storage = owner_storage_.get();
        options.meter = meter_.get();
        options.data_sets = data_sets_;
        options.memory_free = [] { return sys::memory_free(); };
        options.tell = [](const std::string& sentence) { spdlog::warn("{}", sentence); };
        options.limits = session_limits(options_, ceilings_);
        // Of all its files, unless its client names less.
        options.limits.disk_bytes_max =
            std::min(options_.session_bytes.value_or(ceilings_.disk_bytes), ceilings_.disk_bytes);
        options.run_limits = run_limits(options_, ceilings_);
        options.ceilings = ceilings_;
        return options;
    }

    static api::Deed about_server(const char* action) {
        api::Deed deed;
        deed.action = action;
        deed.detail["version"] = ATOLL_VERSION;
        return deed;
    }

    // Who may come in, before anything is raised: a server that may not start ends at once.
    asio::awaitable<void> prepare_access(const std::string& data) {
        keys_ = std::make_unique<api::KeyRing>(context_.get_executor(), *store_);
        try {
            co_await keys_->load();
        } catch (const ErrorException&) {
            if (!read_only()) throw;
            keys_->lock();  // which keys there are is not known: nobody comes in without one
            spdlog::error("API keys cannot be read: access.admin_key alone opens the door");
        }
        if (!options_.admin_key.empty()) keys_->add_fixed(options_.admin_key);
        if (options_.make_key && !keys_->any() && !read_only()) {
            const std::vector<std::string> scopes{std::string(api::kAdmin)};
            const auto made = co_await keys_->make(std::string(api::kLocalOwner),
                                                   "made at the first start", scopes, std::nullopt);
            // Not into the log, which is kept and passed on: only for whoever watches the terminal
            // now.
            std::printf("API key, shown this once: %s\n", made.text.c_str());
            std::fflush(stdout);
        }
        signer_ = std::make_unique<api::Signer>(api::folder_secret(data + "/token.key").value());
        audit_ = std::make_unique<api::AuditLog>(context_.get_executor(), *store_);
        meter_ = std::make_unique<sessions::Meter>(
            context_.get_executor(), *store_,
            sessions::Quotas{options_.quota_memory_bytes, options_.quota_cpu_a_day,
                             options_.quota_live, [this] { return door_->keys_needed(); }});
        using KeyRule = api::DoorOptions::Keys;
        api::DoorOptions door;
        door.listen = options_.listen;
        if (data != native::Paths::data_folder()) {
            door.make_key += " --data-dir " + cli::quoted_if_needed(data);
        }
        door.keys = options_.require_keys == "always"  ? KeyRule::Always
                    : options_.require_keys == "never" ? KeyRule::Never
                                                       : KeyRule::Auto;
        door.any_local_user = options_.local_users == "any";
        door.allowed_hosts = options_.allowed_hosts;
        door.allowed_origins = options_.allowed_origins;
        door.ports_domain = options_.ports_domain;
        door.stays_inside = [this](const net::Request& request) {
            return e2b_gateway_->stays_inside(request);
        };
        door.rate_requests = options_.rate_requests;
        door.rate_window = options_.rate_window;
        door.may_run = [this](const std::string& owner) { meter_->check_cpu(owner); };
        door_ = std::make_unique<api::Door>(std::move(door), *keys_, *signer_, *audit_);
        for (const auto& address : options_.listen) {
            if (api::is_local_address(address) || !options_.tls_certificate.empty()) continue;
            spdlog::warn(
                "{} uses plain HTTP: keys can be read in transit; set tls.certificate "
                "or put a proxy with TLS in front",
                address);
        }
    }

    [[nodiscard]] api::Readings readings() {
        api::Readings readings;
        const auto add = [&](std::string name, std::string help, std::string label,
                             std::string value, bool counter, std::function<double()> read) {
            readings.all.push_back({std::move(name), std::move(help), std::move(label),
                                    std::move(value), counter, std::move(read)});
        };
        for (const auto state : {core::SessionState::Hot, core::SessionState::Warm}) {
            add("atoll_sessions", "Sessions that have a sandbox", "state",
                std::string(core::name_of(state)), false, [this, state] {
                    const auto awake = sessions_->counts().awake;
                    const auto found = awake.find(state);
                    return found == awake.end() ? 0.0 : static_cast<double>(found->second);
                });
        }
        using Count = std::uint64_t sessions::SessionCounts::*;
        const std::pair<const char*, Count> kChanges[] = {
            {"created", &sessions::SessionCounts::created},
            {"restored", &sessions::SessionCounts::restored},
            {"thawed", &sessions::SessionCounts::thawed},
            {"frozen", &sessions::SessionCounts::frozen},
            {"evicted", &sessions::SessionCounts::evicted},
            {"evicted_for_memory", &sessions::SessionCounts::pressed},
            {"ended_for_disk", &sessions::SessionCounts::disk_full}};
        for (const auto& [name, count] : kChanges) {
            const Count member = count;
            add("atoll_session_changes_total", "What became of sessions", "change", name, true,
                [this, member] { return static_cast<double>(sessions_->counts().*member); });
        }
        add("atoll_pool_ready", "Sandboxes that wait in the pool", "", "", false,
            [this] { return static_cast<double>(runtime_->pooled()); });
        add("atoll_jobs_running", "Jobs that run now", "", "", false,
            [this] { return static_cast<double>(jobs_->running()); });
        add("atoll_http_connections", "Connections that are open", "", "", false,
            [this] { return static_cast<double>(http_->counts().connections); });
        add("atoll_http_connections_refused_total", "Connections over a limit", "", "", true,
            [this] { return static_cast<double>(http_->counts().connections_refused); });
        add("atoll_http_connections_dropped_total",
            "Connections that waited for a request and made room for others", "", "", true,
            [this] { return static_cast<double>(http_->counts().connections_dropped); });
        add("atoll_host_memory_free_ratio", "The part of the host's memory that is free", "", "",
            false, [] { return sys::memory_free(); });
        add("atoll_memory_bytes", "Memory of the server itself, without its sandboxes", "", "",
            false, [] { return static_cast<double>(sys::own_memory_bytes()); });
        return readings;
    }

    // "127.0.0.1:8000" has 8000.
    [[nodiscard]] std::vector<std::uint16_t> own_ports() const {
        std::vector<std::uint16_t> ports;
        for (const auto& address : http_->addresses()) {
            const auto colon = address.rfind(':');
            std::uint16_t port = 0;
            const char* end = address.data() + address.size();
            const auto read = std::from_chars(address.data() + colon + 1, end, port);
            if (read.ec == std::errc{} && read.ptr == end) ports.push_back(port);
        }
        return ports;
    }

    // What the E2B SDK speaks to: the control API, and what is in a sandbox.
    void add_e2b_routes() {
        e2b_access_ = std::make_unique<api::e2b::Access>(*signer_, *keys_, *sessions_,
                                                         [this] { return door_->keys_needed(); });
        e2b_gateway_ = std::make_unique<api::e2b::Gateway>(options_.e2b_domain, *e2b_access_);
        api_.usher_below(std::string(api::e2b::kPlace),
                         [this](net::Exchange& exchange) { return e2b_access_->admit(exchange); });
        api::e2b::add_control_routes(api_, {*sessions_, *e2b_access_, *e2b_gateway_});
        api::PortPlace ports;
        ports.pattern = std::string(api::e2b::kPlace) + "ports/{port}/{path...}";
        ports.has_own_origin = [this](const net::Request& request) {
            return api::e2b::sandbox_host_of(request.host(), options_.e2b_domain).has_value();
        };
        ports.hidden_headers = {std::string(api::e2b::kTrafficHeader),
                                std::string(api::e2b::kTokenHeader)};
        ports.host_header = std::string(api::e2b::kMaskedHostHeader);
        ports.closed = api::e2b::port_is_closed;
        api::add_ports_at(api_, *sessions_, std::move(ports), {options_.ports_answer_timeout, {}});
    }

    void make_http(const std::string& data) {
        api_.guard_with(*door_);
        api_.show_ports_at(options_.ports_domain);
        api_.read_only_while([this] {
            const auto health = store_->health();
            const bool stuck = health.state == core::StoreHealth::State::ReadOnly;
            return stuck ? health.sentence : storage_sentence();
        });
        api::ServerFacts facts;
        facts.version = ATOLL_VERSION;
        facts.pooled = [this] { return runtime_->pooled(); };
        facts.walls = [walls = walls_of(sys::CgroupHost::detect())] { return walls; };
        facts.templates = [] {
            std::vector<api::TemplateView> all;
            for (const auto& one : native::list_templates(native::Paths::find().value())) {
                // Where it lies is the host's own affair.
                const auto why = core::without_host_paths({Code::Unavailable, one.problem});
                all.push_back({one.name, one.description, one.built, one.bytes, why.message});
            }
            return all;
        };
        facts.stopping = [this] { return stopping_; };
        facts.storage = [this] { return storage_sentence(); };
        facts.model = [this] { return analyst_->model_name(); };
        facts.model_note = [this] { return analyst_->model_sentence(); };
        facts.data_root = options_.data_root;
        facts.shared_threads = [this] { return analyst_->shared_health(); };
        api::add_server_routes(api_, std::move(facts), *sessions_, *store_);
        metrics_ = std::make_unique<api::Metrics>(readings());
        api::add_metrics_route(api_, *metrics_);
        api::add_session_routes(api_, *sessions_);
        const api::RunRules rules{options_.input_chars_max, options_.echo_code};
        const auto answers = std::make_shared<api::AnswerBudget>();
        api::add_run_routes(api_, *sessions_, *outputs_, rules, answers);
        api::add_output_routes(api_, *outputs_);
        api::add_file_routes(api_, *sessions_);
        add_e2b_routes();
        api::add_context_routes(api_, *sessions_);
        api::add_process_routes(api_, *sessions_, *processes_, answers);
        api::add_terminal_routes(api_, *sessions_);
        api::e2b::add_envd_routes(api_, *sessions_, *processes_, envd_);
        api::e2b::add_interpreter_routes(api_, *sessions_, interpreter_);
        api::add_port_routes(api_, *sessions_, *signer_,
                             {options_.ports_answer_timeout, options_.ports_domain});
        api::add_job_routes(api_, *jobs_, rules, sessions_->options().run_limits, ceilings_);
        file_links_ = std::make_unique<api::openai::FileLinks>(
            *signer_, *keys_, [this] { return door_->keys_needed(); },
            api::openai::FileLinks::Options{options_.link_life, options_.public_url});
        analyst_->add_routes(api_, *file_links_);
        api::add_access_routes(api_, *keys_, *signer_, *sessions_, *store_,
                               {options_.page_token_life, options_.page_login_life});
        api_.finish({.title = "Atoll",
                     .version = ATOLL_VERSION,
                     .description = "A safe place for AI agents to work.",
                     .tags = {{"Sessions", "What a client holds on to."},
                              {"Runs", "Code in, output and results out."},
                              {"Files", "The files of a session, from outside."},
                              {"Contexts", "Python kernels and what stands in them."},
                              {"Processes", "Programs to come back to, and terminals."},
                              {"Ports", "Web servers inside of sandboxes."},
                              {"Jobs", "Work that is queued, and done also when nobody waits."},
                              {"Threads", "Conversations about files, with a data analyst."},
                              {"Models", "Which language model answers."},
                              {"OpenAI", "The data analyst as a model of the OpenAI API."},
                              {"Tools", "What an agent can do in a session, one call each."},
                              {"MCP", "The same tools for clients of the Model Context Protocol."},
                              {"Access", "Keys, tokens and the audit log."},
                              {"Server", "About the server itself."}}});
        net::ServerOptions http;
        http.listen = options_.listen;
        // For `atoll key` while the server runs. Its door is the same; what opens it is the secret
        // of the data folder.
        control_address_ = "unix:" + control_socket(data);
        if (control_socket(data).size() < kSocketPathBytesMax) {
            http.listen.push_back(control_address_);
        } else {
            spdlog::warn(
                "{} is too long for a socket path: `atoll key` works only while the server is "
                "stopped",
                control_socket(data));
        }
        http.connections_max = descriptors_.connections_max;
        http.connections_per_address_max = descriptors_.connections_per_address_max;
        http.descriptors_end = descriptors_.connections_end;
        http.wants_peer_uid = [this] { return door_->goes_by_user(); };
        http.body_bytes_max = options_.body_bytes_max;
        http.header_timeout = options_.header_timeout;
        http.idle_timeout = options_.idle_timeout;
        if (!options_.tls_certificate.empty()) {
            http.tls = net::TlsOptions{options_.tls_certificate, options_.tls_key};
        }
        http.observer = [this](const net::Finished& request) { metrics_->request_ended(request); };
        http.tell_problem = [](const net::Request& request, const net::Problem& problem) {
            auto told = api::openai::tell_problem(request, problem);
            return told ? std::move(told) : api::e2b::tell_problem(request, problem);
        };
        http.admit = [this](net::Request& request) {
            if (!e2b_gateway_->enter(request)) {
                api::enter_port_host(request, options_.ports_domain);
            }
            api::let_port_pages_in(request);
            door_->admit(request);
        };
        http.still_welcome = [this](const net::Request& request) {
            return door_->still_welcome(request);
        };
        http.decorate = [this](const net::Request& request, int, net::Headers& headers) {
            door_->decorate(request, headers);
        };
        if (options_.access_log) http.access_log = spdlog::stderr_logger_mt("access");
        const auto root = [this](net::Exchange& exchange) {
            return api_.router().handle(exchange);
        };
        http_ = std::make_unique<net::Server>(context_.get_executor(), std::move(http), root);
    }

    asio::io_context& context_;
    const Settings& options_;
    const ModelSources model_from_;
    const DescriptorPlan descriptors_;
    Settings reloaded_;  // the same, with what SIGHUP has changed
    ReadSettings read_again_;
    const core::Ceilings ceilings_;
    asio::signal_set hangup_;
    asio::steady_timer clearing_;
    asio::signal_set signals_;
    std::unique_ptr<sqlite::SqliteStore> store_;
    std::unique_ptr<folders::DiskFolders> folders_;
    std::unique_ptr<folders::DiskOutputs> outputs_;
    std::unique_ptr<native::NativeRuntime> runtime_;
    std::unique_ptr<api::KeyRing> keys_;
    std::unique_ptr<api::Signer> signer_;
    std::unique_ptr<api::AuditLog> audit_;
    std::unique_ptr<sessions::Meter> meter_;
    std::unique_ptr<sessions::OwnerStorage> owner_storage_;
    std::unique_ptr<sessions::Sessions> sessions_;
    std::unique_ptr<sessions::Processes> processes_;
    const api::e2b::EnvdState envd_;
    const std::shared_ptr<api::e2b::InterpreterContexts> interpreter_ =
        std::make_shared<api::e2b::InterpreterContexts>();
    std::unique_ptr<sessions::Jobs> jobs_;
    std::unique_ptr<Analyst> analyst_;
    std::unique_ptr<api::openai::FileLinks> file_links_;
    std::unique_ptr<api::Door> door_;
    std::unique_ptr<api::e2b::Access> e2b_access_;
    std::unique_ptr<api::e2b::Gateway> e2b_gateway_;
    std::unique_ptr<api::Metrics> metrics_;
    std::string control_address_;
    api::Api api_;
    std::unique_ptr<net::Server> http_;
    std::map<std::string, std::string> data_sets_;
    std::string database_;
    bool read_only_at_start_ = false;
    bool served_ = false;
    bool stopping_ = false;
    Scope background_;  // what goes on by itself while the server serves
};

// Nothing throws out of a handler. Should something do so, what it was about may be torn, so the
// server stops; but in order, as by SIGTERM, because all sessions have to be saved.
void run_loop(asio::io_context& context) {
    constexpr int kFaultsMax = 100;  // then it cannot even stop
    for (int count = 1;; ++count) {
        std::string why;
        try {
            context.run();
            return;
        } catch (const std::exception& failed) { why = failed.what(); } catch (...) {
            why = "something that is no std::exception";
        }
        spdlog::critical("a fault of the server: {}; it saves the sessions and stops", why);
        if (count > kFaultsMax) std::_Exit(1);
        faults.stop_server();
    }
}

int serve(const SettingsWords& words) {
    const auto settings = load_settings(words, environment_of_process());
    if (!settings) {
        std::fprintf(stderr, "atoll serve: %s\n", settings.error().message.c_str());
        return 2;
    }
    for (const auto& sentence : settings->unused) {
        std::fprintf(stderr, "atoll serve: %s\n", sentence.c_str());
    }
    std::signal(SIGPIPE, SIG_IGN);
    spdlog::set_default_logger(spdlog::stderr_logger_mt("atoll"));
    spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
    const auto descriptors = plan_descriptors(sys::allow_many_open_files(), *settings);
    if (!descriptors) {
        std::fprintf(stderr, "atoll serve: %s\n", descriptors.error().message.c_str());
        return 2;
    }
    asio::io_context context(1);
    const auto read_again = [&words]() -> Result<Settings> {
        auto read = load_settings(words, environment_of_process());
        if (!read) return read.error();
        return std::move(read->values);
    };
    Assembly assembly(context, *settings, *descriptors, read_again);
    int status = 0;
    asio::co_spawn(
        context, [&] { return assembly.run(); },
        [&](std::exception_ptr failed) {
            try {
                if (failed) std::rethrow_exception(failed);
            } catch (const std::exception& error) {
                std::fprintf(stderr, "atoll serve: %s\n", error.what());
                status = 1;
            }
            context.stop();
        });
    run_loop(context);
    return faults.seen ? 1 : status;  // so that a supervisor starts it again
}

}  // namespace

void add_serve_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("serve", "Serve sessions over HTTP");
    const auto words = std::make_shared<SettingsWords>();  // live as long as the callback
    words->add_to(*command);
    command->callback([words, &exit_code] { exit_code = serve(*words); });
}

}  // namespace atl::main
