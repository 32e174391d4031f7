#include "main/analyst.hpp"

#include "api/mcp/routes.hpp"
#include "api/model_routes.hpp"
#include "api/openai/routes.hpp"
#include "api/thread_routes.hpp"
#include "api/tool_routes.hpp"
#include "api/upload_routes.hpp"
#include "main/private_file.hpp"
#include "models/minilm/embeddings.hpp"
#include "models/offline/offline_model.hpp"
#include "models/openai/embeddings.hpp"
#include "models/openai/model.hpp"
#include "models/openai/provider.hpp"
#include "sessions/new_id.hpp"

#include <filesystem>
#include <spdlog/spdlog.h>

namespace atl::main {

namespace asio = boost::asio;

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kAnswerShare = 4;  // of a model's context: room for its answer

// Ollama and its like take no key, so an address other than the default selects a model as well.
bool wants_provider(const Settings& settings) {
    return !settings.model_key.empty() || settings.model_base_url != Settings().model_base_url;
}

openai::Endpoint endpoint_of(const Settings& settings) {
    openai::Endpoint endpoint;
    endpoint.base_url = settings.model_base_url;
    endpoint.key = settings.model_key;
    endpoint.silence = settings.model_timeout;
    endpoint.check().value();
    return endpoint;
}

agent::Models::Operator operator_choice(const Settings& settings, const ModelSources& from) {
    agent::Models::Operator set;
    set.model = settings.model_name;
    set.model_from = from.name;
    if (!wants_provider(settings)) return set;
    endpoint_of(settings);  // checks it
    set.endpoint = core::ChatEndpoint{settings.model_base_url, settings.model_key,
                                      core::ChatEndpoint::Said::Operator};
    set.address_from = from.address;
    return set;
}

openai::OpenAiProvider::Options provider_options(const Settings& settings) {
    openai::OpenAiProvider::Options options;
    options.silence = settings.model_timeout;
    if (settings.model_sees_images != "auto") {
        options.sees_images = settings.model_sees_images == "yes";
    }
    options.context_tokens_max = settings.model_context_tokens.value_or(0);
    return options;
}

// Null: what was said is found by words alone.
std::unique_ptr<core::Embeddings> make_embeddings(const Settings& settings, net::Fetcher& fetcher) {
    if (settings.embedding_model.empty() || !wants_provider(settings)) {
        if (!settings.embedding_folder.empty()) {
            return minilm::open_embeddings(settings.embedding_folder);
        }
        if (!settings.embedding_model.empty()) {
            spdlog::warn("model.embeddings is set, but no API to ask for them: see model.base_url");
        }
        return nullptr;
    }
    return std::make_unique<openai::OpenAiEmbeddings>(fetcher, endpoint_of(settings),
                                                      settings.embedding_model);
}

std::unique_ptr<redis::RedisThreads> make_redis(asio::any_io_executor executor,
                                                const Settings& settings) {
    redis::RedisOptions options;
    options.host = settings.redis_host;
    options.port = static_cast<std::uint16_t>(settings.redis_port);
    options.username = settings.redis_username;
    options.password = settings.redis_password;
    options.database = static_cast<std::uint32_t>(settings.redis_database);
    options.tell = [](const std::string& sentence) { spdlog::warn("{}", sentence); };
    return std::make_unique<redis::RedisThreads>(std::move(executor), std::move(options));
}

// The table for threads that bring none: beside the binary, as the guest's files are.
std::string sample_file() {
    std::error_code failed;
    const auto folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
    for (const auto& candidate : {folder / "share" / "transactions.csv",
                                  folder.parent_path() / "share" / "atoll" / "transactions.csv",
                                  folder.parent_path() / "share" / "transactions.csv"}) {
        if (fs::exists(candidate, failed)) return candidate.string();
    }
    spdlog::warn("transactions.csv is missing beside the program: threads without files are empty");
    return {};
}

agent::ThreadOptions thread_options(const Settings& settings) {
    agent::ThreadOptions options;
    options.instance = sessions::random_id("i-");
    options.turn.steps_max = static_cast<std::uint32_t>(settings.turn_steps);
    options.turn.tokens_max = settings.turn_tokens;
    options.turn.time_max = settings.turn_time;
    options.turn.cost_max = settings.turn_cents;
    options.turn.prompt_price = settings.model_prompt_cents;
    options.turn.answer_price = settings.model_answer_cents;
    options.context_tokens_max = settings.context_tokens;
    if (const auto most = settings.model_context_tokens.value_or(0); most > 0) {
        const auto room = most - most / kAnswerShare;
        options.context_tokens_max = std::min(options.context_tokens_max, room);
        options.turn.context_tokens_max = room;
    } else {
        // Within a turn it may grow: outputs of tools come to what was there at its beginning.
        options.turn.context_tokens_max = options.context_tokens_max * 2;
    }
    options.waiting_max = settings.thread_waiting;
    options.kept_bytes_max = settings.threads_kept_bytes;
    options.threads_an_owner_max = settings.threads_owner;
    options.owner_turns_max = settings.quota_turns;
    options.messages_max = settings.threads_messages;
    options.leave_grace = settings.leave_grace;
    options.temporary_unused = settings.temporary_unused_time;
    options.tell = [](const std::string& sentence) { spdlog::warn("{}", sentence); };
    return options;
}

}  // namespace

