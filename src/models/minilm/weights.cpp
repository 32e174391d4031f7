#include "models/minilm/weights.hpp"

#include "base/fd.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <utility>

namespace atl::minilm {

namespace json = boost::json;

namespace {

constexpr std::size_t kHeaderMax = 1u << 20;
constexpr std::size_t kFileMax = 4ull << 30;

Error bad(const std::string& path, const std::string& why) {
    return {Code::InvalidArgument, path + " is not a usable model: " + why};
}

}  // namespace

Weights::Weights(Weights&& other) noexcept
    : bytes_(std::exchange(other.bytes_, nullptr)),
      size_(other.size_),
      extents_(std::move(other.extents_)) {}

Weights::~Weights() {
    if (bytes_ != nullptr) ::munmap(const_cast<unsigned char*>(bytes_), size_);
}

Result<Weights> Weights::open(const std::string& path) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) {
        return Error{Code::NotFound, path + " cannot be opened: " + std::strerror(errno)};
    }
    struct stat about {};
    if (::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) {
        return bad(path, "it is no file");
    }
    const auto size = static_cast<std::size_t>(about.st_size);
    if (size < 8 || size > kFileMax) return bad(path, "its size is odd");
    void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (mapped == MAP_FAILED) return bad(path, std::strerror(errno));
    Weights weights(static_cast<const unsigned char*>(mapped), size);
    if (auto read = weights.read_header(); !read) return bad(path, read.error().message);
    return weights;
}

Result<void> Weights::read_header() {
    const auto wrong = [](const char* what) { return Error{Code::InvalidArgument, what}; };
    std::uint64_t length = 0;
    std::memcpy(&length, bytes_, sizeof length);
    if (length > kHeaderMax || length + 8 > size_) return wrong("its header is too long");
    const auto start = static_cast<std::size_t>(length) + 8;
    json::error_code failed;
    const auto header = json::parse(
        json::string_view(reinterpret_cast<const char*>(bytes_) + 8, start - 8), failed);
    if (failed || !header.is_object()) return wrong("its header is not JSON");
    for (const auto& [name, value] : header.get_object()) {
        const auto* about = value.if_object();
        if (about == nullptr) continue;
        const auto* type = about->if_contains("dtype");
        const auto* shape = about->if_contains("shape");
        const auto* offsets = about->if_contains("data_offsets");
        if (type == nullptr || !type->is_string() || type->get_string() != "F32") continue;
        if (shape == nullptr || !shape->is_array() || offsets == nullptr || !offsets->is_array() ||
            offsets->get_array().size() != 2) {
            return wrong("a tensor has no offsets");
        }
        Extent found;
        std::size_t numbers = 1;
        for (const auto& side : shape->get_array()) {
            json::error_code odd;
            const auto length_of_side = side.to_number<std::size_t>(odd);
            if (odd || length_of_side == 0 || length_of_side > kFileMax / numbers) {
                return wrong("a tensor has an invalid shape");
            }
            found.shape.push_back(length_of_side);
            numbers *= length_of_side;
        }
        json::error_code odd;
        const auto begin = offsets->get_array()[0].to_number<std::size_t>(odd);
        const auto end = odd ? 0 : offsets->get_array()[1].to_number<std::size_t>(odd);
        const bool inside = !odd && begin <= end && end <= size_ - start;
        if (!inside || end - begin != numbers * sizeof(float) ||
            (start + begin) % alignof(float) != 0) {
            return wrong("a tensor is outside the file");
        }
        found.begin = start + begin;
        found.end = start + end;
        extents_.emplace(std::string(name), std::move(found));
    }
    return {};
}

Result<std::span<const float>> Weights::tensor(const std::string& name,
                                               const std::vector<std::size_t>& shape) const {
    const auto found = extents_.find(name);
    if (found == extents_.end()) return Error{Code::InvalidArgument, "it has no " + name};
    const auto& extent = found->second;
    if (extent.shape != shape)
        return Error{Code::InvalidArgument, "its " + name + " has the wrong size"};
    return std::span(reinterpret_cast<const float*>(bytes_ + extent.begin),
                     (extent.end - extent.begin) / sizeof(float));
}

}  // namespace atl::minilm
