#include "net/large_body.hpp"

namespace atl::net {

namespace {

constexpr std::size_t kSliceBytes = 128 * 1024;

}  // namespace

bool Packer::add(const Produce& make, std::string& out) {
    if (coding_ == Coding::Identity) return make(out);
    if (!compressor_) compressor_.emplace(coding_);
    raw_.clear();
    const bool more = make(raw_);
    compressor_->add(raw_, out);
    return more;
}

void Packer::finish(std::string& out) {
    if (coding_ == Coding::Identity) return;
    if (!compressor_) compressor_.emplace(coding_);
    compressor_->finish(out);
}

LargeBody::LargeBody(std::string body, Produce rest, Coding coding)
    : body_(std::move(body)),
      left_(body_),
      rest_(std::move(rest)),
      slice_([this](std::string& out) { return slice(out); }),
      packer_(coding) {}

bool LargeBody::slice(std::string& out) {
    const auto piece = left_.substr(0, kSliceBytes);
    out += piece;
    left_.remove_prefix(piece.size());
    return !left_.empty();
}

bool LargeBody::next(std::string& out) {
    if (!left_.empty() && packer_.add(slice_, out)) return true;
    if (rest_ && packer_.add(rest_, out)) return true;
    packer_.finish(out);
    return false;
}

}  // namespace atl::net
