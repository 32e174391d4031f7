// `atoll key create|list|revoke`: the API keys of a data folder, whether its server runs or not.
// The folder is the one that `atoll serve` would use here: settings file and environment count.
//
// While a server has the folder it is asked over its control socket, and the proof of who is asking
// is a token signed with the folder's own secret, which only its owner can read.
#include "api/access_types.hpp"
#include "api/keys.hpp"
#include "api/scopes.hpp"
#include "api/secrets.hpp"
#include "api/time_text.hpp"
#include "api/tokens.hpp"
#include "base/fd.hpp"
#include "cli/failure.hpp"
#include "cli/server.hpp"
#include "cli/table.hpp"
#include "core/spec.hpp"
#include "main/commands.hpp"
#include "main/control_socket.hpp"
#include "main/data_folder.hpp"
#include "main/settings.hpp"
#include "runtimes/native/paths.hpp"
#include "stores/sqlite/store.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

namespace atl::main {

namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr std::size_t kAnswerBytesMax = 32u << 20;
constexpr std::chrono::minutes kTokenTime{1};
constexpr timeval kPatience{30, 0};

struct KeyOptions {
    std::string data_dir;
    std::string name;
    std::string owner = std::string(api::kLocalOwner);
    std::vector<std::string> scopes;
    std::string lifetime;
    std::vector<std::string> ids;
    bool as_json = false;
    bool e2b = false;
    std::string config;

    // A key in another folder than the server's would be made, shown, and be of no use.
    [[nodiscard]] Result<std::string> folder() const {
        std::string named = data_dir;
        if (named.empty()) {
            SettingsWords words;
            words.config = config;
            const auto settings = load_settings(words, environment_of_process());
            if (!settings) return settings.error();
            named = settings->values.data_dir;
        }
        if (named.empty()) return native::Paths::data_folder();
        return std::filesystem::absolute(named).lexically_normal().string();
    }
};

bool is_past(const std::string& time) {
    const auto read = api::time_from(time);
    return read && *read <= core::time_now();
}

int complain(const Error& error, bool as_json) {
    cli::tell_failure(error, cli::reader_of(as_json), {}, "atoll key");
    return error.code == Code::InvalidArgument ? 2 : 1;
}

// Keys as JSON, as the API shows them, from whoever has the data folder.
class Keys {
public:
    virtual ~Keys() = default;
    virtual Result<json::object> create(const KeyOptions& options) = 0;
    virtual Result<json::array> list() = 0;
    virtual Result<void> revoke(const std::string& id) = 0;
};

// A server runs and is asked.
class KeysOfServer final : public Keys {
public:
    static Result<std::unique_ptr<Keys>> connect(const std::string& folder) {
        auto secret = api::folder_secret(folder + "/token.key");
        if (!secret) return secret.error();
        api::Grant grant;
        grant.owner = api::kLocalOwner;
        grant.scopes = {std::string(api::kAdmin)};
        grant.until = core::time_now() + kTokenTime;
        auto keys = std::unique_ptr<KeysOfServer>(new KeysOfServer);
        keys->path_ = control_socket(folder);
        keys->token_ = api::Signer(*secret).sign(grant);
        if (auto good = keys->open(); !good) return good.error();
        return std::unique_ptr<Keys>(std::move(keys));
    }

