#pragma once
// Finds earlier turns of a thread that are relevant to a question: keeps the index of its turns
// (core::Recall) up to date, and searches it.
//
// One entry per turn, at its first message: question, answers and the beginnings of outputs, so
// that a hit comes with its context. The index belongs to this server and lags behind: it catches
// up from the store, in order, a bounded number of turns with each call. Vectors are computed after
// a turn, never while somebody waits for an answer; that of the question itself has a short
// timeout.
//
// Owns      nothing but a note of missing vectors. Store, index and embeddings are
//           borrowed.
// Threads   one, the executor's.
// On failure catch_up and find return less, with a sentence that says why. Only
//           find throws errors of the store.
#include "agent/cancellation.hpp"
#include "agent/past_turns.hpp"
#include "core/recall.hpp"
#include "core/threads.hpp"

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace atl::agent {

struct FoundTurn {
    PastTurn turn;
    std::vector<std::string> words;  // of the question that it has; none: near in meaning
};

struct Found {
    std::vector<FoundTurn> turns;  // best first
    std::string note;              // what was in the way; empty: nothing
};

class Lookback {
public:
    // Embeddings may be null: by words alone.
    Lookback(core::Threads& threads, core::Recall& recall, core::Embeddings* embeddings,
             Cancellation& cancellation)
        : threads_(threads),
          recall_(recall),
          embeddings_(embeddings),
          cancellation_(cancellation) {}

    enum class When { Asked, Afterwards };  // while somebody waits; when nobody does
    // Adds turns up to the message `until`, the last one of a turn. Answers with what was in the
    // way.
    boost::asio::awaitable<std::string> catch_up(ThreadId id, std::uint64_t until, When when);
    // Turns that begin below `before`.
    boost::asio::awaitable<Found> find(ThreadId id, std::string question, std::uint64_t before);
    boost::asio::awaitable<void> forget(ThreadId id);

private:
    struct Vectors {
        std::vector<std::vector<float>> all;  // one each, or none at all
        std::string note;
    };
    boost::asio::awaitable<void> add_words(ThreadId id, std::uint64_t until, When when);
    boost::asio::awaitable<std::string> add_vectors(ThreadId id, std::uint64_t until);
    // The first message behind what is indexed.
    boost::asio::awaitable<std::uint64_t> behind_index(ThreadId id, std::uint64_t until);
    boost::asio::awaitable<Vectors> vectors_of(std::vector<std::string> texts,
                                               std::chrono::milliseconds time);
    void note_missing(const ThreadId& id, std::uint64_t from);

    core::Threads& threads_;
    core::Recall& recall_;
    core::Embeddings* embeddings_;
    Cancellation& cancellation_;
    // By thread: from which message on turns have no vector. Lost with the server, and then those
    // that are indexed already are found by words alone.
    std::map<std::string, std::uint64_t> without_vector_;
    // After a question without a vector the next ones do not wait for theirs.
    std::chrono::steady_clock::time_point rest_until_{};
    std::string trouble_;
};

}  // namespace atl::agent
