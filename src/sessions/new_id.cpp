#include "sessions/new_id.hpp"

#include <cstdlib>
#include <openssl/evp.h>
#include <span>
#include <sys/random.h>

namespace atl::sessions {

namespace {

constexpr std::size_t kSealBytes = 10;
constexpr std::size_t kSealLetters = kSealBytes * 8 / 5;

std::string letters_of(std::span<const unsigned char> bytes) {
    static constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz234567";
    std::string text;
    unsigned held = 0, bits = 0;
    for (const unsigned char byte : bytes) {
        held = held << 8 | byte;
        for (bits += 8; bits >= 5; bits -= 5) text.push_back(kLetters[held >> (bits - 5) & 31]);
    }
    return text;
}

std::string seal_of(std::string_view random, std::string_view owner) {
    std::string both(random);
    both.push_back('\0');
    both += owner;
    unsigned char digest[EVP_MAX_MD_SIZE];
    if (::EVP_Digest(both.data(), both.size(), digest, nullptr, ::EVP_sha256(), nullptr) != 1) {
        std::abort();  // no memory left for 32 bytes
    }
    return letters_of({digest, kSealBytes});
}

}  // namespace

std::string random_id(std::string_view prefix) {
    unsigned char bytes[20];
    if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes) std::abort();  // never on Linux ≥ 3.17
    return std::string(prefix) + letters_of(bytes);
}

std::string owned_id(std::string_view prefix, std::string_view owner) {
    const std::string random = random_id(prefix);
    return random + "-" + seal_of(random, owner);
}

bool is_owned_by(std::string_view id, std::string_view owner) {
    if (id.size() <= kSealLetters + 1) return false;
    const auto random = id.substr(0, id.size() - kSealLetters - 1);
    return id.substr(random.size() + 1) == seal_of(random, owner);
}

}  // namespace atl::sessions
