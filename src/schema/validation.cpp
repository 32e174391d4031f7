#include "schema/validation.hpp"

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "schema/json.hpp"

namespace atl::schema {

namespace {

Error sentence(const std::vector<Issue>& found) {
    if (found.empty()) return {Code::InvalidArgument, "the request is not valid"};
    const auto& first = found.front();
    return {Code::InvalidArgument,
            first.path.empty() ? first.message : first.path + ": " + first.message};
}

}  // namespace

ValidationError::ValidationError(std::vector<Issue> found)
    : ErrorException(sentence(found)), issues(std::move(found)) {}

std::string quoted(std::string_view text, std::size_t bytes_max) {
    std::string_view kept = text.substr(0, bytes_max);
    if (kept.size() < text.size()) {
        // Not in the middle of a character.
        while (!kept.empty() && (static_cast<unsigned char>(text[kept.size()]) & 0xC0u) == 0x80u)
            kept.remove_suffix(1);
    }
    std::string out;
    append_json_string(out, kept);
    if (kept.size() < text.size()) out.insert(out.size() - 1, "…");
    return printable(out);  // whoever reads the sentence may do so on a terminal
}

std::string_view nearest(std::string_view wrong, const std::vector<std::string_view>& known) {
    return atl::nearest(wrong, known);
}

}  // namespace atl::schema
