#include "main/reserve.hpp"

#include "base/fd.hpp"

#include <cstdint>
#include <exception>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace atl::main {

namespace {

// The database's log and index, and the folders and records of what is being removed.
constexpr std::uint64_t kBytes = 4 << 20;
constexpr std::uint64_t kEnough = 1 << 20;

std::string file_in(const std::string& data_folder) { return data_folder + "/.reserve"; }

std::uint64_t room_in(const std::string& folder) noexcept {
    struct statvfs disk {};
    if (::statvfs(folder.c_str(), &disk) != 0) return 0;
    return std::uint64_t{disk.f_bavail} * disk.f_frsize;
}

}  // namespace

void keep_reserve(const std::string& data_folder) noexcept {
    try {
        const std::string path = file_in(data_folder);
        const UniqueFd file(
            ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
        struct stat there {};
        if (!file || ::fstat(file.get(), &there) != 0) return;
        if (static_cast<std::uint64_t>(there.st_size) == kBytes) return;
        if (room_in(data_folder) < 2 * kBytes) {  // what was given up was needed
            ::unlink(path.c_str());
            return;
        }
        // A file with holes would reserve nothing.
        if (::posix_fallocate(file.get(), 0, static_cast<off_t>(kBytes)) != 0)
            ::unlink(path.c_str());
    } catch (const std::exception&) { return; }
}

bool give_up_reserve_if_full(const std::string& data_folder) noexcept {
    try {
        if (room_in(data_folder) >= kEnough) return false;
        return ::unlink(file_in(data_folder).c_str()) == 0;
    } catch (const std::exception&) { return false; }
}

}  // namespace atl::main
