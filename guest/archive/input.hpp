#pragma once
// The archive as it comes in on stdin. A tar is read as it flows. A zip or 7z keeps its table of
// contents at the end, so it waits in an unlinked file until it is whole; read from the front, a
// zip shows neither modes nor links, and may show entries that no other program sees.
#include "base/fd.hpp"
#include "base/result.hpp"
#include "guest/archive/quota.hpp"

#include <archive.h>
#include <memory>
#include <vector>

namespace atl::archive {

struct CloseReader {
    void operator()(::archive* reader) const { ::archive_read_free(reader); }
};
using Reader = std::unique_ptr<::archive, CloseReader>;

class Input {
public:
    // `waiting_room` is a directory for the unlinked file: the one that is unpacked into, since its
    // disk has to have room anyway. Both are borrowed.
    Input(int stdin_fd, int waiting_room);
    Result<Reader> open(const Quota& quota, bool plain_tar);
    [[nodiscard]] bool is_stream() const { return !spool_; }

    // Reads what a writer still has to send after the archive's end (tar's padding), so that it
    // does not die of a broken pipe after an archive that was fine.
    void drain();

private:
    Result<std::size_t> read_piece();
    Result<void> spool(std::size_t first, std::uint64_t bytes_max);
    static la_ssize_t feed(::archive* reader, void* self, const void** piece);

    int fd_;
    int waiting_room_;
    UniqueFd spool_;
    std::vector<char> buffer_;
    std::size_t first_ = 0;  // bytes that were read to see what this is, and not yet fed
};

// SIGTERM and its like set this: reading then fails, and the file under way is cleaned up on the
// usual path.
void stop_on_signals();

}  // namespace atl::archive
