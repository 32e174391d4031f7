#include "agent/sandbox_files.hpp"

#include "schema/validation.hpp"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace atl::agent {

namespace asio = boost::asio;

asio::awaitable<FileBytes> read_bytes(guest_client::Files files, std::string path,
                                      std::uint64_t offset, std::uint64_t bytes_max) {
    FileBytes result;
    auto file = co_await files.open(path, offset, bytes_max);
    result.size = file.entry.size;
    if (file.descriptor) {
        // A plain file of a file system that keeps nobody waiting (guest_client/files.hpp).
        const auto rest = offset < result.size ? result.size - offset : 0;
        result.bytes.resize(static_cast<std::size_t>(std::min(rest, bytes_max)));
        std::size_t have = 0;
        while (have < result.bytes.size()) {
            const ssize_t n =
                ::pread(file.descriptor.get(), result.bytes.data() + have,
                        result.bytes.size() - have, static_cast<off_t>(offset + have));
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) break;
            have += static_cast<std::size_t>(n);
        }
        result.bytes.resize(have);
        co_return result;
    }
    for (bool more = true; more;) {
        const auto piece = co_await file.pieces->next();
        more = piece.has_value();
        if (more && result.bytes.size() < bytes_max) {
            result.bytes +=
                piece->bytes.substr(0, static_cast<std::size_t>(bytes_max - result.bytes.size()));
        }
    }
    co_await file.pieces->end();
    co_return result;
}

asio::awaitable<void> write_bytes(guest_client::Files files, std::string path, std::string bytes) {
    std::size_t at = 0;
    const guest_client::ByteSource source =
        [&bytes, &at](std::span<char> room) -> asio::awaitable<std::size_t> {
        const auto n = std::min(room.size(), bytes.size() - at);
        std::copy_n(bytes.data() + at, n, room.data());
        at += n;
        co_return n;
    };
    guest_client::WriteOptions options;
    options.parents = true;
    co_await files.write(path, options, source);
}

std::string absolute_path(const std::string& path) {
    std::string whole = path;
    if (whole.empty() || whole.front() != '/') whole = "/session/" + whole;
    std::string result;
    std::size_t from = 1;
    while (from <= whole.size()) {
        const auto end = std::min(whole.find('/', from), whole.size());
        const std::string part = whole.substr(from, end - from);
        from = end + 1;
        if (part == ".." || part.find('\0') != std::string::npos) {
            throw schema::ValidationError(
                {{"path", "must not contain .. or a zero byte: " + schema::quoted(path)}});
        }
        if (part.empty() || part == ".") continue;
        result += "/" + part;
    }
    return result.empty() ? "/" : result;
}

}  // namespace atl::agent
