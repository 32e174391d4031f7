#include "models/offline/remember.hpp"
#include "models/offline/data.hpp"

#include "models/offline/answer.hpp"
#include "models/offline/sentences.hpp"
#include "models/offline/text.hpp"

#include <algorithm>
#include <array>

namespace atl::offline {
namespace {

constexpr std::size_t kShownMax = 3;
constexpr std::size_t kShownBytes = 400;

std::string folded(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return out;
}

// What the question is about: neither signs nor words that every question has.
std::vector<std::string> subjects_of(std::string_view text) {
    static const auto& kAsking = word_list("asking words");
    std::vector<std::string> subjects;
    for (const Token& token : tokens_of(text)) {
        if (token.is_sign()) continue;
        const bool asks = kAsking.contains(token.text);
        if (!asks) subjects.push_back(token.stem.empty() ? token.text : token.stem);
    }
    return subjects;
}

}  // namespace

bool is_to_be_remembered(std::string_view text) {
    std::string said = folded(text);
    const auto begin = said.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos) return false;
    said.erase(0, begin);
    if (said.starts_with("please ")) said.erase(0, 7);
    if (said.find('?') != std::string::npos || said.find("？") != std::string::npos) return false;
    static const auto& kBegins = word_list("is to be remembered begins");
    return std::ranges::any_of(kBegins,
                               [&](std::string_view word) { return said.starts_with(word); });
}

std::vector<core::Quote> remembered_for(std::string_view question,
                                        const std::vector<core::Quote>& said) {
    std::vector<core::Quote> found;
    const auto subjects = subjects_of(question);
    if (subjects.empty()) return found;
    for (const core::Quote& quote : said) {
        if (quote.who != "user" || !is_to_be_remembered(quote.text)) continue;
        const auto there = subjects_of(quote.text);
        const bool all = std::ranges::all_of(subjects, [&](const auto& subject) {
            return std::ranges::find(there, subject) != there.end();
        });
        if (all) found.push_back(quote);
    }
    // Those without a number are sent still, so they are the latest.
    std::ranges::stable_sort(found, [](const auto& a, const auto& b) {
        return a.turn - 1 < b.turn - 1;  // 0 wraps round to the largest
    });
    if (found.size() > kShownMax) {
        found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(kShownMax));
    }
    return found;
}

std::string quotation(Language language, const std::vector<core::Quote>& quotes) {
    std::string out;
    for (const core::Quote& quote : quotes) {
        std::string text = quote.text;
        std::replace(text.begin(), text.end(), '\n', ' ');
        if (text.size() > kShownBytes) {
            std::size_t end = kShownBytes;
            while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
            text.resize(end);
            text += "…";
        }
        if (!out.empty()) out += "\n\n";
        out += sentence(quote.turn == 0 ? "said earlier" : "said in turn", language,
                        {{"turn", std::to_string(quote.turn)}});
        out += "\n> " + escaped(text);
    }
    return out;
}

}  // namespace atl::offline
