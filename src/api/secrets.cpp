#include "api/secrets.hpp"

#include "base/fd.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::api {

namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::size_t kSecretBytes = 32;

Error about(const std::string& what, const std::string& path, int cause) {
    return {Code::Unavailable, what + " " + path + ": " + std::strerror(cause)};
}

Result<std::string> read_secret(int fd, const std::string& path) {
    struct stat there {};
    if (::fstat(fd, &there) != 0) return about("look at", path, errno);
    if (!S_ISREG(there.st_mode) || (there.st_mode & 077) != 0) {
        return Error{Code::Unavailable,
                     path +
                         " is readable by other users: chmod 600 it, or remove it, "
                         "which ends all tokens issued so far"};
    }
    std::string secret(kSecretBytes + 1, '\0');
    const auto got = ::read(fd, secret.data(), secret.size());
    if (got != static_cast<ssize_t>(kSecretBytes)) {
        return Error{Code::Unavailable, path + " does not contain a 32-byte secret; remove it"};
    }
    secret.resize(kSecretBytes);
    return secret;
}

}  // namespace

std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    if (::getrandom(bytes.data(), count, 0) != static_cast<ssize_t>(count)) std::abort();
    return bytes;
}

std::string letters_of(std::string_view bytes) {
    std::string text;
    unsigned held = 0, bits = 0;
    for (const char byte : bytes) {
        held = (held << 8 | static_cast<unsigned char>(byte)) & 0xffff;
        for (bits += 8; bits >= 5; bits -= 5) text.push_back(kLetters[held >> (bits - 5) & 31]);
    }
    if (bits > 0) text.push_back(kLetters[held << (5 - bits) & 31]);
    return text;
}

std::optional<std::string> bytes_of_letters(std::string_view letters) {
    std::string bytes;
    unsigned held = 0, bits = 0;
    for (const char letter : letters) {
        const auto value = kLetters.find(letter);
        if (value == std::string_view::npos) return std::nullopt;
        held = (held << 5 | static_cast<unsigned>(value)) & 0xffff;
        bits += 5;
        if (bits >= 8) {
            bits -= 8;
            bytes.push_back(static_cast<char>(held >> bits & 0xff));
        }
    }
    // One text for one secret: what is left over must be nothing.
    if (bits >= 5 || (held & ((1u << bits) - 1)) != 0) return std::nullopt;
    return bytes;
}

core::Sha256 sha256(std::string_view text) {
    core::Sha256 digest{};
    ::SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
    return digest;
}

core::Sha256 hmac_sha256(std::string_view secret, std::string_view text) {
    core::Sha256 digest{};
    unsigned length = 0;
    const auto* made = ::HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
                              reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                              digest.data(), &length);
    if (made == nullptr || length != digest.size()) std::abort();
    return digest;
}

Result<std::string> folder_secret(const std::string& path) {
    const UniqueFd made(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (made) {
        const std::string secret = random_bytes(kSecretBytes);
        if (::write(made.get(), secret.data(), secret.size()) !=
                static_cast<ssize_t>(secret.size()) ||
            ::fsync(made.get()) != 0) {
            const int cause = errno;
            ::unlink(path.c_str());
            return about("write", path, cause);
        }
        return secret;
    }
    if (errno != EEXIST) return about("make", path, errno);
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file) return about("open", path, errno);
    return read_secret(file.get(), path);
}

}  // namespace atl::api
