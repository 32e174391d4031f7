#include "api/e2b/signature.hpp"

#include "base/encoding.hpp"
#include "core/records.hpp"
#include "net/problem.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <openssl/evp.h>
#include <utility>

namespace atl::api::e2b {

namespace {

constexpr std::string_view kVersion = "v1_";
// So that a search among many sandboxes hashes a bounded text.
constexpr std::size_t kSignedBytesMax = 8192;

[[noreturn]] void refuse_signature(const char* why) {
    throw net::Problem(Code::Unauthenticated, why);
}

void must_hash(int done) {
    if (done != 1) std::abort();  // no memory left for a digest
}

}  // namespace

std::optional<FileSignature> FileSignature::in(const net::Request& request) {
    const auto& target = request.target;
    const auto shown = target.parameter("signature");
    if (!shown) return std::nullopt;
    FileSignature signature;
    // base64 without its padding, which the decoder wants.
    std::string text(shown->starts_with(kVersion) ? shown->substr(kVersion.size()) : "");
    if (text.size() != 43) refuse_signature("invalid signature");
    const auto bytes = base64_decoded(text + "=");
    if (bytes.size() != signature.shown_.size()) refuse_signature("invalid signature");
    std::copy(bytes.begin(), bytes.end(), signature.shown_.begin());

    if (const auto until = target.parameter("signature_expiration")) {
        std::int64_t seconds = 0;
        const auto read = std::from_chars(until->data(), until->data() + until->size(), seconds);
        if (read.ec != std::errc() || read.ptr != until->data() + until->size()) {
            refuse_signature("invalid signature expiration format");
        }
        signature.until_ = seconds;
        signature.behind_ = ":" + std::string(*until);
    }
    const bool reads = request.method == "GET" || request.method == "HEAD";
    std::string before(target.parameter("path").value_or(""));
    before += reads ? ":read:" : ":write:";
    before += target.parameter("username").value_or("");
    before += ':';
    if (before.size() > kSignedBytesMax) refuse_signature("invalid signature");
    signature.before_ = ::EVP_MD_CTX_new();
    if (signature.before_ == nullptr) std::abort();
    must_hash(::EVP_DigestInit_ex(signature.before_, ::EVP_sha256(), nullptr));
    must_hash(::EVP_DigestUpdate(signature.before_, before.data(), before.size()));
    return signature;
}

FileSignature::FileSignature(FileSignature&& other) noexcept
    : shown_(other.shown_),
      until_(other.until_),
      behind_(std::move(other.behind_)),
      before_(std::exchange(other.before_, nullptr)) {}

FileSignature::~FileSignature() { ::EVP_MD_CTX_free(before_); }

bool FileSignature::is_of(std::string_view token) const {
    EVP_MD_CTX* context = ::EVP_MD_CTX_new();
    if (context == nullptr) std::abort();
    core::Sha256 digest{};
    must_hash(::EVP_MD_CTX_copy_ex(context, before_));
    must_hash(::EVP_DigestUpdate(context, token.data(), token.size()));
    must_hash(::EVP_DigestUpdate(context, behind_.data(), behind_.size()));
    must_hash(::EVP_DigestFinal_ex(context, digest.data(), nullptr));
    ::EVP_MD_CTX_free(context);
    return core::same_digest(digest, shown_);
}

void FileSignature::check_time() const {
    if (!until_) return;
    const auto now = std::chrono::floor<std::chrono::seconds>(core::time_now());
    if (*until_ < now.time_since_epoch().count()) refuse_signature("signature is already expired");
}

}  // namespace atl::api::e2b
