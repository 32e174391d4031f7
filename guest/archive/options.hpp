#pragma once
// What the command line asks for, and how the program ends. Both halves of it are for the guest,
// which starts this program as the sandbox's own user and gives it pipes for stdin and stdout; and
// for `atoll cp`, which does so on the other side.
#include <cstdint>
#include <string>
#include <vector>

namespace atl::archive {

// The exit status. The guest hands it on to the host, which makes an answer of it.
enum class Status : int {
    Ok = 0,
    Failed = 1,  // the archive or the disk gave out; what stands already is in the report
    Usage = 2,
    Incomplete = 3,  // all but the entries that were named
    Quota = 4,       // bytes, entries or the disk itself
};

enum class Format { Tar, TarGz, TarZst, Zip };

struct PackOptions {
    Format format = Format::Tar;
    std::vector<std::string> excludes;
    std::vector<std::string> sources;
};

struct UnpackOptions {
    std::string into = ".";
    // Closed by default: a caller that knows its session's disk says more, or less.
    std::uint64_t bytes_max = 4ull << 30;
    std::uint64_t entries_max = 1'000'000;
    std::uint32_t strip = 0;
    bool keep = false;  // an entry that is there already stays as it is
    // Outside of every sandbox, in a person's folder: nothing but a plain tar is read, symbolic
    // links lead nowhere else, and modes are cut by `mask`.
    bool onto_host = false;
    std::uint32_t mask = 0;
};

}  // namespace atl::archive
