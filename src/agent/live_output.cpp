#include "agent/live_output.hpp"

#include <algorithm>
#include <utility>

namespace atl::agent {

namespace {

constexpr std::size_t kPiecesMax = 8;  // of one take(), each an event

}  // namespace

void LiveOutput::add(core::Stream stream, std::string_view bytes) {
    if (full_) return;
    auto text = (stream == core::Stream::Stdout ? out_ : err_).add(bytes);
    if (text.empty()) return;
    if (text.size() > left_) {
        text.resize(cut_utf8(text, left_).size());
        full_ = true;
    }
    left_ -= text.size();
    if (pieces_.empty() || pieces_.back().stream != stream) {
        const auto same = std::find_if(pieces_.rbegin(), pieces_.rend(),
                                       [&](const Piece& piece) { return piece.stream == stream; });
        if (pieces_.size() < kPiecesMax || same == pieces_.rend()) {
            pieces_.push_back({stream, {}, false});
        } else {
            // The order between the streams is lost from here on, the number of events is not.
            std::rotate(same.base() - 1, same.base(), pieces_.end());
        }
    }
    pieces_.back().text += text;
    if (full_) pieces_.back().last = true;
}

std::vector<LiveOutput::Piece> LiveOutput::take() { return std::exchange(pieces_, {}); }

}  // namespace atl::agent
