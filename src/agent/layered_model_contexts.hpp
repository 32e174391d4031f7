#pragma once
// ModelContexts of threads of any length: recent turns as they were, older ones in summaries, and
// what is relevant to the question quoted from the part that is pruned.
//
//     system prompt │ tools │ summaries    │ recent turns │ question + turns recalled for it
//                             at most 1/6,   at least       recalled: at most 1/6,
//                             at most        2/3            at most 4,000 tokens
//                             4,000 tokens                  (of what the fixed parts leave)
//
// A thread that fits is sent whole. One that does not is first sent with older tool outputs
// shortened, then pruned. Summaries are made when a turn has ended and its turns are about to leave
// (memory.hpp); the index catches up then, and lazily when it is behind (lookback.hpp). The cost of
// a question is that of what is sent, however long the thread is.
//
// Promises  estimate_tokens of the request is at most tokens_max, always. No message is changed or
//           lost: what is pruned is pruned from what is sent. No question waits for a summary. A
//           memory or an index that is lost or damaged is made anew, some turns at a time.
// Owns      nothing but notes about what is under way. All parts are borrowed and outlive it.
// Threads   one, the executor's. Any number of threads at one time; of one thread one summary.
// On failure of build as model_contexts.hpp says; without index, embeddings or summaries less is
// sent, and
//           the parts say why.
#include "agent/cancellation.hpp"
#include "agent/lookback.hpp"
#include "agent/memory.hpp"
#include "agent/model_contexts.hpp"
#include "agent/summary.hpp"
#include "core/recall.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace atl::agent {

class LayeredModelContexts final : public ModelContexts {
public:
    struct Parts {
        core::Threads& threads;
        core::Recall& recall;
        core::Embeddings* embeddings;   // null: recall goes by words
        core::ChatModel* summaries_by;  // null, or kOffline: there is no language model
    };
    struct Options {
        std::uint64_t tokens_max = 32'000;  // that questions will have; for the first summary
        std::chrono::milliseconds summary_time_max{30'000};
        std::function<void(const std::string&)> tell;  // for the log
    };
    LayeredModelContexts(Parts parts, Options options);

    boost::asio::awaitable<ModelContext> build(ModelContextInput input) override;
    boost::asio::awaitable<void> turn_ended(core::ThreadRecord thread) override;
    boost::asio::awaitable<void> forget(ThreadId id) override;
    void begin_stop() override { cancellation_.request("stopping"); }

private:
    class Building;
    class Visit;
    struct Visits {
        std::size_t count = 0;
        bool gone = false;  // forgotten while somebody worked on it
    };

    boost::asio::awaitable<void> summarise(core::ThreadRecord thread, std::uint64_t until);
    boost::asio::awaitable<Memory> add_summaries(Memory memory, core::ThreadRecord thread,
                                                 std::uint64_t until);
    boost::asio::awaitable<void> keep(core::ThreadRecord thread, Memory memory);
    boost::asio::awaitable<void> look_for_leftovers();
    void say(const std::string& sentence);

    core::Threads& threads_;
    Options options_;
    Cancellation cancellation_;
    Lookback lookback_;
    Summariser summariser_;
    std::map<std::string, Visits> visits_;
    std::map<std::string, std::uint64_t> rooms_;  // for recent turns, when they were last asked
    std::set<std::string> summarising_;
    std::string said_;   // last, so that a log does not repeat it with each turn
    std::string swept_;  // which thread of the index was looked for last
    core::Recall& recall_;
};

}  // namespace atl::agent
