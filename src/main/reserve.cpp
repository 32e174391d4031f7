#include "main/reserve.hpp"

#include "base/fd.hpp"

#include <exception>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::main {

namespace {

// The database's log and index, and the folders and records of what is being removed.
constexpr off_t kBytes = 4 << 20;

std::string file_in(const std::string& data_folder) { return data_folder + "/.reserve"; }

}  // namespace

void keep_reserve(const std::string& data_folder) noexcept {
    try {
        const std::string path = file_in(data_folder);
        const UniqueFd file(
            ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
        struct stat there {};
        if (!file || ::fstat(file.get(), &there) != 0 || there.st_size == kBytes) return;
        // A file with holes would reserve nothing.
        if (::posix_fallocate(file.get(), 0, kBytes) != 0) ::unlink(path.c_str());
    } catch (const std::exception&) { return; }
}

bool give_up_reserve(const std::string& data_folder) noexcept {
    try {
        return ::unlink(file_in(data_folder).c_str()) == 0;
    } catch (const std::exception&) { return false; }
}

}  // namespace atl::main
