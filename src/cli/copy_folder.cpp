// `atoll cp` of a folder: a tar on its way between the server and atoll-archive, in neither place a
// file of its own.
#include "base/encoding.hpp"
#include "base/text.hpp"
#include "base/write_all.hpp"
#include "cli/archiver.hpp"
#include "cli/copy_command.hpp"
#include "cli/failure.hpp"
#include "cli/progress.hpp"
#include "core/spec.hpp"
#include "net/target.hpp"

#include <boost/json/parse.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <unistd.h>

namespace atl::cli {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

constexpr int kIncomplete = 3;  // atoll-archive's statuses
constexpr int kQuota = 4;

// While it lives, a pipe whose other end is gone is an error of write(2).
class NoPipeSignal {
public:
    NoPipeSignal() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
    ~NoPipeSignal() { std::signal(SIGPIPE, before_); }
    NoPipeSignal(const NoPipeSignal&) = delete;
    NoPipeSignal& operator=(const NoPipeSignal&) = delete;

private:
    void (*before_)(int);
};

// The last part of a path, as a name for the copy.
Result<std::string> name_of(const fs::path& path) {
    fs::path plain = path;
    while (!plain.has_filename() && plain.has_relative_path()) plain = plain.parent_path();
    const std::string name = plain.filename().string();
    if (name.empty() || name == "." || name == "..") {
        return invalid("\"" + path.string() + "\" leaves the copy with no name; give a full path");
    }
    return name;
}

// Names what was left out; how many there were.
std::size_t name_skipped(const json::object& report) {
    const auto* skipped = report.if_contains("skipped");
    if (skipped == nullptr || !skipped->is_array()) return 0;
    for (const auto& one : skipped->get_array()) {
        if (!one.is_object()) continue;
        std::fprintf(stderr, "atoll: not copied: %s: %s\n",
                     printable(text_in(one.get_object(), "name")).c_str(),
                     printable(text_in(one.get_object(), "why")).c_str());
    }
    return skipped->get_array().size();
}

Error incomplete() {
    return {Code::Conflict, "the copy is not complete: the files named above are missing"};
}

std::uint64_t bytes_in(const std::string& folder) {
    std::uint64_t bytes = 0;
    std::error_code failed;
    const auto how = fs::directory_options::skip_permission_denied;
    for (auto at = fs::recursive_directory_iterator(folder, how, failed);
         !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
        std::error_code unseen;
        if (at->symlink_status(unseen).type() != fs::file_type::regular) continue;
        const auto size = at->file_size(unseen);
        if (!unseen) bytes += size;
    }
    return bytes;
}

// Where a copy out of a session goes: made, if it is not there.
Result<std::string> make_target(const CopyPath& from, std::string to) {
    std::error_code failed;
    while (to.size() > 1 && to.ends_with('/')) to.pop_back();
    if (fs::is_directory(to, failed)) {
        const auto name = name_of(from.path);
        if (!name) return name.error();
        to = (fs::path(to) / *name).string();
    }
    // The last part is not followed if it is a link: an earlier copy may have put it there.
    const auto there = fs::symlink_status(to, failed);
    if (there.type() == fs::file_type::directory) return to;
    if (fs::exists(there)) return Error{Code::Conflict, to + " is there and is no folder"};
    fs::create_directory(to, failed);
    if (failed) return Error{Code::Unavailable, "make the folder " + to + ": " + failed.message()};
    return to;
}

// The archive as it comes, into `target`. Says whether the whole of it came.
Result<void> receive(Server& server, const CopyPath& from, int target) {
    Progress progress(printable(from.path), 0);
    std::optional<Error> broken;
    net::ClientRequest request;
    request.path = file_path(from) + "?archive=tar";
    request.sink = [&](std::string_view piece) {
        const int failed = write_all(target, piece);
        if (failed != 0) broken = Error{Code::Unavailable, std::strerror(failed)};
        return failed == 0;
    };
    request.progress = [&](std::uint64_t come, std::uint64_t of) { progress.at(come, of); };
    const auto answer = server.send(request);
    if (broken) return *broken;
    if (!answer) return answer.error();
    return {};
}

}  // namespace

Result<std::string> upload_folder(Server& server, const std::string& from, CopyPath to) {
    const auto there = is_folder(server, to);
    if (!there) return there.error();
    if (*there) {
        std::error_code failed;
        const auto name = name_of(fs::canonical(from, failed));
        if (!name) return name.error();
        to.path = (fs::path(to.path) / *name).string();
    }
    auto packing = Archiver::pack(from);
    if (!packing) return packing.error();
    Progress progress(printable(from), bytes_in(from));
    std::uint64_t given = 0;
    bool complete = true;
    bool ended = false;
    net::ClientRequest request;
    request.method = "POST";
    request.path = session_path(to.session, "/unpack?into=" + percent_encoded(to.path));
    request.headers.set("Content-Type", "application/octet-stream");
    request.source = [&](char* buffer, std::size_t room) -> std::size_t {
        if (ended) return 0;
        ssize_t n = -1;
        do { n = ::read(packing->from(), buffer, room); } while (n < 0 && errno == EINTR);
        if (n > 0) {
            given += static_cast<std::uint64_t>(n);
            progress.at(given);
            return static_cast<std::size_t>(n);
        }
        // Only now is it known whether that was all: giving up leaves the server without an end.
        ended = true;
        const int status = packing->wait();
        if (status != 0 && status != kIncomplete) {
            throw ErrorException({Code::Unavailable, from + " could not be packed"});
        }
        complete = status == 0;
        return 0;
    };
    const NoPipeSignal no_signal;
    const auto answer = server.send(request);
    if (!answer) return answer.error();
    boost::system::error_code failed;
    const json::value report = json::parse(answer->body, failed);
    if (!failed && report.is_object() && name_skipped(report.get_object()) > 0) complete = false;
    if (!complete) return incomplete();
    return to.path;
}

Result<std::string> download_folder(Server& server, const CopyPath& from, std::string to,
                                    const CopyOptions& options) {
    if (to == "-") {
        if (::isatty(STDOUT_FILENO) == 1) {
            return invalid(from.path + " is a folder: its tar cannot be written to a terminal");
        }
        if (const auto sent = receive(server, from, STDOUT_FILENO); !sent) return sent.error();
        return to;
    }
    const auto target = make_target(from, std::move(to));
    if (!target) return target.error();
    auto unpacking = Archiver::unpack(*target, options.bytes_max);
    if (!unpacking) return unpacking.error();
    const NoPipeSignal no_signal;
    const auto received = receive(server, from, unpacking->to());
    unpacking->end_input();
    const std::string text = unpacking->read_rest();
    const int status = unpacking->wait();
    boost::system::error_code failed;
    const json::value report = json::parse(text, failed);
    if (failed || !report.is_object()) {
        if (!received) return received.error();
        return Error{Code::Internal, "atoll-archive failed (" + std::to_string(status) + ")"};
    }
    name_skipped(report.get_object());
    const std::string error = printable(text_in(report.get_object(), "error"));
    if (status == kQuota) {
        return Error{Code::TooLarge, "stopped: " + error + "; the limit for a folder is " +
                                         core::format_bytes(options.bytes_max) +
                                         " (--max-size). What arrived before is in " + *target};
    }
    if (status == kIncomplete && received) return incomplete();
    if (!received) return received.error();
    if (status != 0) return Error{Code::Unavailable, "unpack into " + *target + ": " + error};
    return *target;
}

}  // namespace atl::cli
