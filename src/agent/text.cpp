#include "agent/text.hpp"

#include "base/text.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace atl::agent {

namespace {

// Not in the middle of a character.
std::string_view head_of(std::string_view text, std::size_t bytes) {
    if (bytes >= text.size()) return text;
    while (bytes > 0 && is_continuation(text[bytes])) --bytes;
    return text.substr(0, bytes);
}
std::string_view tail_of(std::string_view text, std::size_t bytes) {
    if (bytes >= text.size()) return text;
    std::size_t from = text.size() - bytes;
    while (from < text.size() && is_continuation(text[from])) ++from;
    return text.substr(from);
}

std::string note_of(std::size_t bytes) {
    return "\n[… " + std::to_string(bytes) + " bytes left out here …]\n";
}

}  // namespace

std::string cut_in_the_middle(std::string_view text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return std::string(text);
    const auto head = head_of(text, bytes_max / 2);
    const auto tail = tail_of(text, bytes_max / 2);
    std::string result(head);
    result += note_of(text.size() - head.size() - tail.size());
    result += tail;
    return result;
}

void MiddleCut::add(std::string_view piece) {
    if (head_.size() < half_) {
        const auto some = piece.substr(0, half_ - head_.size());
        head_ += some;
        piece.remove_prefix(some.size());
    }
    if (piece.empty()) return;
    if (piece.size() >= half_) {
        left_out_ += tail_.size() + piece.size() - half_;
        tail_ = piece.substr(piece.size() - half_);
        return;
    }
    tail_ += piece;
    // In larger steps than pieces come, or each of them would move all of it.
    if (tail_.size() > 2 * half_) {
        const auto over = tail_.size() - half_;
        tail_.erase(0, over);
        left_out_ += over;
    }
}

std::string MiddleCut::text() const {
    if (left_out_ == 0 && tail_.size() <= half_) return head_ + tail_;
    const auto head = head_of(head_, head_.size());
    const auto tail = tail_of(tail_, half_);
    std::string result(head);
    while (!result.empty() && is_continuation(result.back())) result.pop_back();
    if (!result.empty() && (static_cast<unsigned char>(result.back()) & 0xc0) == 0xc0) {
        result.pop_back();
    }
    result += note_of(left_out_ + tail_.size() - tail.size());
    result += tail;
    return result;
}

std::string useful_traceback(std::string_view text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return std::string(text);
    // Blocks are divided by empty lines: a head, a frame each, the error.
    std::vector<std::string_view> blocks;
    while (!text.empty()) {
        const auto end = text.find("\n\n");
        blocks.push_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 2);
    }
    std::string result;
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const bool of_cell = blocks[i].find("Cell In") != std::string_view::npos;
        if (!of_cell && i + 2 < blocks.size() && i > 0) {
            ++left_out;
            continue;
        }
        if (left_out > 0) {
            result += "\n[… " + std::to_string(left_out) + " frames of libraries …]\n";
            left_out = 0;
        }
        if (!result.empty()) result += "\n";
        result += blocks[i];
        result += "\n";
    }
    return cut_in_the_middle(result, bytes_max);
}

std::string first_line(std::string_view text, std::size_t characters_max) {
    std::string line;
    std::size_t characters = 0;
    bool space = false;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t bytes = 1;
        while (i + bytes < text.size() && is_continuation(text[i + bytes])) ++bytes;
        const auto one = text.substr(i, bytes);
        i += bytes;
        if (one == " " || !is_harmless(one)) {
            space = !line.empty();
            continue;
        }
        if (characters + (space ? 1 : 0) >= characters_max) return line + "…";
        if (std::exchange(space, false)) {
            line += ' ';
            ++characters;
        }
        line += one;
        ++characters;
    }
    return line;
}

std::string size_text(std::uint64_t bytes) {
    static constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB"};
    if (bytes < 1000) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 999.95 && unit + 1 < std::size(kUnits)) {
        value /= 1000;
        ++unit;
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %s", value, kUnits[unit]);
    return text;
}

std::string shell_quoted(std::string_view text) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'') {
            result += "'\\''";
        } else {
            result += c;
        }
    }
    return result + "'";
}

std::string_view image_type_of(std::string_view path) noexcept {
    struct Ending {
        std::string_view name, type;
    };
    static constexpr Ending kImages[] = {
        {".png", "image/png"},   {".jpg", "image/jpeg"}, {".jpeg", "image/jpeg"},
        {".webp", "image/webp"}, {".gif", "image/gif"},  {".svg", "image/svg+xml"},
    };
    for (const auto& image : kImages) {
        if (path.size() <= image.name.size()) continue;
        const auto end = path.substr(path.size() - image.name.size());
        const bool same = std::equal(end.begin(), end.end(), image.name.begin(),
                                     [](char a, char b) { return (a | 0x20) == (b | 0x20); });
        if (same) return image.type;
    }
    return {};
}

}  // namespace atl::agent
