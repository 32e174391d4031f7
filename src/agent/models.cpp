#include "agent/models.hpp"

#include "base/workers.hpp"
#include "schema/describe.hpp"

#include <algorithm>
#include <boost/asio/this_coro.hpp>

namespace atl::agent {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t kKeptBytesMaxOfFile = 64u << 10;
constexpr std::size_t kOthersMax = 16;  // models of questions that are kept, with what they learnt
constexpr std::chrono::seconds kListedFor{20};
constexpr std::chrono::seconds kNotListedFor{2};

// A borrowed model where a shared one is wanted.
std::shared_ptr<core::ChatModel> borrowed(core::ChatModel& model) {
    return {std::shared_ptr<void>(), &model};
}

}  // namespace

BOOST_DESCRIBE_STRUCT(ChosenModel, (), (base_url, key, model, questions_may_choose))
ATOLL_TYPE(ChosenModel) {
    return response("The model that was chosen, as it is kept.",
                    field<&T::base_url>("Where its provider is."), field<&T::key>("For it."),
                    field<&T::model>("Which one."),
                    field<&T::questions_may_choose>("Whether a question may name another."));
}

Models::Models(Parts parts, Operator set) : parts_(std::move(parts)), set_(std::move(set)) {
    if (!parts_.kept.empty()) {
        try {
            chosen_ = schema::from_json<ChosenModel>(parts_.kept, kKeptBytesMaxOfFile);
        } catch (const std::exception&) {
            // Not its words: the file has a key.
            throw ErrorException({Code::Internal, "it is not what this program writes there"});
        }
        parts_.kept.clear();
    }
    make_current();
}

std::optional<core::ChatEndpoint> Models::endpoint() const {
    if (set_.endpoint) return set_.endpoint;
    if (chosen_.base_url.empty()) return std::nullopt;
    return core::ChatEndpoint{chosen_.base_url, chosen_.key,
                              core::ChatEndpoint::Said::Administrator};
}

std::string Models::model_name() const {
    return set_.model_from.empty() && !chosen_.model.empty() ? chosen_.model : set_.model;
}

void Models::make_current() {
    const auto where = endpoint();
    current_ = where ? parts_.provider.model(*where, model_name()) : borrowed(parts_.offline);
    others_.clear();
    listed_.clear();
    not_listed_.reset();
    listed_until_ = {};
    ++version_;
}

ModelState Models::state() const {
    ModelState state;
    const auto where = endpoint();
    state.offline = !where;
    state.questions_may_choose = chosen_.questions_may_choose;
    state.model_from = set_.model_from;
    if (!where) return state;
    state.base_url = where->base_url;
    state.has_key = !where->key.empty();
    state.model = model_name();
    if (set_.endpoint) state.address_from = set_.address_from;
    return state;
}

asio::awaitable<void> Models::keep(ChosenModel chosen) {
    const auto text = schema::to_json(chosen);
    const auto executor = co_await asio::this_coro::executor;
    const auto write = [&] { return parts_.save(text); };
    const auto saved = co_await workers_of(executor).run(write);
    if (!saved) throw ErrorException(saved.error().during("keep the choice of the model"));
    chosen_ = std::move(chosen);
    make_current();
}

asio::awaitable<void> Models::change(ModelChange change) {
    const auto mine = co_await changing_.lock();
    auto wanted = chosen_;
    if (set_.endpoint && (change.base_url || change.key)) {
        throw ErrorException({Code::Conflict, "the address of the model is set by the server (" +
                                                  set_.address_from + "), which has the say"});
    }
    if (!set_.model_from.empty() && change.model && *change.model != set_.model) {
        throw ErrorException({Code::Conflict, "the model is set by the server (" + set_.model_from +
                                                  "), which has the say"});
    }
    if (change.base_url && *change.base_url != wanted.base_url) {
        // Neither the key nor the model of the one is the other's.
        wanted.base_url = *change.base_url;
        wanted.key.clear();
        wanted.model.clear();
    }
    if (change.key) wanted.key = *change.key;
    if (change.model) wanted.model = *change.model;
    if (change.questions_may_choose) wanted.questions_may_choose = *change.questions_may_choose;
    if (!wanted.key.empty() && wanted.base_url.empty()) {
        throw ErrorException({Code::InvalidArgument, "a key needs the address it is for"});
    }
    if (!wanted.base_url.empty()) {
        const core::ChatEndpoint where{wanted.base_url, wanted.key,
                                       core::ChatEndpoint::Said::Administrator};
        parts_.provider.check(where).value();
    }
    co_await keep(std::move(wanted));
}

asio::awaitable<void> Models::reset() {
    const auto mine = co_await changing_.lock();
    ChosenModel none;
    co_await keep(std::move(none));
}

asio::awaitable<std::vector<std::string>> Models::available() {
    const auto mine = co_await listing_.lock();
    const auto where = endpoint();
    if (!where) co_return std::vector<std::string>{};
    if (Clock::now() < listed_until_) {
        if (not_listed_) throw ErrorException(*not_listed_);
        co_return listed_;
    }
    const auto version = version_;
    std::vector<std::string> names;
    std::optional<Error> failed;
    try {
        names = co_await parts_.provider.list(*where);
    } catch (const ErrorException& error) { failed = error.error; }
    // The endpoint may have become another one meanwhile.
    if (version == version_) {
        listed_ = names;
        not_listed_ = failed;
        listed_until_ = Clock::now() + (failed ? kNotListedFor : kListedFor);
    }
    if (failed) throw ErrorException(*failed);
    co_return names;
}

asio::awaitable<std::vector<core::LocalProvider>> Models::find_local() {
    return parts_.provider.find_local(parts_.own_ports());
}

asio::awaitable<core::LocalProvider> Models::look_at_local(std::string base_url) {
    return parts_.provider.look_at_local(std::move(base_url), parts_.own_ports());
}

asio::awaitable<std::shared_ptr<core::ChatModel>> Models::pick(std::string name) {
    if (name.empty() || (!is_offline() && name == model_name())) co_return current_;
    if (is_offline()) {
        throw ErrorException(
            {Code::InvalidArgument, "no language model is set, so a question cannot choose one"});
    }
    if (!chosen_.questions_may_choose) {
        throw ErrorException({Code::Forbidden, "this server lets no question choose its model"});
    }
    if (const auto found = others_.find(name); found != others_.end()) co_return found->second;
    const auto names = co_await available();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw ErrorException({Code::InvalidArgument, "there is no model " + schema::quoted(name) +
                                                         " among those that GET "
                                                         "/v1/models/available lists"});
    }
    const auto where = endpoint();
    if (!where) co_return current_;
    if (others_.size() >= kOthersMax) others_.erase(others_.begin());
    auto model = parts_.provider.model(*where, name);
    others_[name] = model;
    co_return model;
}

asio::awaitable<core::ChatReply> CurrentModel::chat(core::ChatRequest request,
                                                    core::ChatListener& listener) {
    const auto model = models_.current();  // stays until it has answered
    co_return co_await model->chat(std::move(request), listener);
}

}  // namespace atl::agent
