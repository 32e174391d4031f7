#pragma once
// The signature in a URL for one file: "v1_" and base64 of a SHA-256 over path, operation, user,
// the sandbox's token and perhaps an end. The token is in the hash, so who could sign it has it.
#include "net/message.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's

namespace atl::api::e2b {

class FileSignature {
public:
    // Nothing when the request shows no signature. Throws net::Problem (401) for one that nobody
    // can have made.
    [[nodiscard]] static std::optional<FileSignature> in(const net::Request& request);
    FileSignature(FileSignature&&) noexcept;
    ~FileSignature();

    // Whether this token has signed it. Takes the same time wherever they first differ, and hashes
    // the token alone: what stands before it is hashed once.
    [[nodiscard]] bool is_of(std::string_view token) const;
    // Throws net::Problem (401) when its time is over.
    void check_time() const;

private:
    FileSignature() = default;
    std::array<std::uint8_t, 32> shown_{};
    std::optional<std::int64_t> until_;  // seconds since 1970
    std::string behind_;                 // what is hashed after the token
    evp_md_ctx_st* before_ = nullptr;    // what is hashed before it
};

}  // namespace atl::api::e2b
