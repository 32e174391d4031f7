#pragma once
// The contents of a file that is being packed: where its holes are, and its bytes. The file may
// change while it is read; what the header says is what is written.
#include "base/result.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace atl::archive {

class FileBody {
public:
    // Borrows the descriptor.
    FileBody(int fd, std::uint64_t size);

    // Tells the header of the holes; for formats that have them.
    void describe_holes(::archive_entry* entry) const;

    // Fails when the archive cannot be written. What went wrong with the file itself comes back as
    // a sentence, and zeros stand for what could not be read.
    Result<std::optional<std::string>> write_to(::archive* writer) const;

private:
    struct Extent {
        std::uint64_t begin, end;
    };

    int fd_;
    std::uint64_t size_;
    std::vector<Extent> data_;
};

}  // namespace atl::archive
