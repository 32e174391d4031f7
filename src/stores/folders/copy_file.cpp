#include "stores/folders/copy_file.hpp"

#include "stores/folders/hostile.hpp"
#include "stores/folders/names.hpp"

#include <algorithm>
#include <cerrno>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace atl::folders {

namespace {

constexpr std::size_t kPieceBytes = 2u << 20;  // about a millisecond
constexpr std::size_t kCopyBufferBytes = 256u << 10;

Error failed(int cause) { return failure("copy a file", cause); }

}  // namespace

CopyFile::CopyFile(UniqueFd from, UniqueFd to, const struct stat& info, CopyProgress& progress)
    : from_(std::move(from)), to_(std::move(to)), info_(info), progress_(progress) {}

Result<void> CopyFile::charge(std::uint64_t bytes) {
    if (bytes > progress_.left.bytes_max) {
        return Error{Code::Exhausted, "the files have more bytes than may be copied"};
    }
    progress_.left.bytes_max -= bytes;
    return {};
}

std::optional<Result<void>> CopyFile::step(const Slice& slice) {
    if (!tried_clone_) {
        tried_clone_ = true;
        auto cloned = clone();
        if (!cloned) return Result<void>(cloned.error());
        if (*cloned) return Result<void>();
    }
    while (!slice.over()) {
        auto more = find_data();
        if (!more) return Result<void>(more.error());
        if (!*more) {
            // The size, and the hole at its end.
            if (::ftruncate(to_.get(), info_.st_size) != 0) return Result<void>(failed(errno));
            return Result<void>();
        }
        auto copied = copy_piece();
        if (!copied) return copied;
    }
    return std::nullopt;
}

Result<bool> CopyFile::clone() {
    if (!progress_.can_clone || info_.st_size == 0) return false;
    auto paid = charge(bytes_on_disk(info_));
    if (!paid) return paid.error();
    if (::ioctl(to_.get(), FICLONE, from_.get()) == 0) return true;
    progress_.left.bytes_max += bytes_on_disk(info_);
    if (errno == ENOSPC || errno == EDQUOT) return failed(errno);
    progress_.can_clone = false;
    return false;
}

// False at the end of the file.
Result<bool> CopyFile::find_data() {
    if (at_ < data_end_) return true;
    if (at_ >= info_.st_size) return false;
    const off_t data = ::lseek(from_.get(), at_, SEEK_DATA);
    if (data < 0 && errno == ENXIO) return false;  // a hole up to the end
    if (data < 0) {
        data_end_ = info_.st_size;  // a file system that knows no holes
        return true;
    }
    if (data >= info_.st_size) return false;  // it grew
    const off_t hole = ::lseek(from_.get(), data, SEEK_HOLE);
    at_ = data;
    data_end_ = hole < 0 ? info_.st_size : std::min<off_t>(hole, info_.st_size);
    return at_ < data_end_;
}

Result<void> CopyFile::copy_piece() {
    const auto bytes =
        static_cast<std::size_t>(std::min<off_t>(data_end_ - at_, off_t{kPieceBytes}));
    auto paid = charge(bytes);
    if (!paid) return paid;
    std::size_t copied = 0;
    if (progress_.kernel_copies) {
        off_t in = at_, out = at_;
        const ssize_t n = ::copy_file_range(from_.get(), &in, to_.get(), &out, bytes, 0);
        if (n > 0) copied = static_cast<std::size_t>(n);
        if (n < 0 && errno == EINTR) return {};
        if (n < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO)) return failed(errno);
        // Whatever else it has against these files, reading and writing has its own opinion.
        if (n < 0) progress_.kernel_copies = false;
    }
    if (copied == 0) {
        auto by_hand = copy_by_hand(bytes);
        if (!by_hand) return by_hand.error();
        copied = *by_hand;
    }
    progress_.left.bytes_max += bytes - copied;
    if (copied == 0) {
        at_ = data_end_ = info_.st_size;  // it became shorter: the rest is a hole
    } else {
        at_ += static_cast<off_t>(copied);
    }
    return {};
}

Result<std::size_t> CopyFile::copy_by_hand(std::size_t bytes) {
    buffer_.resize(kCopyBufferBytes);
    ssize_t read = 0;
    do {
        read = ::pread(from_.get(), buffer_.data(), std::min(bytes, buffer_.size()), at_);
    } while (read < 0 && errno == EINTR);
    if (read < 0) return failed(errno);
    std::size_t written = 0;
    while (written < static_cast<std::size_t>(read)) {
        const ssize_t n =
            ::pwrite(to_.get(), buffer_.data() + written, static_cast<std::size_t>(read) - written,
                     at_ + static_cast<off_t>(written));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return failed(errno);
        written += static_cast<std::size_t>(n);
    }
    return written;
}

}  // namespace atl::folders
