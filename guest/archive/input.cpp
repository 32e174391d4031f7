#include "guest/archive/input.hpp"

#include "guest/archive/failure.hpp"
#include "guest/archive/temporary_name.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <string_view>

namespace atl::archive {

namespace {

constexpr std::size_t kPieceBytes = 128u << 10;
constexpr std::size_t kDrainBytesMax = 1u << 20;

volatile std::sig_atomic_t stopped = 0;

bool wants_whole_file(std::string_view head) {
    using namespace std::string_view_literals;
    return head.starts_with("PK\3\4"sv) || head.starts_with("PK\5\6"sv) ||
           head.starts_with("7z\xbc\xaf\x27\x1c"sv);
}

Error reader_error(::archive* reader) {
    const char* why = ::archive_error_string(reader);
    return {Code::Internal, why ? why : "not a supported archive format"};
}

}  // namespace

void stop_on_signals() {
    struct sigaction action {};
    action.sa_handler = [](int) { stopped = 1; };  // no SA_RESTART: a waiting read must end
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) ::sigaction(number, &action, nullptr);
}

Input::Input(int stdin_fd, int waiting_room)
    : fd_(stdin_fd), waiting_room_(waiting_room), buffer_(kPieceBytes) {}

Result<std::size_t> Input::read_piece() {
    for (;;) {
        if (stopped) return Error{Code::Internal, "stopped by a signal"};
        const ssize_t got = ::read(fd_, buffer_.data() + first_, buffer_.size() - first_);
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) return errno_error("read the archive");
    }
}

Result<Reader> Input::open(const Quota& quota, bool plain_tar) {
    constexpr std::size_t kMagicBytes = 6;
    while (first_ < kMagicBytes) {
        auto got = read_piece();
        if (!got) return got.error();
        if (*got == 0) break;
        first_ += *got;
    }

    Reader reader(::archive_read_new());
    if (!reader) throw std::bad_alloc();
    ::archive* r = reader.get();
    // Each reader by name. "All" would bring mtree, which opens files that its text names.
    if (!plain_tar && wants_whole_file({buffer_.data(), first_})) {
        if (auto done = spool(first_, quota.container_bytes_max()); !done) return done.error();
        ::archive_read_support_format_zip_seekable(r);
        ::archive_read_support_format_7zip(r);
        if (::archive_read_open_fd(r, spool_.get(), kPieceBytes) != ARCHIVE_OK) {
            return reader_error(r);
        }
        return reader;
    }
    ::archive_read_support_format_tar(r);
    if (!plain_tar) {
        ::archive_read_support_filter_gzip(r);
        ::archive_read_support_filter_bzip2(r);
        ::archive_read_support_filter_xz(r);
        ::archive_read_support_filter_zstd(r);
    }
    if (::archive_read_open(r, this, nullptr, &Input::feed, nullptr) != ARCHIVE_OK) {
        return reader_error(r);
    }
    return reader;
}

Result<void> Input::spool(std::size_t first, std::uint64_t bytes_max) {
    const std::string name = temporary_name();
    const int fd = ::openat(waiting_room_, name.c_str(),
                            O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return errno_error("make room for the archive");
    spool_ = UniqueFd(fd);
    ::unlinkat(waiting_room_, name.c_str(), 0);

    std::uint64_t total = 0;
    std::size_t have = first;
    first_ = 0;
    while (have > 0) {
        total += have;
        if (total > bytes_max) {
            return Error{Code::Exhausted, "the archive itself has more than " +
                                              std::to_string(bytes_max) + " bytes"};
        }
        for (std::size_t done = 0; done < have;) {
            const ssize_t put = ::write(fd, buffer_.data() + done, have - done);
            if (put < 0 && errno == EINTR) continue;
            if (put < 0) return errno_error("keep the archive until it is whole");
            done += static_cast<std::size_t>(put);
        }
        auto got = read_piece();
        if (!got) return got.error();
        have = *got;
    }
    if (::lseek(fd, 0, SEEK_SET) != 0) return errno_error("read the archive");
    return {};
}

la_ssize_t Input::feed(::archive* reader, void* self, const void** piece) {
    auto& input = *static_cast<Input*>(self);
    *piece = input.buffer_.data();
    if (const std::size_t first = std::exchange(input.first_, 0); first > 0) {
        return static_cast<la_ssize_t>(first);
    }
    auto got = input.read_piece();
    if (got) return static_cast<la_ssize_t>(*got);
    ::archive_set_error(reader, EIO, "%s", got.error().message.c_str());
    return -1;
}

void Input::drain() {
    if (!is_stream()) return;
    for (std::size_t seen = 0; seen < kDrainBytesMax;) {
        const auto got = read_piece();
        if (!got || *got == 0) return;
        seen += *got;
    }
}

}  // namespace atl::archive