ModelSources model_sources(const SettingsInForce& settings) {
    ModelSources sources;
    const auto source = [&](std::string_view key) {
        const auto found = settings.from.find(key);
        return found == settings.from.end() || found->second == "default" ? std::string()
                                                                          : found->second;
    };
    sources.address = source("model.base_url");
    if (sources.address.empty()) sources.address = source("model.key");
    sources.name = source("model.name");
    return sources;
}

bool Analyst::is_shared(const Settings& settings) { return !settings.redis_host.empty(); }

asio::awaitable<void> Analyst::start() {
    if (!redis_) co_return;
    const auto weak = co_await redis_->look();
    for (const auto& sentence : weak) spdlog::warn("Redis: {}", sentence);
    spdlog::info("threads live in Redis at {}:{}", settings_.redis_host, settings_.redis_port);
}

Analyst::Analyst(Parts parts) : settings_(parts.settings) {
    const bool shared = is_shared(settings_);
    if (shared) redis_ = make_redis(parts.executor, settings_);
    core::Threads& store = shared ? *redis_ : parts.store;
    fetcher_ = std::make_unique<net::Fetcher>(parts.executor, net::AddressPolicy::operators());
    chosen_fetcher_ =
        std::make_unique<net::Fetcher>(parts.executor, net::AddressPolicy::administrators());
    local_fetcher_ =
        std::make_unique<net::Fetcher>(parts.executor, net::AddressPolicy::this_machine());
    offline_ = std::make_unique<offline::OfflineModel>();
    const openai::OpenAiProvider::Fetchers fetchers{*fetcher_, *chosen_fetcher_, *local_fetcher_};
    provider_ = std::make_unique<openai::OpenAiProvider>(fetchers, provider_options(settings_));
    models_ = make_models(parts);
    current_ = std::make_unique<agent::CurrentModel>(*models_);
    const agent::UploadLimits limits{settings_.upload_bytes, settings_.upload_owner_bytes,
                                     settings_.upload_unused_time, settings_.upload_owner_files};
    uploads_ = agent::Uploads::open(std::move(parts.uploads), store, limits, sample_file()).value();
    tools_ = std::make_unique<agent::Tools>(parts.sessions, parts.outputs);
    auto options = thread_options(settings_);
    options.owners_differ = parts.owners_differ;
    embeddings_ = make_embeddings(settings_, *fetcher_);
    recall::RecallOptions index;
    index.path = std::move(parts.index);
    index.model = embeddings_ ? embeddings_->name() : "";
    recall_ = std::make_unique<recall::SqliteRecall>(std::move(index));
    const agent::LayeredModelContexts::Parts memory{store, *recall_, embeddings_.get(),
                                                    current_.get()};
    agent::LayeredModelContexts::Options remembering;
    remembering.tokens_max = options.context_tokens_max;
    remembering.tell = options.tell;
    contexts_ = std::make_unique<agent::LayeredModelContexts>(memory, std::move(remembering));
    options.several_servers = shared;
    if (shared) {
        options.lease = std::chrono::seconds{10};
        options.renew_every = std::chrono::seconds{1};
    }
    const agent::Threads::Parts threads{store,   parts.sessions, parts.folders, *uploads_,
                                        *tools_, *models_,       *contexts_};
    agent::ConversationOptions conversations{settings_.conversations_unused_time, options.tell};
    threads_ = std::make_unique<agent::Threads>(parts.executor, threads, std::move(options));
    conversations_ = std::make_unique<agent::Conversations>(parts.executor, *threads_, store,
                                                            std::move(conversations));
}

// A file that cannot be used costs the choice that is in it, not the server.
std::unique_ptr<agent::Models> Analyst::make_models(const Parts& parts) const {
    agent::Models::Parts made{*provider_, *offline_, {}, {}, parts.own_ports};
    const std::string path = parts.choice;
    made.save = [path](const std::string& text) { return write_private_file(path, text); };
    const auto set = operator_choice(settings_, parts.from);
    std::string trouble;
    try {
        made.kept = read_private_file(path).value();
        return std::make_unique<agent::Models>(made, set);
    } catch (const ErrorException& error) { trouble = error.error.message; }
    spdlog::warn("the model that was chosen is not in force: {}: {}", path, trouble);
    made.kept.clear();
    made.save = [path, trouble](const std::string&) -> Result<void> {
        return Error{Code::Conflict, "the file of this choice cannot be used (" + trouble +
                                         "); the operator of this server can remove it"};
    };
    return std::make_unique<agent::Models>(std::move(made), set);
}

void Analyst::add_routes(api::Api& api, const api::openai::FileLinks& links) {
    api::add_upload_routes(api, *uploads_);
    api::add_thread_routes(api, *threads_, {settings_.input_chars_max});
    api::add_tool_routes(api, *tools_);
    api::add_mcp_routes(api, *tools_, {.version = ATOLL_VERSION});
    api::add_model_routes(api, *models_);
    api::add_openai_routes(
        api, {*threads_, *conversations_, *models_, *uploads_, links, settings_.input_chars_max});
}

std::optional<core::StoreHealth> Analyst::shared_health() const {
    if (!redis_) return std::nullopt;
    return redis_->health();
}

std::string Analyst::model_name() const {
    const auto info = models_->current()->info();
    return info.provider + (info.name.empty() ? "" : "/" + info.name);
}

std::string Analyst::model_sentence() const {
    const auto state = models_->state();
    if (!state.offline) {
        return "questions are answered by " + state.model + " at " + net::origin_of(state.base_url);
    }
    return "no language model is set (OPENAI_API_KEY, or the settings page): questions are "
           "answered "
           "by a small analyst which understands common questions about tables";
}

}  // namespace atl::main
