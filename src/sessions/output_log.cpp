#include "sessions/output_log.hpp"

#include <algorithm>

namespace atl::sessions {

namespace {
constexpr std::size_t kPieceBytes = 16 * 1024;
}

void OutputLog::add(core::Stream stream, std::string_view bytes) {
    if (bytes.size() > bytes_max_) {  // the front of it would go at once
        const std::size_t gone = bytes.size() - bytes_max_;
        end_ += gone;
        kept_.clear();
        begin_ = end_;
        bytes.remove_prefix(gone);
    }
    while (!bytes.empty()) {
        if (kept_.empty() || kept_.back().stream != stream ||
            kept_.back().bytes.size() >= kPieceBytes)
            kept_.push_back({stream, end_, {}});
        auto& last = kept_.back().bytes;
        const auto piece = bytes.substr(0, kPieceBytes - last.size());
        last.append(piece);
        end_ += piece.size();
        bytes.remove_prefix(piece.size());
    }
    trim();
}

void OutputLog::limit(std::size_t bytes_max) {
    bytes_max_ = bytes_max;
    trim();
}

void OutputLog::trim() {
    while (end_ - begin_ > bytes_max_) {
        begin_ += kept_.front().bytes.size();
        kept_.pop_front();
    }
}

std::optional<OutputLog::Piece> OutputLog::at(std::uint64_t offset) const {
    if (offset < begin_ || offset >= end_) return std::nullopt;
    const auto after = std::upper_bound(
        kept_.begin(), kept_.end(), offset,
        [](std::uint64_t value, const Kept& piece) { return value < piece.begin; });
    const auto& found = *std::prev(after);
    const auto skip = static_cast<std::size_t>(offset - found.begin);
    return Piece{found.stream, std::string_view(found.bytes).substr(skip)};
}

}  // namespace atl::sessions
