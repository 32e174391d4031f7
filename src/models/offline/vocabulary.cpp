#include "models/offline/vocabulary.hpp"

#include "models/offline/data.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace atl::offline {
namespace {

struct Row {
    Word word;
    std::vector<std::vector<Token>> phrases;
};

const std::vector<Row>& word_rows() {
    static const auto table = [] {
        static const std::map<std::string_view, Word> kNames = {
#define ATOLL_OFFLINE_WORD(name) {#name, Word::name},
            ATOLL_OFFLINE_WORDS(ATOLL_OFFLINE_WORD)
#undef ATOLL_OFFLINE_WORD
        };
        std::vector<Row> rows;
        for (const DataRow& row : data_rows("words.txt")) {
            rows.push_back({kNames.at(row.key), phrases_of(row.phrases)});
        }
        return rows;
    }();
    return table;
}

struct Meaning {
    std::vector<Token> phrase;
    std::vector<Word> words;
};

// By the first token, so that a question looks at few of them.
const std::multimap<std::string, Meaning>& meanings() {
    static const auto table = [] {
        std::map<std::string, Meaning> by_text;
        for (const Row& row : word_rows()) {
            for (const auto& phrase : row.phrases) {
                std::string key;
                for (const Token& token : phrase) key += token.text + " ";
                Meaning& meaning = by_text[key];
                meaning.phrase = phrase;
                meaning.words.push_back(row.word);
            }
        }
        std::multimap<std::string, Meaning> by_first;
        for (auto& [key, meaning] : by_text) {
            const std::string first = meaning.phrase.front().stem;
            by_first.emplace(first, std::move(meaning));
        }
        return by_first;
    }();
    return table;
}

bool is_same_text(const std::vector<Token>& tokens, std::size_t at, const Meaning& meaning) {
    return matches_at(tokens, at, meaning.phrase);
}

// 年级 is no year, though it begins like one
bool is_cut_off(const std::vector<Token>& tokens, std::size_t at, const Meaning& meaning) {
    const std::size_t end = at + meaning.phrase.size();
    return end < tokens.size() && tokens[end - 1].text == "年" && tokens[end].text == "级";
}

}  // namespace

std::vector<Tag> tags_of(const std::vector<Token>& tokens) {
    std::vector<Tag> tags;
    for (std::size_t at = 0; at < tokens.size();) {
        const Meaning* best = nullptr;
        const auto [begin, end] = meanings().equal_range(tokens[at].stem);
        for (auto i = begin; i != end; ++i) {
            if (!is_same_text(tokens, at, i->second)) continue;
            if (best == nullptr || i->second.phrase.size() > best->phrase.size()) {
                best = &i->second;
            }
        }
        const bool is_tie = tokens[at].text == "draws";  // matches that nobody won
        if (is_tie || (best != nullptr && is_cut_off(tokens, at, *best))) best = nullptr;
        const std::size_t length = best == nullptr ? 1 : best->phrase.size();
        if (best != nullptr) {
            for (const Word word : best->words) tags.push_back({word, at, at + length});
        }
        at += length;
    }
    return tags;
}

const std::vector<Concept>& concepts() {
    static const auto table = [] {
        std::vector<Concept> out;
        static const std::map<std::string_view, Nature> kNatures = {{"Additive", Nature::Additive},
                                                                    {"Level", Nature::Level},
                                                                    {"Name", Nature::Name},
                                                                    {"Time", Nature::Time}};
        for (const DataRow& row : data_rows("concepts.txt")) {
            const std::size_t space = row.key.rfind(' ');
            out.push_back({row.key.substr(0, space), kNatures.at(row.key.substr(space + 1)),
                           phrases_of(row.phrases)});
        }
        return out;
    }();
    return table;
}

bool is_weak(const Token& token) {
    static const std::set<std::string_view> kWeak = {
        "id",  "name", "code", "no",    "number", "nr", "key", "usd", "eur", "cny",
        "rmb", "the",  "of",   "编",    "号",     "名", "称",  "元",  "gbp", "in",
        "pct", "type", "col",  "total", "label",  "c",  "f",   "ms",  "kg"};
    return kWeak.contains(token.text);
}

bool is_concept_word(const Token& token) {
    static const auto words = [] {
        std::set<std::string> out;
        for (const Concept& about : concepts()) {
            for (const auto& phrase : about.phrases) {
                if (phrase.size() == 1 && phrase[0].is_word()) { out.insert(phrase[0].stem); }
            }
        }
        return out;
    }();
    return words.contains(token.stem);
}

bool is_name_phrase(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
    return std::ranges::any_of(concepts(), [&](const Concept& about) {
        return about.nature == Nature::Name &&
               std::ranges::any_of(about.phrases, [&](const auto& phrase) {
                   return phrase.size() == end - begin && matches_at(tokens, begin, phrase);
               });
    });
}

bool is_noise(const Token& token) {
    static const auto noise = [] {
        std::set<std::string> words;
        for (const Row& row : word_rows()) {
            if (row.word != Word::Noise) continue;
            for (const auto& phrase : row.phrases) {
                if (phrase.size() == 1) words.insert(phrase[0].text);
            }
        }
        return words;
    }();
    return noise.contains(token.text);
}

}  // namespace atl::offline
