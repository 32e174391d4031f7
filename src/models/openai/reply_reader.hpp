#pragma once
// Puts a model's answer together out of the bytes that a provider sends, and tells a listener what
// is new. Takes the dialects of OpenAI, vLLM, Ollama, llama.cpp and their like, and what they send
// when they are in trouble:
//
//     events with deltas, or with whole messages; plain JSON although events were requested
//     tool calls in pieces by index, by id or in order, or whole; ids missing or repeated; the
//         old function_call; arguments as text
//         or as an object
//     content as text, null or parts; thoughts as reasoning_content, reasoning or parts; thoughts
//         and calls written into the text (inline_marks.hpp)
//     comments, CRLF, characters cut in two, events that are no JSON, no [DONE], no finish_reason
//     an error where a chunk should be; a page of HTML
//
// Trusts    nothing: an event has at most 4 MiB, the answer 8 MiB, 64 calls, 200 invalid events.
//           Text for the listener
//           and in the reply is valid UTF-8; names and arguments are passed on
//           unchanged.
#include "base/utf8.hpp"
#include "core/chat.hpp"
#include "models/openai/inline_marks.hpp"
#include "models/openai/trouble.hpp"
#include "net/event_reader.hpp"

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::openai {

class ReplyReader {
public:
    // Both outlive the reader.
    ReplyReader(core::ChatListener& listener, const ModelAddress& address);
    ReplyReader(const ReplyReader&) = delete;
    ReplyReader& operator=(const ReplyReader&) = delete;

    // False when there is no point in reading on: it is complete, or trouble() says what is wrong.
    bool feed(std::string_view bytes);
    // At the end of the body. `end_is_marked`: it was its end, and not a broken connection. Nothing
    // when trouble() says what is wrong.
    std::optional<core::ChatReply> finish(bool end_is_marked);

    [[nodiscard]] const std::optional<Trouble>& trouble() const noexcept { return trouble_; }
    // Whether the listener was told anything. From then on asking again would say things twice.
    [[nodiscard]] bool heard() const noexcept { return heard_; }
    [[nodiscard]] bool said_done() const noexcept { return done_; }
    // Whether the model has said why it stopped: what comes after that can be done without.
    [[nodiscard]] bool is_complete() const noexcept { return done_ || !finish_.empty(); }

private:
    enum class Form { Unknown, Events, Json, Html };
    struct Call {
        std::optional<std::int64_t> index;
        core::ToolCall call;
    };

    void take_event(const net::EventReader::Event& event);
    void take_object(const boost::json::value& value, bool doubtful);
    void take_choice(const boost::json::object& choice, bool doubtful);
    void take_content(const boost::json::value& content, bool doubtful, int depth);
    void take_reasoning(const boost::json::object& delta, bool doubtful);
    void take_calls(const boost::json::array& calls);
    void take_call(const boost::json::object& entry, std::size_t open_before);
    Call* call_for(std::optional<std::int64_t> index, std::string_view id, std::string_view name,
                   bool has_arguments, std::size_t open_before);
    void take_function(Call& into, const boost::json::object& function);
    void take_usage(const boost::json::value& usage);
    void say(std::string_view text, bool doubtful);
    void take_pieces(std::vector<InlineMarks::Piece> pieces);
    void think(std::string_view text, bool doubtful);
    bool fits(std::size_t more);
    void wrong(Trouble trouble);
    void odd();
    void name_calls();

    core::ChatListener& listener_;
    const ModelAddress& address_;
    net::EventReader events_;
    Form form_ = Form::Unknown;
    std::string beginning_;  // before the form is known; all of it when it is no stream
    core::ChatReply reply_;
    std::vector<Call> calls_;
    Utf8Joiner text_, reasoning_;
    InlineMarks marks_;
    std::vector<core::ToolCall> written_calls_;  // as text
    std::string finish_;
    std::optional<Trouble> trouble_;
    std::size_t bytes_ = 0;
    std::size_t odd_ = 0;
    bool saw_choice_ = false;
    bool heard_ = false;
    bool done_ = false;
};

}  // namespace atl::openai
