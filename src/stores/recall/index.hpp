#pragma once
// The index in its file: words in FTS5, vectors as they are, and the vectors of the threads that
// were asked last in memory as well.
//
// Everything in it can be made anew from the messages. So a file that is damaged, of another
// version or of another embedding model is removed and begun again; `indexed` then says 0, and the
// caller adds what is missing. A database that is somebody else's is left alone.
//
// Owns      the file and those beside it (-wal, -shm).
// Threads   one at a time (base/worker_thread.hpp).
// Failure   ErrorException with Unavailable: the disk cannot be read or written. The next call
//           tries again.
#include "base/result.hpp"
#include "core/recall.hpp"
#include "stores/recall/vectors.hpp"

#include <functional>
#include <list>
#include <memory>
#include <sqlite3.h>
#include <string>

namespace atl::recall {

struct RecallOptions {
    std::string path;   // the file; its folder is there
    std::string model;  // what makes the vectors; those of another are worth nothing
    std::size_t text_bytes_max = 64u << 10;     // of one message; what follows is not found
    std::size_t vectors_max = 20000;            // of one thread in memory: the latest
    std::size_t loaded_bytes_max = 256u << 20;  // of all threads in memory
    std::size_t dimension_max = 4096;
    std::size_t ranked_max = 256;  // messages with a word; what more have tells little
    Vectors::Limits vectors;
    std::size_t queue_tasks_max = 1024;
    std::size_t queue_bytes_max = 64u << 20;
};

class Index {
public:
    explicit Index(RecallOptions options);
    Index(const Index&) = delete;
    Index& operator=(const Index&) = delete;
    ~Index();

    [[nodiscard]] std::uint64_t indexed(const ThreadId& id);
    void add(const ThreadId& id, std::vector<core::RecallEntry> entries);
    [[nodiscard]] std::vector<core::RecallHit> find(const ThreadId& id, const std::string& words,
                                                    std::vector<float> vector, std::uint64_t before,
                                                    std::size_t limit);
    void forget(const ThreadId& id);
    [[nodiscard]] std::optional<ThreadId> thread_after(const ThreadId& id);

private:
    class Statement;
    struct Thread {
        std::int64_t number = 0;
        std::uint64_t highest = 0;
    };
    struct Loaded {
        std::int64_t thread = 0;
        std::unique_ptr<Vectors> vectors;
    };

    // In a transaction; once more on a new file if this one turns out to be damaged.
    void carry_out(const std::function<void()>& work);
    void open();
    [[nodiscard]] bool is_ours_and_current();
    void make_anew();
    void close() noexcept;
    void script(const char* sql);
    [[noreturn]] void fail(int rc) const;

    [[nodiscard]] Thread thread(const ThreadId& id);
    void add_one(const Thread& thread, const core::RecallEntry& entry);
    void add_vector(const Thread& thread, std::uint64_t sequence, std::vector<float> vector);
    [[nodiscard]] std::vector<std::uint64_t> by_words(const Thread& thread,
                                                      const std::string& words,
                                                      std::uint64_t before, std::size_t limit);
    [[nodiscard]] std::vector<std::uint64_t> matching(const Thread& thread,
                                                      const std::string& query, const char* sql,
                                                      std::uint64_t before, std::size_t limit);
    [[nodiscard]] bool is_in_many(const std::string& word);
    [[nodiscard]] Vectors* load(const Thread& thread);
    [[nodiscard]] Vectors* loaded(std::int64_t thread);
    void unload(std::int64_t thread);
    void make_room();

    const RecallOptions options_;
    sqlite3* db_ = nullptr;
    std::list<Loaded> loaded_;  // the last used first
};

}  // namespace atl::recall
