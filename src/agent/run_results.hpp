#pragma once
// What a run showed besides text and images: charts of plotly and altair, HTML tables, formulas,
// formatted text. Clients draw it; a model only reads that it was shown.
//
//     a bundle (one thing in several types) ──▶ its best type, as JSON text ──▶ store, events,
//     export
//
// A table is a result if another one follows it: the last of a run has a place of its own.
// Bounded   by ResultRoom: what does not fit is named in a sentence, which a model reads, too.
// Trusts    nothing: names of types, sizes and depth are checked here; what is inside of a result
//           is for clients that trust it no more than this does.
#include "agent/message_details.hpp"

#include <boost/json/object.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace atl::agent {

inline constexpr std::size_t kResultBytesMax = 1u << 20;

// What one turn may still keep.
struct ResultRoom {
    std::size_t count = 0;
    std::size_t bytes = 0;
};
inline constexpr ResultRoom kTurnResults{16, 2u << 20};

class RunResults {
public:
    // No room at all: nobody would draw anything.
    explicit RunResults(std::optional<ResultRoom> room)
        : drawn_(room.has_value()), room_(room.value_or(ResultRoom{})) {}

    // Takes what it can of a bundle. True: what the bundle says of itself as text says no more.
    bool take(const boost::json::object& bundle);
    // A table of the run, in its order among the results.
    void take(TableData table);

    [[nodiscard]] std::vector<StoredResult> results() { return std::move(results_); }
    [[nodiscard]] std::optional<TableData> last_table() { return std::move(table_); }
    // What a model reads of them: "not shown: …" first, then "shown: a chart, Sales by city".
    [[nodiscard]] std::vector<std::string> notes() const;

private:
    bool keep(StoredResult result, std::size_t at, const std::string& what);

    bool drawn_;
    ResultRoom room_;
    std::vector<StoredResult> results_;
    std::vector<std::string> shown_;
    std::vector<std::string> refused_;
    std::optional<TableData> table_;
    std::size_t table_at_ = 0;  // before how many results it came
};

// Takes out those of a run that was read from the store, without what is none of ours there.
[[nodiscard]] std::vector<StoredResult> take_results(RunNote& run);
// As clients get it. The text is a text still: values made of it would have twelve times its size.
[[nodiscard]] TurnResult view_of(std::uint64_t run, const StoredResult& result);

}  // namespace atl::agent
