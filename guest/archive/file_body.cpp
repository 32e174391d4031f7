#include "guest/archive/file_body.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace atl::archive {

namespace {

constexpr std::size_t kPieceBytes = 256u << 10;
// A file can be all holes, a block each; past this many pieces the rest is packed as it reads.
constexpr std::size_t kExtentsMax = 4096;

std::vector<char>& buffer() {
    static std::vector<char> bytes(kPieceBytes);
    return bytes;
}

Result<void> put(::archive* writer, const char* data, std::size_t size) {
    while (size > 0) {
        const la_ssize_t done = ::archive_write_data(writer, data, size);
        if (done <= 0) {
            const char* why = ::archive_error_string(writer);
            return Error{Code::Internal, why ? why : "the archive cannot be written"};
        }
        data += done;
        size -= static_cast<std::size_t>(done);
    }
    return {};
}

Result<void> put_zeros(::archive* writer, std::uint64_t count) {
    static const std::vector<char> zeros(1u << 20);
    while (count > 0) {
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(count, zeros.size()));
        if (auto done = put(writer, zeros.data(), size); !done) return done;
        count -= size;
    }
    return {};
}

}  // namespace

FileBody::FileBody(int fd, std::uint64_t size) : fd_(fd), size_(size) {
    std::uint64_t at = 0;
    while (at < size_) {
        const off_t begin = ::lseek(fd_, static_cast<off_t>(at), SEEK_DATA);
        if (begin < 0 && errno == ENXIO) return;  // nothing but a hole from here on
        const off_t end = begin < 0 ? begin : ::lseek(fd_, begin, SEEK_HOLE);
        if (begin < 0 || end <= begin || data_.size() + 1 == kExtentsMax) {
            data_.push_back({at, size_});
            return;
        }
        at = static_cast<std::uint64_t>(end);
        data_.push_back({static_cast<std::uint64_t>(begin), std::min(at, size_)});
        if (data_.back().begin >= size_) data_.pop_back();  // it grew since
    }
}

void FileBody::describe_holes(::archive_entry* entry) const {
    if (data_.empty() && size_ > 0) ::archive_entry_sparse_add_entry(entry, 0, 0);
    const bool whole = data_.size() == 1 && data_[0].begin == 0 && data_[0].end == size_;
    if (whole) return;
    for (const auto& extent : data_) {
        ::archive_entry_sparse_add_entry(entry, static_cast<la_int64_t>(extent.begin),
                                         static_cast<la_int64_t>(extent.end - extent.begin));
    }
}

Result<std::optional<std::string>> FileBody::write_to(::archive* writer) const {
    std::optional<std::string> trouble;
    std::uint64_t at = 0;
    for (const auto& extent : data_) {
        if (auto done = put_zeros(writer, extent.begin - at); !done) return done.error();
        at = extent.begin;
        while (at < extent.end && !trouble) {
            const auto want =
                static_cast<std::size_t>(std::min<std::uint64_t>(extent.end - at, kPieceBytes));
            const ssize_t got = ::pread(fd_, buffer().data(), want, static_cast<off_t>(at));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) trouble = std::strerror(errno);
            if (got == 0) trouble = "it became shorter while it was read";
            if (got <= 0) break;
            const auto size = static_cast<std::size_t>(got);
            if (auto done = put(writer, buffer().data(), size); !done) return done.error();
            at += size;
        }
        if (trouble) break;
    }
    if (auto done = put_zeros(writer, size_ - at); !done) return done.error();
    return trouble;
}

}  // namespace atl::archive
