#pragma once
// The data analyst, put together: model, tools, uploads, threads and their routes.
//
// Owns      all of these. The server's other parts are borrowed and outlive it.
// Order     made before the server starts; begin_stop() with the first signal, stop() before the
//           sessions stop, leave_homes() after.
#include "agent/conversations.hpp"
#include "agent/layered_model_contexts.hpp"
#include "agent/models.hpp"
#include "agent/threads.hpp"
#include "agent/tools.hpp"
#include "agent/uploads.hpp"
#include "api/api.hpp"
#include "api/openai/file_links.hpp"
#include "core/outputs.hpp"
#include "core/recall.hpp"
#include "main/settings.hpp"
#include "net/fetch.hpp"
#include "stores/recall/recall.hpp"
#include "stores/redis/threads.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace atl::main {

// Where settings have their values from; empty: nowhere, they are the defaults.
struct ModelSources {
    std::string address;  // or the key
    std::string name;
};
[[nodiscard]] ModelSources model_sources(const SettingsInForce& settings);

class Analyst {
public:
    struct Parts {
        boost::asio::any_io_executor executor;
        const Settings& settings;
        ModelSources from;
        core::Threads& store;  // of this server alone; redis.host takes its place
        sessions::Sessions& sessions;
        core::Folders& folders;
        core::Outputs& outputs;
        std::string uploads;  // the folder of uploads
        std::string index;    // the file of the index of what was said; this server's own
        std::string choice;   // the file of the model that was chosen, with its key
        std::function<bool()> owners_differ;
        std::function<std::vector<std::uint16_t>()> own_ports;
    };
    // Throws ErrorException: settings that contradict each other, a folder that cannot be had.
    explicit Analyst(Parts parts);

    // Whether threads are shared with other servers.
    [[nodiscard]] static bool is_shared(const Settings& settings);
    // Once, before anybody is served. Throws Unavailable: Redis is not there.
    boost::asio::awaitable<void> start();

    void add_routes(api::Api& api, const api::openai::FileLinks& links);
    // Who answers, for people: in the log and in /v1/info.
    [[nodiscard]] std::string model_sentence() const;
    [[nodiscard]] std::string model_name() const;
    // Of the store that threads are in, if that is not the server's own.
    [[nodiscard]] std::optional<core::StoreHealth> shared_health() const;

    boost::asio::awaitable<void> keep_house() { return threads_->keep_house(); }
    boost::asio::awaitable<void> keep_uploads(std::function<bool()> not_now) {
        return threads_->keep_uploads(std::move(not_now));
    }
    boost::asio::awaitable<void> keep_temporary(std::function<bool()> not_now) {
        return threads_->keep_temporary(std::move(not_now));
    }
    boost::asio::awaitable<void> keep_conversations(std::function<bool()> not_now) {
        return conversations_->keep_house(std::move(not_now));
    }
    void begin_stop() {
        conversations_->begin_stop();
        threads_->begin_stop();
    }
    boost::asio::awaitable<void> stop() { return threads_->stop(); }
    boost::asio::awaitable<bool> ended_by(std::chrono::steady_clock::time_point until) {
        return threads_->ended_by(until);
    }
    boost::asio::awaitable<void> leave_homes() { return threads_->leave_homes(); }

private:
    [[nodiscard]] std::unique_ptr<agent::Models> make_models(const Parts& parts) const;

    const Settings& settings_;
    std::unique_ptr<redis::RedisThreads> redis_;
    std::unique_ptr<net::Fetcher> fetcher_;         // to what the operator set
    std::unique_ptr<net::Fetcher> chosen_fetcher_;  // to what an administrator chose
    std::unique_ptr<net::Fetcher> local_fetcher_;   // on this machine
    std::unique_ptr<core::ChatModel> offline_;
    std::unique_ptr<core::ChatProvider> provider_;
    std::unique_ptr<agent::Models> models_;
    std::unique_ptr<core::ChatModel> current_;
    std::unique_ptr<agent::Uploads> uploads_;
    std::unique_ptr<agent::Tools> tools_;
    std::unique_ptr<core::Embeddings> embeddings_;
    std::unique_ptr<recall::SqliteRecall> recall_;
    std::unique_ptr<agent::LayeredModelContexts> contexts_;
    std::unique_ptr<agent::Threads> threads_;
    std::unique_ptr<agent::Conversations> conversations_;
};

}  // namespace atl::main
