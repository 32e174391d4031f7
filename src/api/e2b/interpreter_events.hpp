#pragma once
// What happens in a run, in the words of the code interpreter: one JSON object a line.
//
// Output is told in whole writes: print("a") writes the text and then the line's end, and arrives
// as one event. So text waits for a moment, and is joined to what follows it at once.
// Pure computation.
#include "base/utf8.hpp"
#include "core/outcome.hpp"
#include "core/records.hpp"

#include <boost/json/object.hpp>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace atl::api::e2b {

class InterpreterEvents {
public:
    void count(std::int64_t executions);
    void output(core::Stream stream, std::string_view piece, core::Time now);
    // An event of the guest: `result` or `display`, with a bundle by MIME type.
    void result(const boost::json::object& event);
    void error(const boost::json::object& event);
    void error(std::string_view name, std::string_view value, std::string_view traceback);
    void end();
    // What the guest gets back once the last event was sent.
    void cost(std::size_t bytes);

    [[nodiscard]] bool empty() const noexcept { return events_.empty(); }
    // Whether the oldest event may still grow.
    [[nodiscard]] bool may_grow() const noexcept;

    struct Line {
        std::string text;  // with its end
        std::size_t cost = 0;
    };
    // The oldest event. Not when empty().
    [[nodiscard]] Line next();

private:
    struct Event {
        boost::json::object object;
        std::string text;  // of output, which is not in the object yet
        core::Stream stream = core::Stream::Stdout;
        std::size_t cost = 0;
    };
    void add(boost::json::object object);
    void flush(core::Stream stream, core::Time now);

    std::deque<Event> events_;
    Utf8Joiner out_, err_;
    core::Time last_output_{};
    std::size_t free_cost_ = 0;  // of what made no event
};

// A bundle's fields as those of a result: text/plain is `text`, without one pair of quotes.
[[nodiscard]] boost::json::object result_fields(const boost::json::object& bundle);

}  // namespace atl::api::e2b
