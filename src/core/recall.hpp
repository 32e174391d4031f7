#pragma once
// Interface: search in the pruned part of a conversation, by words and, with embeddings, by
// meaning.
//
// An index, not a record: it can be rebuilt from the messages (core/threads.hpp), and is, when it
// is missing, damaged or out of date.
//
// Threads   coroutines of the caller's executor; an implementation works on a thread of its own.
// Throws    ErrorException. Unavailable: the index cannot be read or written; callers continue
//           without it.
#include "core/threads.hpp"

namespace atl::core {

struct RecallEntry {
    std::uint64_t sequence = 0;  // of the message
    std::string text;
    std::vector<float> vector;  // empty: by words alone
};

struct RecallHit {
    std::uint64_t sequence = 0;
    double score = 0;  // higher is nearer; comparable within one answer only
};

class Recall {
public:
    virtual ~Recall() = default;

    // The highest sequence that is in the index, 0 when none is.
    virtual boost::asio::awaitable<std::uint64_t> indexed(ThreadId id) = 0;
    virtual boost::asio::awaitable<void> add(ThreadId id, std::vector<RecallEntry> entries) = 0;
    // The nearest messages below `before`, best first. The vector may be empty.
    virtual boost::asio::awaitable<std::vector<RecallHit>> find(ThreadId id, std::string words,
                                                                std::vector<float> vector,
                                                                std::uint64_t before,
                                                                std::size_t limit) = 0;
    virtual boost::asio::awaitable<void> forget(ThreadId id) = 0;
    // Which thread follows in the index's own order, for who looks whether all of them still exist;
    // behind an empty id the first.
    virtual boost::asio::awaitable<std::optional<ThreadId>> thread_after(ThreadId id) = 0;
};

// Texts to vectors of one length. Null where there is none: recall goes by words then.
class Embeddings {
public:
    virtual ~Embeddings() = default;
    [[nodiscard]] virtual std::string name() const = 0;
    virtual boost::asio::awaitable<std::vector<std::vector<float>>> embed(
        std::vector<std::string> texts) = 0;
};

}  // namespace atl::core
