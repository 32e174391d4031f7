// Goal: no text crashes what reads a message of the envd services, whatever its fields are asked
// for; a number is within its bounds, and what is no message is an ErrorException.
#include "api/e2b/message.hpp"

#include "base/result.hpp"

#include <cstdint>
#include <cstdlib>

namespace e2b = atl::api::e2b;

namespace {

constexpr std::size_t kBytesMax = 1 << 20;
constexpr std::uint32_t kNumberMax = 4096;

template <class Read>
void ask(Read read) {
    try {
        read();
    } catch (const atl::ErrorException&) {
        // Refused, with the field's name.
    }
}

void read_all(const e2b::Message& message, int depth) {
    for (const auto* name : {"process", "signal", "userCmd", "a", ""}) {
        (void)message.has(name);
        ask([&] { (void)message.text(name); });
        ask([&] { (void)message.flag(name); });
        ask([&] {
            if (message.number(name, kNumberMax) > kNumberMax) std::abort();
        });
        ask([&] { (void)message.bytes(name); });
        ask([&] { (void)message.texts(name); });
        ask([&] { (void)message.text_map(name); });
        ask([&] {
            const auto inner = message.message(name);
            if (inner && depth > 0) read_all(*inner, depth - 1);
        });
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    ask([&] { read_all(e2b::message_from(text, kBytesMax), 3); });
    return 0;
}
