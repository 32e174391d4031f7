#pragma once
// What a client that names no thread has said so far, and the keys by which it is recognised: such
// clients send the whole conversation with each question.
//
// A key is a digest of every message up to a place, in order, and of who says that it is theirs
// (user, chat). So two conversations share one only where they are the same word by word. Blanks
// do not count, nor what a model thought aloud: front ends trim the one and wrap the other.
//
//     after        these messages, of which the last was answered
//     unanswered   these messages, whose last question was broken off before its end
//     at           the chat that the client names, after so many questions; none without a name
//
// Pure functions. Trusts    nobody: the caller bounds what comes in.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl::agent {

struct SaidMessage {
    enum class By { User, Assistant };
    By by = By::User;
    std::string text;
    std::vector<std::string> attachments;  // a digest of each file
};

struct Conversation {
    std::string owner;
    std::string user;  // the client's name for who asks; may be empty
    std::string chat;  // the client's name for this conversation; may be empty
    std::vector<SaidMessage> said;
};

// Of what one says in several messages, one: clients cut it up differently from time to time.
// False: somebody else says `next`, and both are as they were.
[[nodiscard]] bool merge(SaidMessage& last, SaidMessage& next);

// Without <think>…</think> and <details type="reasoning"…>…</details>.
[[nodiscard]] std::string without_thoughts(std::string_view text);

using SaidSpan = std::span<const SaidMessage>;
[[nodiscard]] std::string key_after(const Conversation& of, SaidSpan said);
[[nodiscard]] std::string key_unanswered(const Conversation& of, SaidSpan said);
[[nodiscard]] std::optional<std::string> key_at(const Conversation& of, std::size_t questions);
[[nodiscard]] std::size_t questions_in(SaidSpan said) noexcept;

// A question that was answered before, elsewhere.
struct PastExchange {
    std::string question;
    std::string answer;

    bool operator==(const PastExchange&) const = default;
};
struct PastLimits {
    std::size_t exchanges_max = 50;
    std::size_t bytes_max = 256u << 10;  // twice what a context of 32,000 tokens has, about
};
// Of messages by turns, the latest that fit, in their order. What an assistant says before anybody
// asked is left out, as is a question that nobody answered.
[[nodiscard]] std::vector<PastExchange> past_of(SaidSpan said, PastLimits limits = {});

[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace atl::agent
