#include "models/offline/sentences.hpp"

#include "models/offline/data.hpp"

#include <algorithm>
#include <map>

namespace atl::offline {
namespace {

struct Pair {
    std::string english;
    std::string chinese;
};

const Pair& pair_of(std::string_view name) {
    static const auto all = [] {
        std::map<std::string, Pair, std::less<>> out;
        for (const DataRow& row : data_rows("sentences.txt")) {
            const std::size_t bar = row.phrases.find('|');
            out[row.key] = {row.phrases.substr(0, bar), row.phrases.substr(bar + 1)};
        }
        return out;
    }();
    static const Pair none;
    const auto found = all.find(name);
    return found == all.end() ? none : found->second;
}

}  // namespace

std::string sentence(std::string_view name, Language language, const Lookup& lookup) {
    const Pair& pair = pair_of(name);
    std::string_view left = language == Language::Chinese ? pair.chinese : pair.english;
    std::string out;
    while (!left.empty()) {
        const std::size_t begin = std::min(left.find('{'), left.size());
        out += left.substr(0, begin);
        const std::size_t end = left.find('}', begin);
        if (end == std::string_view::npos) break;
        out += lookup(left.substr(begin + 1, end - begin - 1));
        left.remove_prefix(end + 1);
    }
    return out;
}

std::string sentence(std::string_view name, Language language, const Values& values) {
    return sentence(name, language, [&](std::string_view wanted) -> std::string {
        for (const auto& [key, value] : values) {
            if (key == wanted) return value;
        }
        return "";
    });
}

std::string listed(const std::vector<std::string>& items, std::string_view quote) {
    std::string out;
    for (const std::string& item : items) {
        if (!out.empty()) out += ", ";
        out.append(quote).append(item).append(quote);
    }
    return out;
}

}  // namespace atl::offline
