#include "net/decompress.hpp"

#include "base/must.hpp"

#include <new>
#include <string>
#include <zlib.h>

namespace atl::net {

struct Gunzip::Impl {
    z_stream stream{};
    std::string held;  // what zlib has not read yet
    bool begun = false;
    bool ended = false;
};

Gunzip::Gunzip() : impl_(std::make_unique<Impl>()) {
    constexpr int kGzipAlone = 15 + 16;
    if (inflateInit2(&impl_->stream, kGzipAlone) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() { inflateEnd(&impl_->stream); }

void Gunzip::add(std::string_view bytes) {
    must(impl_->stream.avail_in == 0, "what was added before was taken");
    impl_->held = bytes;
    impl_->begun = impl_->begun || !bytes.empty();
    impl_->stream.next_in = reinterpret_cast<Bytef*>(impl_->held.data());
    impl_->stream.avail_in = static_cast<uInt>(impl_->held.size());
}

Result<std::size_t> Gunzip::take(std::span<char> into) {
    auto& stream = impl_->stream;
    const Error bad{Code::InvalidArgument, "the body is no gzip, or it is damaged"};
    stream.next_out = reinterpret_cast<Bytef*>(into.data());
    stream.avail_out = static_cast<uInt>(into.size());
    while (stream.avail_in > 0 && stream.avail_out > 0) {
        // Files may be packed in several parts, one behind the other.
        if (impl_->ended && inflateReset(&stream) != Z_OK) return bad;
        impl_->ended = false;
        const int state = inflate(&stream, Z_NO_FLUSH);
        if (state == Z_STREAM_END) {
            impl_->ended = true;
        } else if (state != Z_OK && state != Z_BUF_ERROR) {
            return bad;
        } else if (state == Z_BUF_ERROR) {
            break;
        }
    }
    std::size_t taken = into.size() - stream.avail_out;
    if (taken == 0 && stream.avail_in == 0 && !impl_->ended && impl_->begun) {
        // It may hold bytes that had no room in the buffer before.
        const int state = inflate(&stream, Z_SYNC_FLUSH);
        if (state == Z_STREAM_END) impl_->ended = true;
        if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) return bad;
        taken = into.size() - stream.avail_out;
    }
    return taken;
}

Result<void> Gunzip::finish() const {
    if (impl_->ended && impl_->stream.avail_in == 0) return {};
    return Error{Code::InvalidArgument, "the body ends in the middle of its gzip"};
}

}  // namespace atl::net
