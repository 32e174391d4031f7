// Goal: no bytes crash the decoder or make it hold more than its limit, frames do not depend on how
// the bytes were cut, and they are built again as they came.
#include "api/connect/frames.hpp"

#include <cstdint>
#include <cstdlib>

namespace connect = atl::connect;

namespace {

constexpr std::size_t kPayloadBytesMax = 4096;

// All frames, one after the other, as they would be sent.
std::string decoded(std::string_view stream, std::size_t step) {
    connect::FrameDecoder decoder(kPayloadBytesMax);
    std::string again;
    for (std::size_t at = 0; at < stream.size(); at += step) {
        decoder.add(stream.substr(at, step));
        for (;;) {
            const auto frame = decoder.next();
            if (!frame) return again;
            if (!*frame) break;
            again += connect::frame_of((*frame)->payload,
                                       (*frame)->end_of_stream ? connect::kEndOfStream : 0);
        }
        if (decoder.held() > kPayloadBytesMax + connect::kHeaderBytes) std::abort();
    }
    return again;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view stream(reinterpret_cast<const char*>(data + 1), size - 1);
    const auto whole = decoded(stream, stream.size() + 1);
    if (decoded(stream, data[0] % 64u + 1) != whole) std::abort();
    if (stream.substr(0, whole.size()) != whole) std::abort();
    return 0;
}
