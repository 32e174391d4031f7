#include "agent/lookback.hpp"

#include "agent/keywords.hpp"
#include "agent/within.hpp"
#include "base/result.hpp"
#include "core/host_paths.hpp"

#include <algorithm>

namespace atl::agent {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t kTurnsAsked = 256, kTurnsAfterwards = 512;  // one catch_up adds
constexpr std::size_t kBytesAsked = 1u << 20, kBytesAfterwards = 4u << 20;
constexpr std::size_t kTurnsEmbedded = 64;  // at once, when vectors are made
constexpr std::chrono::milliseconds kQuestionTime{2'000};
constexpr std::chrono::milliseconds kTurnsTime{30'000};
constexpr std::chrono::seconds kRest{30};

constexpr std::size_t kIndexedTextBytes = 24u << 10;  // of a question or an answer, in the index
constexpr std::size_t kIndexedOutputBytes = 2u << 10;
constexpr std::size_t kEntryBytes = 60u << 10;
constexpr std::size_t kEmbeddedBytes = 4u << 10;
constexpr std::size_t kQuestionBytes = 4u << 10;

constexpr std::size_t kHits = 12;       // that the index is asked for
constexpr std::size_t kHitsTaken = 6;   // that are looked at
constexpr std::size_t kHitsAnyway = 2;  // of one word in common: the best only
constexpr std::size_t kHitBytes = 256u << 10;
constexpr std::size_t kNotedMax = 1000;

std::string_view cut(std::string_view text, std::size_t bytes) {
    if (text.size() <= bytes) return text;
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
    return text.substr(0, bytes);
}

// Question and answers first: of a long entry the beginning counts.
std::string text_of(const PastTurn& turn) {
    std::string said, outputs;
    for (const auto& message : turn.messages) {
        const bool tool = message.role == core::MessageRole::Tool;
        if (message.role == core::MessageRole::Note || message.content.empty()) continue;
        auto& text = tool ? outputs : said;
        if (text.size() >= kEntryBytes) continue;
        text += cut(message.content, tool ? kIndexedOutputBytes : kIndexedTextBytes);
        text += '\n';
    }
    said += outputs;
    return std::string(cut(said, kEntryBytes));
}

}  // namespace

asio::awaitable<std::uint64_t> Lookback::behind_index(ThreadId id, std::uint64_t until) {
    const auto indexed = co_await recall_.indexed(id);
    if (indexed == 0) co_return 1;
    // What is indexed is the first message of a turn: the rest of it is in the same entry.
    const TurnsQuery query{id, indexed, until, 1, kHitBytes};
    const auto last = co_await read_turns(threads_, query);
    co_return last.turns.empty() ? until + 1 : last.turns.front().last() + 1;
}

void Lookback::note_missing(const ThreadId& id, std::uint64_t from) {
    if (without_vector_.size() >= kNotedMax) without_vector_.clear();
    without_vector_[id.text()] = from;
}

asio::awaitable<void> Lookback::add_words(ThreadId id, std::uint64_t until, When when) {
    const bool asked = when == When::Asked;
    const auto from = co_await behind_index(id, until);
    if (from > until) co_return;
    const TurnsQuery query{id, from, until, asked ? kTurnsAsked : kTurnsAfterwards,
                           asked ? kBytesAsked : kBytesAfterwards};
    const auto some = co_await read_turns(threads_, query);
    std::vector<core::RecallEntry> entries;
    for (const auto& turn : some.turns) entries.push_back({turn.first(), text_of(turn), {}});
    if (entries.empty()) co_return;
    co_await recall_.add(id, std::move(entries));
    if (embeddings_ != nullptr && !without_vector_.contains(id.text())) note_missing(id, from);
}

asio::awaitable<std::string> Lookback::add_vectors(ThreadId id, std::uint64_t until) {
    std::string note;
    std::uint64_t from = 0;
    if (const auto noted = without_vector_.find(id.text()); noted != without_vector_.end()) {
        from = noted->second;
    } else {
        from = co_await behind_index(id, until);
    }
    if (from > until) co_return note;
    for (std::size_t added = 0; from <= until && added < kTurnsAfterwards && note.empty();) {
        const TurnsQuery query{id, from, until, kTurnsEmbedded, kBytesAfterwards};
        const auto some = co_await read_turns(threads_, query);
        if (some.turns.empty() || cancellation_.requested()) break;
        std::vector<core::RecallEntry> entries;
        std::vector<std::string> texts;
        for (const auto& turn : some.turns) {
            entries.push_back({turn.first(), text_of(turn), {}});
            texts.emplace_back(cut(entries.back().text, kEmbeddedBytes));
        }
        auto vectors = co_await vectors_of(std::move(texts), kTurnsTime);
        note = std::move(vectors.note);
        if (!note.empty()) break;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            entries[i].vector = std::move(vectors.all[i]);
        }
        co_await recall_.add(id, std::move(entries));
        rest_until_ = {};  // they answer
        added += some.turns.size();
        from = some.turns.back().last() + 1;
    }
    if (from <= until) {
        note_missing(id, from);
    } else {
        without_vector_.erase(id.text());
    }
    co_return note;
}

asio::awaitable<std::string> Lookback::catch_up(ThreadId id, std::uint64_t until, When when) {
    std::string note;
    std::optional<Error> failed;
    try {
        if (embeddings_ != nullptr && when == When::Afterwards) {
            note = co_await add_vectors(id, until);
        }
        co_await add_words(id, until, when);  // what has no vector yet
    } catch (const ErrorException& error) { failed = error.error; }
    if (failed) note = "the index cannot be used: " + failed->message;
    co_return note;
}

asio::awaitable<Lookback::Vectors> Lookback::vectors_of(std::vector<std::string> texts,
                                                        std::chrono::milliseconds time) {
    Vectors vectors;
    if (embeddings_ == nullptr || texts.empty()) co_return vectors;
    const auto wanted = texts.size();
    try {
        auto work = embeddings_->embed(std::move(texts));
        auto all = co_await within(std::move(work), cancellation_, time);
        if (all && all->size() == wanted) {
            vectors.all = std::move(*all);
        } else {
            vectors.note = "by words alone: the embeddings took too long";
        }
    } catch (const std::exception& failed) {
        vectors.note = std::string("by words alone: ") + failed.what();
    }
    co_return vectors;
}

asio::awaitable<Found> Lookback::find(ThreadId id, std::string question, std::uint64_t before) {
    Found found;
    question = cut(question, kQuestionBytes);
    std::vector<float> vector;
    if (embeddings_ != nullptr && Clock::now() < rest_until_) {
        found.note = trouble_;
    } else if (embeddings_ != nullptr) {
        std::vector<std::string> texts{question};
        auto vectors = co_await vectors_of(std::move(texts), kQuestionTime);
        if (!vectors.all.empty()) vector = std::move(vectors.all.front());
        found.note = trouble_ = vectors.note;
        if (!trouble_.empty()) rest_until_ = Clock::now() + kRest;
    }
    std::vector<core::RecallHit> hits;
    try {
        hits = co_await recall_.find(id, question, std::move(vector), before, kHits);
    } catch (const ErrorException& failed) {
        found.note = "the index cannot be used: " + core::without_host_paths(failed.error).message;
    }
    const auto words = keywords_of(question);
    std::size_t place = 0;
    for (const auto& hit : hits) {
        if (found.turns.size() >= kHitsTaken) break;
        if (hit.sequence == 0 || hit.sequence >= before) continue;
        const TurnsQuery query{id, hit.sequence, before - 1, 1, kHitBytes};
        auto some = co_await read_turns(threads_, query);
        if (some.turns.empty() || some.turns.front().first() != hit.sequence) continue;
        FoundTurn one;
        one.turn = std::move(some.turns.front());
        one.words = shared_words(words, text_of(one.turn));
        // One word in common is what half of a conversation has.
        const bool weak = one.words.size() == 1 && words.size() > 1;
        if (weak && ++place > kHitsAnyway) continue;
        found.turns.push_back(std::move(one));
    }
    co_return found;
}

asio::awaitable<void> Lookback::forget(ThreadId id) {
    without_vector_.erase(id.text());
    co_await recall_.forget(std::move(id));
}

}  // namespace atl::agent