    Result<json::object> create(const KeyOptions& options) override {
        json::object body{{"name", options.name}, {"owner", options.owner}};
        json::array scopes;
        for (const auto& scope : options.scopes) scopes.emplace_back(scope);
        body["scopes"] = std::move(scopes);
        if (!options.lifetime.empty()) body["lifetime"] = options.lifetime;
        if (options.e2b) body["e2b"] = true;
        return ask("POST", "/v1/keys", json::serialize(body));
    }
    Result<json::array> list() override {
        json::array all;
        cli::Pages pages;
        for (;;) {
            auto page = ask("GET", "/v1/keys?limit=1000&cursor=" + pages.cursor(), {});
            if (!page) return page.error();
            for (auto& key : page->at("keys").as_array()) all.push_back(std::move(key));
            const auto* next = page->if_contains("next_cursor");
            const auto more =
                pages.go_on(next == nullptr ? std::string() : std::string(next->as_string()));
            if (!more) return more.error();
            if (!*more) return all;
        }
    }
    Result<void> revoke(const std::string& id) override {
        const bool plain = !id.empty() && std::all_of(id.begin(), id.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        });
        if (!plain) return Error{Code::NotFound, "there is no key " + id};
        auto answer = ask("DELETE", "/v1/keys/" + id, {});
        if (!answer) return answer.error();
        return {};
    }

private:
    Result<void> open() {
        const auto failed = [&](const char* what) {
            return Error{Code::Unavailable, std::string(what) + " the server at " + path_ + ": " +
                                                std::strerror(errno)};
        };
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        if (path_.size() >= sizeof address.sun_path) {
            errno = ENAMETOOLONG;
            return failed("reach");
        }
        std::memcpy(address.sun_path, path_.c_str(), path_.size());
        socket_ = UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (!socket_) return failed("reach");
        for (const int which : {SO_RCVTIMEO, SO_SNDTIMEO}) {
            ::setsockopt(socket_.get(), SOL_SOCKET, which, &kPatience, sizeof kPatience);
        }
        if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
            0) {
            return failed("reach");
        }
        return {};
    }

    // One request a connection: the answer ends where the connection does.
    Result<json::object> ask(const std::string& method, const std::string& target,
                             const std::string& body) {
        if (!socket_) {
            if (auto good = open(); !good) return good.error();
        }
        const UniqueFd socket = std::move(socket_);
        const std::string request =
            method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
            "Accept-Encoding: identity\r\nAuthorization: Bearer " + token_ +
            "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
            "\r\n\r\n" + body;
        for (std::size_t sent = 0; sent < request.size();) {
            const auto n =
                ::send(socket.get(), request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
            if (n <= 0) return Error{Code::Unavailable, "the server closed the connection"};
            sent += static_cast<std::size_t>(n);
        }
        std::string answer;
        char buffer[16'384];
        for (;;) {
            const auto n = ::recv(socket.get(), buffer, sizeof buffer, 0);
            if (n < 0) return Error{Code::Unavailable, "the server does not answer"};
            if (n == 0) break;
            answer.append(buffer, static_cast<std::size_t>(n));
            if (answer.size() > kAnswerBytesMax) {
                return Error{Code::TooLarge, "the server's answer is too large"};
            }
        }
        const auto head = answer.find("\r\n\r\n");
        boost::system::error_code failed;
        const auto parsed = head == std::string::npos
                                ? json::value()
                                : json::parse(answer.substr(head + 4), failed);
        if (failed || !parsed.is_object()) {
            return Error{Code::Unavailable, "the server's answer cannot be read"};
        }
        if (answer.starts_with("HTTP/1.1 2")) return parsed.get_object();
        const auto* detail = parsed.get_object().if_contains("detail");
        return Error{Code::Conflict, detail != nullptr && detail->is_string()
                                         ? std::string(detail->get_string())
                                         : "the server refused"};
    }

    std::string path_;
    std::string token_;
    UniqueFd socket_;
};

// No server runs: the folder is ours for this moment.
class KeysOfFolder final : public Keys {
public:
    explicit KeysOfFolder(std::unique_ptr<sqlite::SqliteStore> store)
        : store_(std::move(store)), ring_(context_.get_executor(), *store_) {}

    Result<json::object> create(const KeyOptions& options) override {
        std::optional<core::Time> until;
        if (!options.lifetime.empty()) {
            auto time = core::parse_duration(options.lifetime);
            if (!time) return time.error().during("--lifetime");
            if (time->count() == 0) return Error{Code::InvalidArgument, "--lifetime: 0 is no time"};
            until = core::time_now() + *time;
        }
        std::optional<api::MadeKey> made;
        const auto form = options.e2b ? api::KeyRing::Form::E2b : api::KeyRing::Form::Atoll;
        const auto work = [&]() -> asio::awaitable<void> {
            co_await ring_.load();
            made = co_await ring_.make(options.owner, options.name, options.scopes, until, form);
            core::AuditRecord record;
            record.time = core::time_now();
            record.owner = api::kLocalOwner;
            record.action = "key.create";
            record.object = made->record.id.text();
            record.outcome = "ok";
            record.detail_json = R"({"by":"command line"})";
            co_await store_->append_audit(record);
        };
        if (auto good = run(work); !good) return good.error();
        auto view = api::view_of(made->record);
        view.key = made->text;
        return as_json(view);
    }
    Result<json::array> list() override {
        json::array all;
        const auto work = [&]() -> asio::awaitable<void> {
            core::KeyQuery query{core::Whose::anyones(), {}, 1000};
            do {
                const auto page = co_await store_->list_keys(query);
                for (const auto& key : page.keys) all.push_back(as_json(api::view_of(key)));
                query.cursor = page.next_cursor;
            } while (!query.cursor.empty());
        };
        if (auto good = run(work); !good) return good.error();
        return all;
    }
    Result<void> revoke(const std::string& id) override {
        const auto work = [&]() -> asio::awaitable<void> {
            const KeyId key(id);
            co_await ring_.revoke(key);
            core::AuditRecord record;
            record.time = core::time_now();
            record.owner = api::kLocalOwner;
            record.action = "key.revoke";
            record.object = id;
            record.outcome = "ok";
            record.detail_json = R"({"by":"command line"})";
            co_await store_->append_audit(record);
        };
        return run(work);
    }

private:
    static json::object as_json(const api::KeyView& view) {
        return json::parse(schema::to_json(view)).as_object();
    }

    template <class Work>
    Result<void> run(const Work& work) {
        std::optional<Error> failed;
        asio::co_spawn(context_, work, [&](std::exception_ptr error) {
            try {
                if (error) std::rethrow_exception(error);
            } catch (const ErrorException& known) {
                failed = known.error;
            } catch (const std::exception& other) { failed = Error{Code::Internal, other.what()}; }
        });
        context_.restart();
        context_.run();
        if (failed) return *failed;
        return {};
    }

    asio::io_context context_{1};
    std::unique_ptr<sqlite::SqliteStore> store_;
    api::KeyRing ring_;
};

// Who asks what there is must not make a folder by asking.
Result<void> expect_data_in(const std::string& folder) {
    const auto store = store_of(folder);
    const auto is_there = [](const std::string& path) {
        std::error_code unreadable;
        return std::filesystem::exists(path, unreadable) || unreadable;
    };
    if (is_there(store.path)) return {};
    if (std::any_of(store.made_after.begin(), store.made_after.end(), is_there)) return {};
    return Error{Code::NotFound, "there is no data folder of a server at " + folder};
}

enum class Folder : bool { MustBeThere, MayBeMade };

Result<std::unique_ptr<Keys>> keys_of(const KeyOptions& options, Folder which) {
    const auto named = options.folder();
    if (!named) return named.error();
    const std::string& folder = *named;
    if (which == Folder::MustBeThere) {
        if (auto good = expect_data_in(folder); !good) return good.error();
    }
    auto store = sqlite::SqliteStore::open(store_of(folder));
    if (store) return std::unique_ptr<Keys>(std::make_unique<KeysOfFolder>(std::move(*store)));
    if (store.error().code != Code::Conflict) return store.error();
    auto server = KeysOfServer::connect(folder);
    if (!server) return server.error().during(store.error().message);
    return server;
}

int create(KeyOptions options) {
    if (options.scopes.empty()) options.scopes = api::usual_scopes();
    for (const auto& scope : options.scopes) {
        if (api::is_scope(scope)) continue;
        std::string all;
        for (const auto& known : api::kScopes) {
            all.append("\n  ").append(known.name).append(": ").append(known.says);
        }
        return complain(
            {Code::InvalidArgument, "--scope: there is no scope " + scope + "; there are" + all},
            options.as_json);
    }
    const bool plain = !options.owner.empty() && options.owner.size() <= 64 &&
                       std::all_of(options.owner.begin(), options.owner.end(), [](char c) {
                           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                  (c >= '0' && c <= '9') ||
                                  std::string_view("._@-").find(c) != std::string_view::npos;
                       });
    if (!plain) {
        return complain(
            {Code::InvalidArgument, "--owner: use at most 64 letters, digits, dots, @ and dashes"},
            options.as_json);
    }
    auto keys = keys_of(options, Folder::MayBeMade);
    if (!keys) return complain(keys.error(), options.as_json);
    const auto made = (*keys)->create(options);
    if (!made) return complain(made.error(), options.as_json);
    if (options.as_json) {
        std::printf("%s\n", json::serialize(*made).c_str());
        return 0;
    }
    std::printf("%s\n", made->at("key").as_string().c_str());
    std::fprintf(stderr, "The key is not shown again.\n");
    // Revoked keys count too: they keep the server closed.
    if (const auto all = (*keys)->list(); all && all->size() == 1) {
        std::fprintf(stderr,
                     "It is the first one: from now on the server requires a key, also on this "
                     "machine and also when this one is revoked (access.require_keys). Commands "
                     "take it from ATOLL_API_KEY. To manage keys over HTTP, make one with --scope "
                     "admin.\n");
    }
    return 0;
}

int list(const KeyOptions& options) {
    auto keys = keys_of(options, Folder::MustBeThere);
    if (!keys) return complain(keys.error(), options.as_json);
    const auto found = (*keys)->list();
    if (!found) return complain(found.error(), options.as_json);
    if (options.as_json) {
        std::printf("%s\n", json::serialize(json::object{{"keys", *found}}).c_str());
        return 0;
    }
    cli::Table table({"ID", "OWNER", "NAME", "STATE", "EXPIRES", "SCOPES"});
    for (const auto& one : *found) {
        const auto& key = one.as_object();
        const auto text = [&](const char* name) { return cli::text_in(key, name); };
        std::string scopes;
        for (const auto& scope : key.at("scopes").as_array()) {
            scopes.append(scopes.empty() ? "" : " ").append(scope.as_string());
        }
        const std::string expires = text("expires_at");
        const char* state = !text("revoked_at").empty() ? "revoked"
                            : is_past(expires)          ? "expired"
                                                        : "good";
        table.add({text("id"), text("owner"), text("name"), state, expires.empty() ? "-" : expires,
                   scopes});
    }
    std::fputs(table.text().c_str(), stdout);
    return 0;
}

// One that is not there is a slip, of which the others shall not be the victims.
Result<void> expect_all(Keys& keys, const std::vector<std::string>& ids) {
    const auto found = keys.list();
    if (!found) return found.error();
    std::set<std::string> known;
    for (const auto& one : *found) known.insert(cli::text_in(one.as_object(), "id"));
    std::string missing;
    for (const auto& id : ids) {
        if (!known.contains(id)) missing += (missing.empty() ? "" : ", ") + id;
    }
    if (missing.empty()) return {};
    return Error{Code::NotFound,
                 "there is no key " + missing + (ids.size() > 1 ? "; nothing was revoked" : "")};
}

int revoke(const KeyOptions& options) {
    auto keys = keys_of(options, Folder::MustBeThere);
    if (!keys) return complain(keys.error(), options.as_json);
    if (auto good = expect_all(**keys, options.ids); !good) {
        return complain(good.error(), options.as_json);
    }
    json::array revoked;
    for (const auto& id : options.ids) {
        if (auto done = (*keys)->revoke(id); !done) return complain(done.error(), options.as_json);
        revoked.emplace_back(id);
    }
    if (options.as_json) {
        std::printf("%s\n", json::serialize(json::object{{"revoked", revoked}}).c_str());
    }
    return 0;
}

}  // namespace

