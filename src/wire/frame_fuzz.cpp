// Fuzz target: the host's decoder and event assembler, fed with what a hostile guest might write.
#include "wire/assembler.hpp"
#include "wire/frame.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace atl::wire;
    FrameDecoder decoder;
    EventAssembler assembler(1 << 20);
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    // The first byte decides how the stream is cut, so that every split of a header is tried.
    const std::size_t step = size == 0 ? 1 : 1 + data[0] % 64;
    for (std::size_t at = 0; at < all.size(); at += step) {
        decoder.feed(all.substr(at, step));
        for (;;) {
            auto frame = decoder.next();
            if (!frame || !frame->has_value()) break;
            if ((**frame).kind == Kind::Credit) (void)parse_credit((**frame).payload);
            if ((**frame).kind == Kind::Event) (void)assembler.add(**frame);
        }
    }
    return 0;
}
