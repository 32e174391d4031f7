#pragma once
// atoll-archive, at work for `atoll cp` on folders of this machine: a program of its own, so that
// whatever a session sends is read by a process that can write nowhere but below the one folder.
//
// Owns      the child process and our ends of its pipes; a child that is not waited for is ended.
// Trusts    nothing that is read: the child refuses names and links that lead out of the folder,
//           and a Landlock wall (where the kernel has it) holds even if it were taken over.
#include "base/fd.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace atl::cli {

class Archiver {
public:
    // Its stdout, at from(), is a tar of what the folder holds. Remarks go to our stderr.
    [[nodiscard]] static Result<Archiver> pack(const std::string& folder);
    // Takes a tar at to(); says at from() what became of it, in one line of JSON.
    [[nodiscard]] static Result<Archiver> unpack(const std::string& into, std::uint64_t bytes_max);

    Archiver(Archiver&& other) noexcept;
    Archiver& operator=(Archiver&&) = delete;
    ~Archiver();

    [[nodiscard]] int to() const noexcept { return to_.get(); }
    [[nodiscard]] int from() const noexcept { return from_.get(); }
    void end_input() { to_.reset(); }
    // All that comes at from(), up to a bound.
    [[nodiscard]] std::string read_rest() const;
    // The exit status (guest/archive/README.md); 128 + signal if one ended it.
    [[nodiscard]] int wait();

private:
    Archiver() = default;
    [[nodiscard]] static Result<Archiver> start(const char* const* words, const char* writable);

    pid_t child_ = -1;
    UniqueFd to_, from_;
};

}  // namespace atl::cli
