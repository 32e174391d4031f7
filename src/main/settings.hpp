#pragma once
// What can be set about the server, each setting declared once: its name in the file, its variables
// of the environment, its option on the command line, its default, its range and one line of help.
//
//     defaults  <  file (TOML)  <  environment  <  command line
//
// `atoll serve` works by it, `atoll config` shows it, docs/settings.md lists it (a test compares).
// Trusts    the host's own user, who may be mistaken: a name that does not exist and a value that
//           makes no sense are errors that say where they stand, and nothing is started.
#include "base/result.hpp"

#include <chrono>
#include <CLI/App.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace atl::main {

using Milliseconds = std::chrono::milliseconds;

// Members start with their defaults. An optional one without a value changes nothing.
struct Settings {
    std::vector<std::string> listen{"127.0.0.1:8000"};
    std::string data_dir;
    std::string session_dir;
    std::uint64_t pool;
    bool access_log = false;
    Milliseconds stop_grace{10'000};
    std::string runtime = "native";
    std::string data_root = "/data";
    std::vector<std::string> data_sets;  // name=/folder

    std::string tls_certificate;
    std::string tls_key;

    std::string require_keys = "auto";
    std::string local_users = "own";
    bool make_key = false;
    std::string admin_key;
    std::vector<std::string> allowed_hosts;
    std::vector<std::string> allowed_origins;

    std::optional<std::uint64_t> rate_requests;
    Milliseconds rate_window{60'000};

    std::optional<std::uint64_t> connections_max;  // main/descriptors.hpp has the defaults
    std::optional<std::uint64_t> connections_per_address_max;
    std::uint64_t body_bytes_max = 1ull << 30;
    Milliseconds header_timeout{10'000};
    Milliseconds ports_answer_timeout{60'000};
    std::string ports_domain = "localhost";
    std::string e2b_domain = "localhost";
    std::size_t jobs = 0;
    std::optional<std::uint64_t> jobs_per_owner;
    Milliseconds idle_timeout{75'000};

    std::uint64_t input_chars_max = 200'000;
    bool echo_code = false;

    std::optional<std::uint64_t> memory_bytes;
    std::optional<std::uint64_t> file_bytes;
    std::optional<std::uint64_t> open_files;
    std::optional<Milliseconds> run_time;
    std::optional<std::uint64_t> light_memory_bytes;
    std::optional<Milliseconds> light_run_time;

    // Ceilings of what a client may name.
    std::optional<std::uint64_t> memory_bytes_most;
    std::uint64_t processes_most = 4096;
    std::optional<std::uint64_t> cpus_most;
    std::optional<std::uint64_t> open_files_most;
    std::optional<std::uint64_t> open_files_total;
    std::uint64_t disk_bytes_most = 10ull << 30;
    std::uint64_t disk_files_most = 2'000'000;
    std::uint64_t output_bytes_most = 1ull << 30;
    std::optional<Milliseconds> run_time_most;

    Milliseconds idle_to_warm{60'000};
    Milliseconds idle_to_cold{600'000};
    Milliseconds background_awake{1'800'000};
    std::optional<Milliseconds> session_ttl;
    // Nothing that anybody keeps on purpose, and no session that fills a disk by accident.
    std::optional<std::uint64_t> session_bytes = 10ull << 30;

    std::uint64_t quota_sessions = 1000;
    std::optional<std::uint64_t> quota_live;
    std::optional<std::uint64_t> quota_turns;
    std::optional<std::uint64_t> quota_memory_bytes;
    std::optional<Milliseconds> quota_cpu_a_day;
    std::optional<std::uint64_t> quota_disk_bytes;

    std::string model_base_url = "https://api.openai.com/v1";
    std::string model_key;
    std::string model_name = "gpt-4.1-mini";
    std::string model_sees_images = "auto";
    std::optional<std::uint64_t> model_context_tokens;
    Milliseconds model_timeout{300'000};
    std::string embedding_model;
    std::string embedding_folder;
    std::uint64_t model_prompt_cents = 0;
    std::uint64_t model_answer_cents = 0;

    std::string redis_host;
    std::uint64_t redis_port = 6379;
    std::string redis_username;
    std::string redis_password;
    std::uint64_t redis_database = 0;

    std::uint64_t turn_steps = 24;
    std::uint64_t turn_tokens = 1'000'000;
    Milliseconds turn_time{600'000};
    std::uint64_t turn_cents = 0;
    std::uint64_t context_tokens = 32'000;
    std::uint64_t thread_waiting = 8;
    std::uint64_t threads_kept_bytes = 64u << 20;
    std::uint64_t threads_owner = 10'000;
    std::uint64_t threads_messages = 20'000;
    std::uint64_t upload_bytes = 1ull << 30;
    std::uint64_t upload_owner_bytes = 16ull << 30;
    std::uint64_t upload_owner_files = 10'000;
    Milliseconds upload_unused_time{7 * 86'400'000};
    Milliseconds conversations_unused_time{30ll * 86'400'000};
    Milliseconds leave_grace{15'000};
    Milliseconds page_token_life{900'000};
    Milliseconds page_login_life{43'200'000};
    Milliseconds temporary_unused_time{86'400'000};
    Milliseconds link_life{7 * 86'400'000};
    std::string public_url;

    Settings();
};

// In what a variable of the environment counts when it is a plain number.
enum class Unit : std::uint8_t { Usual, Mebibyte, Millisecond };

struct Variable {
    std::string_view name;
    Unit unit = Unit::Usual;
};

struct Setting {
    using Member = std::variant<std::string Settings::*, std::vector<std::string> Settings::*,
                                bool Settings::*, std::uint64_t Settings::*,
                                std::optional<std::uint64_t> Settings::*, Milliseconds Settings::*,
                                std::optional<Milliseconds> Settings::*>;

    std::string_view key;  // in the file: "tls.certificate" is `certificate` in the table [tls]
    std::vector<Variable> variables = {};  // the first that is set counts
    std::string_view flag = {};            // empty: not on the command line
    Member member = {};
    std::string_view help = {};
    std::uint64_t least = 0;  // of numbers, bytes and milliseconds
    std::uint64_t most = ~0ull;
    bool bytes = false;                          // "512m" is understood, and shown
    bool zero_is_none = false;                   // as if it were not set
    bool secret = false;                         // never shown
    bool needed = false;                         // of lists: none is an error
    bool named = false;                          // of lists of name=value: a table in the file
    bool reloaded = false;                       // takes effect at SIGHUP
    std::vector<std::string_view> choices = {};  // of text
    std::string_view ceiling = {};               // the setting that this may not exceed
    std::string_view partner = {};               // the setting without which this is no use
    std::string_view varies = {};                // what the default depends on
    std::string (*if_empty)() = nullptr;         // what holds while it is not set
    // How a text, or each word of a list, is written.
    Result<void> (*check)(const std::string& word) = nullptr;
    // Whether the value is good, together with others.
    Result<void> (*check_value)(const Settings& values) = nullptr;
};

[[nodiscard]] std::span<const Setting> all_settings();

struct SettingsInForce {
    Settings values;
    std::map<std::string_view, std::string> from;  // by key: where the value comes from
    std::string file;                              // that was read; empty: none
    // Sentences about variables that are set and have no effect: those of other programs of this
    // kind, and those that look like a setting and are none.
    std::vector<std::string> unused;
};

// What a command line says, before it is understood.
struct SettingsWords {
    std::string config;
    std::map<std::string_view, std::vector<std::string>> given;  // by key
    std::map<std::string_view, bool> flags;

    // An option for each setting that has one, and --config.
    void add_to(CLI::App& command);
};

// Variables, by their names.
using Environment = std::map<std::string, std::string>;
[[nodiscard]] Environment environment_of_process();

[[nodiscard]] Result<SettingsInForce> load_settings(const SettingsWords& words,
                                                    const Environment& environment);

// For people and for programs: a setting's value as one would write it; secrets are hidden.
[[nodiscard]] std::string value_text(const Setting& setting, const Settings& values);

// One line of `atoll config`.
struct SettingRow {
    const Setting& setting;
    std::string value, from, usual;  // usual: the default
};
[[nodiscard]] std::vector<SettingRow> rows_of(const SettingsInForce& settings);

void copy_value(const Setting& setting, const Settings& from, Settings& to);

}  // namespace atl::main
