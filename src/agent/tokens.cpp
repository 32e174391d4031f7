#include "agent/tokens.hpp"

namespace atl::agent {

namespace {

constexpr std::uint64_t kMessageTokens = 4;  // role and separators
constexpr std::uint64_t kImageTokens = 1000;

}  // namespace

std::uint64_t estimate_tokens(std::string_view text) noexcept {
    std::uint64_t plain = 0, other = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) {
            ++plain;
        } else if ((byte & 0xc0) != 0x80) {
            ++other;
        }
    }
    return (plain + 3) / 4 + other;
}

std::uint64_t estimate_tokens(const core::ChatMessage& message) noexcept {
    std::uint64_t tokens = kMessageTokens + estimate_tokens(message.text);
    tokens += kImageTokens * message.images.size();
    for (const auto& call : message.tool_calls) {
        tokens += kMessageTokens + estimate_tokens(call.name) + estimate_tokens(call.arguments);
    }
    return tokens;
}

std::uint64_t estimate_tokens(const core::ChatRequest& request) noexcept {
    std::uint64_t tokens = 0;
    for (const auto& message : request.messages) tokens += estimate_tokens(message);
    for (const auto& tool : request.tools) {
        tokens += kMessageTokens + estimate_tokens(tool.name) + estimate_tokens(tool.description) +
                  estimate_tokens(tool.parameters);
    }
    return tokens;
}

}  // namespace atl::agent