void add_key_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("key", "Manage the API keys of a data folder");
    command->require_subcommand(1);
    const auto options = std::make_shared<KeyOptions>();  // lives as long as the callbacks
    command->add_option("--data-dir", options->data_dir,
                        "The server's data folder (default: as its settings have it)");
    command->add_option("--config", options->config, "The server's settings file");
    // Also behind the subcommand, where people write it.
    command->fallthrough();

    auto* create_command = command->add_subcommand("create", "Create a key and print it once");
    create_command->add_option("--name", options->name, "Display name");
    create_command->add_option("--owner", options->owner, "Owner of the sessions it creates")
        ->capture_default_str();
    create_command
        ->add_option("--scope", options->scopes,
                     "What it allows; can be repeated (default: all but metrics and admin)")
        ->allow_extra_args(false);
    create_command->add_option("--lifetime", options->lifetime, "Expires after this time: 720h");
    create_command->add_flag("--e2b", options->e2b,
                             "In the form that the E2B SDK takes: e2b_ and hex digits");
    create_command->add_flag("--json", options->as_json, "One JSON object; also errors");
    create_command->callback([options, &exit_code] { exit_code = create(*options); });

    auto* list_command = command->add_subcommand("list", "Show the keys, without their secrets");
    list_command->add_flag("--json", options->as_json,
                           "One JSON object instead of a table; also errors");
    list_command->callback([options, &exit_code] { exit_code = list(*options); });

    auto* revoke_command = command->add_subcommand("revoke", "Revoke keys");
    revoke_command->add_option("id", options->ids, "Their ids")->required();
    revoke_command->add_flag("--json", options->as_json, "One JSON object; also errors");
    revoke_command->callback([options, &exit_code] { exit_code = revoke(*options); });
}

}  // namespace atl::main
