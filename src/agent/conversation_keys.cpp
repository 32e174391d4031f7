#include "agent/conversation_keys.hpp"

#include "agent/text.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <openssl/evp.h>

namespace atl::agent {

namespace {

// Another version of this text is another set of keys: conversations from before begin anew.
constexpr std::string_view kKind = "atoll conversation 1";
constexpr std::size_t kOneMessageBytesMax = 64u << 10;  // of a past question or answer

// Each part with its length before it, so that no two lists of parts are one text.
void add_part(std::string& text, std::string_view part) {
    text += std::to_string(part.size());
    text += ':';
    text += part;
}

std::string without_blanks(std::string_view text) {
    std::string kept;
    kept.reserve(text.size());
    for (const char c : text) {
        if (c != ' ' && c != '\t' && c != '\n' && c != '\r') kept += c;
    }
    return kept;
}

std::string without_between(std::string_view text, std::string_view begin, std::string_view end) {
    // Into another string: taken out one by one, many of them would be moved up once for each.
    std::string kept;
    while (!text.empty()) {
        const auto at = std::min(text.find(begin), text.size());
        kept += text.substr(0, at);
        text.remove_prefix(at);
        const auto stop = text.find(end);
        // What does not end was cut off there.
        text.remove_prefix(stop == std::string_view::npos ? text.size() : stop + end.size());
    }
    return kept;
}

std::string chain(const Conversation& of, SaidSpan said) {
    std::string begin(kKind);
    add_part(begin, of.user);
    add_part(begin, of.chat);
    std::string state = sha256_hex(begin);
    for (const auto& message : said) {
        const bool user = message.by == SaidMessage::By::User;
        std::string next = state + (user ? "u" : "a");
        add_part(next,
                 sha256_hex(without_blanks(user ? message.text : without_thoughts(message.text))));
        for (const auto& attachment : message.attachments) add_part(next, attachment);
        state = sha256_hex(next);
    }
    return state;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    ::EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, ::EVP_sha256(), nullptr);
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    text.reserve(std::size_t{length} * 2);
    for (unsigned int i = 0; i < length; ++i) {
        text += kDigits[digest[i] >> 4];
        text += kDigits[digest[i] & 15];
    }
    return text;
}

std::string without_thoughts(std::string_view text) {
    return without_between(without_between(text, "<think>", "</think>"),
                           "<details type=\"reasoning\"", "</details>");
}

bool merge(SaidMessage& last, SaidMessage& next) {
    if (last.by != next.by) return false;
    if (!last.text.empty() && !next.text.empty()) last.text += "\n\n";
    last.text += next.text;
    std::move(next.attachments.begin(), next.attachments.end(),
              std::back_inserter(last.attachments));
    return true;
}

std::string key_after(const Conversation& of, SaidSpan said) { return chain(of, said); }

std::string key_unanswered(const Conversation& of, SaidSpan said) {
    return sha256_hex(chain(of, said) + "unanswered");
}

std::optional<std::string> key_at(const Conversation& of, std::size_t questions) {
    if (of.chat.empty()) return std::nullopt;
    return sha256_hex(chain(of, {}) + "at " + std::to_string(questions));
}

std::size_t questions_in(SaidSpan said) noexcept {
    return static_cast<std::size_t>(std::count_if(
        said.begin(), said.end(), [](const auto& one) { return one.by == SaidMessage::By::User; }));
}

std::vector<PastExchange> past_of(SaidSpan said, PastLimits limits) {
    std::vector<PastExchange> past;
    std::size_t bytes = 0;
    for (std::size_t i = said.size(); i-- > 1 && past.size() < limits.exchanges_max;) {
        if (said[i].by != SaidMessage::By::Assistant || said[i - 1].by != SaidMessage::By::User) {
            continue;
        }
        const auto most = std::min(kOneMessageBytesMax, limits.bytes_max);
        PastExchange one{cut_in_the_middle(said[i - 1].text, most),
                         cut_in_the_middle(without_thoughts(said[i].text), most)};
        bytes += one.question.size() + one.answer.size();
        if (bytes > limits.bytes_max) break;
        past.push_back(std::move(one));
    }
    std::reverse(past.begin(), past.end());
    return past;
}

}  // namespace atl::agent
