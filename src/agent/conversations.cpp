#include "agent/conversations.hpp"

#include "base/as_tuple.hpp"
#include "base/workers.hpp"
#include "core/clock_watch.hpp"

#include <algorithm>
#include <boost/asio/this_coro.hpp>

namespace atl::agent {

namespace asio = boost::asio;
using core::ThreadMark;
using core::Whose;

namespace {

constexpr std::chrono::milliseconds kRoundMax = std::chrono::hours{1};
constexpr std::chrono::milliseconds kRoundMin = std::chrono::seconds{1};
constexpr std::uint32_t kListed = 200;

struct Place {
    std::string key;
    bool may_fork;  // a question that was broken off is nothing to go back to
};

// Where the question may belong, the likeliest first.
std::vector<Place> places_of(const Conversation& now) {
    const SaidSpan all(now.said);
    const SaidSpan before = all.first(all.size() - 1);
    std::vector<Place> places{{key_unanswered(now, all), false}};
    if (before.empty()) return places;
    places.push_back({key_after(now, before), true});
    // What an answer had said when it was broken off is not known here; its question is.
    places.push_back({key_unanswered(now, before.first(before.size() - 1)), false});
    if (auto at = key_at(now, questions_in(before))) places.push_back({std::move(*at), true});
    return places;
}

// Another request needs what was to be copied, or it has gone.
bool is_passing(Code code) {
    return code == Code::Conflict || code == Code::NotFound || code == Code::InvalidArgument;
}

}  // namespace

Conversations::Conversations(asio::any_io_executor executor, Threads& threads, core::Threads& store,
                             ConversationOptions options)
    : threads_(threads), store_(store), options_(std::move(options)), round_(std::move(executor)) {}

// Nothing came after the mark, and nobody is about to ask there.
asio::awaitable<std::optional<Conversations::Hold>> Conversations::hold_if_free(std::string owner,
                                                                                ThreadMark mark) {
    core::ThreadRecord thread;
    try {
        thread = co_await threads_.get(Whose::of(std::move(owner)), mark.thread);
    } catch (const ErrorException& error) {
        if (error.error.code != Code::NotFound) throw;
        co_return std::nullopt;
    }
    const auto most = threads_.options().messages_max;
    const bool full = most > 0 && thread.messages >= most;
    if (full || thread.turns != mark.turn || held_.count(mark.thread.text()) > 0) {
        co_return std::nullopt;
    }
    co_return Hold(*this, mark.thread);
}

asio::awaitable<std::optional<Conversations::Hold>> Conversations::find(
    ConversationPtr conversation) {
    const Conversation& now = *conversation;
    const auto executor = co_await asio::this_coro::executor;
    const auto look = [&now] { return places_of(now); };
    const auto places = co_await workers_of(executor).run(look);
    std::vector<ThreadMark> gone_on;  // known, and more was said there since
    for (const auto& place : places) {
        const auto marks = co_await store_.marked(now.owner, place.key);
        for (const auto& mark : marks) {
            auto hold = co_await hold_if_free(now.owner, mark);
            if (hold) co_return std::move(hold);
        }
        if (place.may_fork) gone_on.insert(gone_on.end(), marks.begin(), marks.end());
    }
    for (const auto& mark : gone_on) {
        std::optional<ThreadId> forked;
        try {
            const auto made = co_await threads_.fork(Whose::of(now.owner), mark.thread, mark.turn,
                                                     "", kConversationPrefix);
            forked = made.id;
        } catch (const ErrorException& error) {
            if (!is_passing(error.error.code)) throw;
            if (error.error.code == Code::Conflict) co_return std::nullopt;
        }
        if (forked) co_return Hold(*this, std::move(*forked), true);
    }
    co_return std::nullopt;
}

asio::awaitable<void> Conversations::answered(ConversationPtr conversation, std::string answer,
                                              ThreadMark mark) {
    const auto executor = co_await asio::this_coro::executor;
    const auto make = [&conversation, &answer] {
        Conversation now = *conversation;
        now.said.push_back({SaidMessage::By::Assistant, answer, {}});
        std::vector<std::string> keys{key_after(now, now.said)};
        if (auto at = key_at(now, questions_in(now.said))) keys.push_back(std::move(*at));
        return keys;
    };
    auto keys = co_await workers_of(executor).run(make);
    co_await note(conversation->owner, std::move(keys), std::move(mark));
}

asio::awaitable<void> Conversations::broken_off(ConversationPtr conversation, ThreadMark mark) {
    const auto executor = co_await asio::this_coro::executor;
    const auto make = [&now = *conversation] {
        std::vector<std::string> keys{key_unanswered(now, now.said)};
        if (auto at = key_at(now, questions_in(now.said))) keys.push_back(std::move(*at));
        return keys;
    };
    auto keys = co_await workers_of(executor).run(make);
    co_await note(conversation->owner, std::move(keys), std::move(mark));
}

asio::awaitable<void> Conversations::note(std::string owner, std::vector<std::string> keys,
                                          ThreadMark mark) {
    if (mark.turn == 0) co_return;  // it never began
    const std::string thread = mark.thread.text();
    try {
        co_await store_.mark(std::move(owner), std::move(keys), std::move(mark));
    } catch (const ErrorException& error) {
        // The next question begins a new thread with what was said; this answer is whole.
        if (error.error.code != Code::NotFound && options_.tell) {
            options_.tell("where the conversation of thread " + thread +
                          " has got to could not be noted: " + error.error.message);
        }
    }
}

// ---- Housekeeping ----

asio::awaitable<void> Conversations::keep_house(std::function<bool()> not_now) {
    if (options_.unused_max.count() == 0) co_return;
    const auto pause = std::clamp(options_.unused_max / 4, kRoundMin, kRoundMax);
    core::ClockWatch clock;
    while (!stopping_) {
        round_.expires_after(pause);
        co_await round_.async_wait(kAsTuple);
        if (stopping_ || !clock.settled() || not_now()) continue;
        try {
            co_await remove_unused();
        } catch (const ErrorException&) {
            // The store is away; tried again in the next round.
        }
    }
}

asio::awaitable<void> Conversations::remove_unused() {
    const auto old = core::time_now() - options_.unused_max;
    std::vector<ThreadId> unused;
    core::ThreadQuery query{Whose::anyones(), "", kListed};
    while (!stopping_) {
        const auto page = co_await store_.list_threads(query);
        for (const auto& thread : page.threads) {
            if (thread.updated_at < old && thread.id.text().starts_with(kConversationPrefix) &&
                held_.count(thread.id.text()) == 0) {
                unused.push_back(thread.id);
            }
        }
        query.cursor = page.next_cursor;
        if (query.cursor.empty()) break;
    }
    std::size_t removed = 0;
    for (const auto& id : unused) {
        if (stopping_) break;
        try {
            co_await threads_.remove(Whose::anyones(), id);
            ++removed;
        } catch (const ErrorException&) {
            // Another server was first, or somebody asks in it now.
        }
    }
    if (removed > 0 && options_.tell) {
        options_.tell(std::to_string(removed) +
                      " threads of conversations were removed that "
                      "nobody had used for long");
    }
}

void Conversations::begin_stop() {
    stopping_ = true;
    round_.cancel();
}

}  // namespace atl::agent
