#pragma once
// Random secrets, their digests and signatures: what keys and tokens are made of.
#include "base/result.hpp"
#include "core/records.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace atl::api {

// Bytes of the kernel's generator.
[[nodiscard]] std::string random_bytes(std::size_t count);
// a-z and 2-7: five bits a letter, nothing that a URL, a shell or a double click breaks.
[[nodiscard]] std::string letters_of(std::string_view bytes);
[[nodiscard]] std::optional<std::string> bytes_of_letters(std::string_view letters);

[[nodiscard]] core::Sha256 sha256(std::string_view text);
[[nodiscard]] core::Sha256 hmac_sha256(std::string_view secret, std::string_view text);

// The secret of this data folder, made on first use, for its owner's eyes alone. Refused when
// others can read it: then it is no secret, and whoever made it so has to look at it.
[[nodiscard]] Result<std::string> folder_secret(const std::string& path);

}  // namespace atl::api
