#include "sessions/new_id.hpp"

#include <cstdlib>
#include <sys/random.h>

namespace atl::sessions {

std::string random_id(std::string_view prefix) {
    unsigned char bytes[20];
    if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes) std::abort();  // never on Linux ≥ 3.17
    static constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz234567";
    std::string text(prefix);
    unsigned held = 0, bits = 0;
    for (const unsigned char byte : bytes) {
        held = held << 8 | byte;
        for (bits += 8; bits >= 5; bits -= 5) text.push_back(kLetters[held >> (bits - 5) & 31]);
    }
    return text;
}

}  // namespace atl::sessions
