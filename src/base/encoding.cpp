#include "base/encoding.hpp"

#include <algorithm>
#include <cstdint>

namespace atl {

namespace {

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string percent_encoded(std::string_view text, std::string_view keep) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string encoded;
    encoded.reserve(text.size());
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~' ||
                           keep.find(c) != std::string_view::npos;
        if (plain) {
            encoded.push_back(c);
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        encoded.push_back('%');
        encoded.push_back(kHex[byte >> 4]);
        encoded.push_back(kHex[byte & 15]);
    }
    return encoded;
}

std::string base64_encoded(std::string_view bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t there = std::min<std::size_t>(3, bytes.size() - at);
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            bits = bits << 8 | (i < there ? static_cast<unsigned char>(bytes[at + i]) : 0u);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            out.push_back(i <= there ? kBase64Digits[bits >> (18 - 6 * i) & 63] : '=');
        }
    }
    return out;
}

std::string base64_decoded(std::string_view text) {
    constexpr std::size_t kPaddingMax = 2;
    std::string out;
    out.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    std::size_t digits = 0, padding = 0;
    for (const char c : text) {
        if (c == '\n' || c == '\r') continue;
        const auto value = c == '=' ? 0 : kBase64Digits.find(c);
        if (value == std::string_view::npos || (padding > 0 && c != '=')) return {};
        if (c == '=' && ++padding > kPaddingMax) return {};
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        if (++digits % 4 != 0) continue;
        for (const int shift : {16, 8, 0}) out.push_back(static_cast<char>(bits >> shift & 0xFF));
        bits = 0;
    }
    if (digits % 4 != 0) return {};
    out.resize(out.size() - std::min(padding, out.size()));
    return out;
}

std::string ascii_lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

}  // namespace atl
