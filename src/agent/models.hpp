#pragma once
// Which model answers: what the operator set, what an administrator chose, or none.
//
//     the address with its key   settings of the server  >  chosen here  >  none: offline analyst
//     the model                  settings of the server  >  chosen here  >  the server's default
//     a question's own choice    among what the endpoint lists, if that is allowed
//
// An address and a key come from the same hand: a key of the settings is never sent to an address
// that was chosen here, nor one that was typed for another address.
// Owns      the models that were made; a turn shares the one that it began with, so that a change
//           is heard by the next turn. Provider, offline analyst and the file are borrowed.
// Threads   one, the executor's; the file is written by a worker.
// Promises  a key goes into the file and to the provider, and nowhere else.
// On failure ErrorException: InvalidArgument, Conflict (the server's settings have the say),
//           Forbidden, what the provider says. A choice that could not be stored is not in force.
#include "core/chat_provider.hpp"
#include "schema/json.hpp"
#include "sessions/fifo_mutex.hpp"

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace atl::agent {

// What was chosen, as it is kept.
struct ChosenModel {
    std::string base_url;
    std::string key;
    std::string model;
    bool questions_may_choose = true;
};
ATOLL_DESCRIBED(ChosenModel);

// What is to change; what is left out stays. A new address without a key has none.
struct ModelChange {
    std::optional<std::string> base_url;
    std::optional<std::string> key;
    std::optional<std::string> model;
    std::optional<bool> questions_may_choose;
};

// What is in force, without the key.
struct ModelState {
    bool offline = true;
    std::string base_url;
    std::string model;
    bool has_key = false;
    std::string address_from;  // "environment: OPENAI_BASE_URL", …; empty: chosen here, or none
    std::string model_from;
    bool questions_may_choose = true;
};

class Models {
public:
    // What the operator has set. An address or a key makes an endpoint.
    struct Operator {
        std::optional<core::ChatEndpoint> endpoint;
        std::string address_from;
        std::string model;
        std::string model_from;  // empty: `model` is the default, which may be chosen over
    };
    struct Parts {
        core::ChatProvider& provider;
        core::ChatModel& offline;
        // Of the file; empty text: there is none. A worker calls `save`.
        std::string kept;
        std::function<Result<void>(const std::string& text)> save;
        std::function<std::vector<std::uint16_t>()> own_ports;
    };
    // A file that cannot be read is Internal: nothing is overwritten then.
    Models(Parts parts, Operator set);

    [[nodiscard]] ModelState state() const;
    boost::asio::awaitable<void> change(ModelChange change);
    // Forgets what was chosen, the key as well.
    boost::asio::awaitable<void> reset();

    // What the endpoint has; empty: there is none. Kept for a moment, failures too, and asked for
    // once at a time: whoever may ask questions may ask this, as often as they like.
    boost::asio::awaitable<std::vector<std::string>> available();
    boost::asio::awaitable<std::vector<core::LocalProvider>> find_local();
    boost::asio::awaitable<core::LocalProvider> look_at_local(std::string base_url);

    // Of a question. An empty name is the model in force. Throws Forbidden or InvalidArgument.
    boost::asio::awaitable<std::shared_ptr<core::ChatModel>> pick(std::string name);
    [[nodiscard]] std::shared_ptr<core::ChatModel> current() const { return current_; }
    [[nodiscard]] bool is_offline() const { return !endpoint(); }

private:
    [[nodiscard]] std::optional<core::ChatEndpoint> endpoint() const;
    [[nodiscard]] std::string model_name() const;
    boost::asio::awaitable<void> keep(ChosenModel chosen);  // while changing_ is held
    void make_current();

    Parts parts_;
    Operator set_;
    ChosenModel chosen_;
    std::shared_ptr<core::ChatModel> current_;
    std::map<std::string, std::shared_ptr<core::ChatModel>> others_;  // by name, of this endpoint
    std::vector<std::string> listed_;
    std::optional<Error> not_listed_;
    std::chrono::steady_clock::time_point listed_until_{};
    sessions::FifoMutex listing_;
    sessions::FifoMutex changing_;
    std::uint64_t version_ = 0;  // counts changes of the endpoint
};

// The model in force at the time of each call: for summaries.
class CurrentModel final : public core::ChatModel {
public:
    explicit CurrentModel(const Models& models) : models_(models) {}
    [[nodiscard]] core::ChatModelInfo info() const override { return models_.current()->info(); }
    boost::asio::awaitable<core::ChatReply> chat(core::ChatRequest request,
                                                 core::ChatListener& listener) override;

private:
    const Models& models_;
};

}  // namespace atl::agent
