// `atoll cp`: files and folders into a session or out of it. Folders: copy_folder.cpp.
//
// Several sources are copied one after the other; the first that fails ends it.
// A copy is whole or not there: the server writes atomically, and here the bytes go beside the
// target and take its name at the end.
#include "cli/copy_command.hpp"
#include "base/encoding.hpp"
#include "base/fd.hpp"
#include "base/text.hpp"
#include "base/write_all.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/progress.hpp"
#include "cli/session_list.hpp"
#include "core/spec.hpp"
#include "net/target.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace atl::cli {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

constexpr const char* kStandardStream = "-";
constexpr const char* kWorkingFolder = "/session/";

Error failed_to(const std::string& what) {
    return {Code::Unavailable, what + ": " + std::strerror(errno)};
}

// A name of its own for the one that "-" means here.
Result<UniqueFd> open_source(const std::string& from) {
    UniqueFd file(from == kStandardStream ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                          : ::open(from.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return failed_to(from);
    return file;
}

// Both answer with the name of the copy.
Result<std::string> upload(Server& server, const std::string& from, CopyPath to) {
    const auto opened = open_source(from);
    if (!opened) return opened.error();
    const UniqueFd& file = *opened;
    struct stat about {};
    if (::fstat(file.get(), &about) != 0) return failed_to(from);
    if (S_ISDIR(about.st_mode)) return upload_folder(server, from, std::move(to));
    if (!to.path.ends_with('/')) {
        const auto folder = is_folder(server, to);
        if (!folder) return folder.error();
        if (*folder) to.path += "/";
    }
    if (to.path.ends_with('/') && from == kStandardStream) {
        return invalid(to.path + " is a folder: copying from stdin needs the name of a file");
    }
    if (to.path.ends_with('/')) to.path += fs::path(from).filename().string();
    const bool sized = S_ISREG(about.st_mode);
    const auto size = static_cast<std::uint64_t>(about.st_size);
    Progress progress(printable(from), sized ? size : 0);
    std::uint64_t given = 0;
    net::ClientRequest request;
    request.method = "PUT";
    request.path = file_path(to);
    request.headers.set("Content-Type", "application/octet-stream");
    if (sized) request.source_bytes = size;
    request.source = [&](char* buffer, std::size_t room) -> std::size_t {
        ssize_t n = -1;
        do { n = ::read(file.get(), buffer, room); } while (n < 0 && errno == EINTR);
        if (n < 0) throw ErrorException(failed_to("read " + from));
        given += static_cast<std::uint64_t>(n);
        progress.at(given);
        return static_cast<std::size_t>(n);
    };
    const auto answer = server.send(request);
    if (!answer) return answer.error();
    return to.path;
}

// A file beside the target that is gone unless it got the target's name.
class Beside {
public:
    explicit Beside(std::string target) : target_(std::move(target)), name_(target_ + ".XXXXXX") {
        fd_ = UniqueFd(::mkostemp(name_.data(), O_CLOEXEC));
    }
    ~Beside() {
        if (fd_.get() >= 0 && !kept_) ::unlink(name_.c_str());
    }
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;

    [[nodiscard]] int fd() const noexcept { return fd_.get(); }
    [[nodiscard]] Result<void> keep() {
        const mode_t mask = ::umask(0);
        ::umask(mask);
        if (::fchmod(fd_.get(), 0666 & ~mask) != 0) return failed_to(target_);
        if (::rename(name_.c_str(), target_.c_str()) != 0) return failed_to(target_);
        kept_ = true;
        return {};
    }

private:
    std::string target_;
    std::string name_;
    UniqueFd fd_;
    bool kept_ = false;
};

Result<std::string> download(Server& server, const CopyPath& from, std::string to,
                             const CopyOptions& options) {
    const bool to_stdout = to == kStandardStream;
    std::error_code ignored;
    const auto folder = is_folder(server, from);
    if (!folder) return folder.error();
    if (*folder) return download_folder(server, from, std::move(to), options);
    if (!to_stdout && (to.ends_with('/') || fs::is_directory(to, ignored))) {
        to = (fs::path(to) / fs::path(from.path).filename()).string();
    }
    std::optional<Beside> file;
    if (!to_stdout) {
        file.emplace(to);
        if (file->fd() < 0) return failed_to(to);
    }
    const int target = to_stdout ? STDOUT_FILENO : file->fd();
    Progress progress(printable(from.path), 0);
    std::optional<Error> broken;
    net::ClientRequest request;
    request.path = file_path(from);
    request.headers.set("Accept", "application/octet-stream, */*");
    request.sink = [&](std::string_view piece) {
        errno = write_all(target, piece);
        if (errno != 0) broken = failed_to("write").during(to);
        return !broken;
    };
    request.progress = [&](std::uint64_t come, std::uint64_t of) { progress.at(come, of); };
    const auto answer = server.send(request);
    if (broken) return *broken;
    if (!answer) return answer.error();
    if (file) {
        if (const auto kept = file->keep(); !kept) return kept.error();
    }
    return to;
}

struct Words {
    std::vector<std::string> paths;  // sources, and the target as the last
    std::string size_max;
    bool whole = false;  // as it does anyway; people type -r
    bool as_json = false;
};

// If it is in a session: with the session's id.
Result<void> find_session(Server& server, CopyPath& path, const std::string& word) {
    if (path.session.empty()) return {};
    auto id = session_id(server, path.session);
    if (id) {
        path.session = std::move(*id);
        return {};
    }
    Error failed = id.error();
    std::error_code ignored;
    if (failed.code == Code::NotFound && fs::exists(word, ignored)) {
        failed.message += "; a file here is written ./" + word;
    }
    return failed;
}

struct Copies {
    std::vector<CopyPath> from;
    CopyPath to;
};

// What the words mean, as far as that can be told without a server.
Result<Copies> read_words(const Words& words) {
    if (words.paths.size() < 2) {
        return invalid("name what to copy, and where to: atoll cp data.csv SESSION:");
    }
    Copies copies;
    const std::string& target = words.paths.back();
    auto to = copy_path_of(target);
    if (!to) return to.error();
    copies.to = std::move(*to);
    for (std::size_t i = 0; i + 1 < words.paths.size(); ++i) {
        auto from = copy_path_of(words.paths[i]);
        if (!from) return from.error();
        copies.from.push_back(std::move(*from));
    }
    const bool out = copies.to.session.empty();  // out of sessions
    for (const auto& from : copies.from) {
        if (from.session.empty() != out) continue;
        std::string sentence =
            "the target must be in a session (ID:/path) and what is copied on this machine, or the "
            "other way round";
        const bool like_session = target.find_first_of("/.:") == std::string::npos;
        std::error_code ignored;
        if (out && like_session && !fs::exists(target, ignored)) {
            sentence += "; did you mean " + target + ":?";
        }
        return invalid(sentence);
    }
    const bool to_stdout = out && copies.to.path == kStandardStream;
    if (words.as_json && to_stdout) {
        return invalid("--json and a copy to stdout exclude each other");
    }
    if (copies.from.size() == 1) return copies;
    std::set<std::string> names;
    for (const auto& from : copies.from) {
        if (to_stdout || (from.session.empty() && from.path == kStandardStream)) {
            return invalid("\"-\" is for one copy at a time");
        }
        fs::path plain = fs::path(from.path).lexically_normal();
        if (!plain.has_filename()) plain = plain.parent_path();
        const std::string name = plain.filename().string();
        if (!names.insert(name).second) {
            return invalid("two of what is to be copied are named \"" + name + "\"");
        }
    }
    return copies;
}

// Several sources need a folder to go into.
Result<void> check_target(Server& server, const CopyPath& to) {
    std::error_code ignored;
    auto folder = to.session.empty() ? Result<bool>(fs::is_directory(to.path, ignored))
                                     : is_folder(server, to);
    if (!folder) return folder.error();
    if (*folder) return {};
    return invalid(to.path + " is not a folder that is there, and several files need one");
}

// A file that is not there is noticed before anything is copied.
Result<void> check_sources(const std::vector<CopyPath>& sources) {
    for (const auto& from : sources) {
        const bool here = from.session.empty() && from.path != kStandardStream;
        if (here && ::access(from.path.c_str(), R_OK) != 0) return failed_to(from.path);
    }
    return {};
}

int copy(const Words& words) {
    const For whom = reader_of(words.as_json);
    CopyOptions options;
    if (!words.size_max.empty()) {
        const auto bytes = core::parse_bytes(words.size_max);
        if (!bytes) return report(bytes.error().during("--max-size"), whom);
        options.bytes_max = *bytes;
    }
    auto copies = read_words(words);
    if (!copies) return report(copies.error(), whom);
    auto& [sources, to] = *copies;
    if (const auto there = check_sources(sources); !there) return report(there.error(), whom);
    auto server = Server::from_environment();
    const InterruptByKey stops;
    auto ready = find_session(server, to, words.paths.back());
    for (std::size_t i = 0; i < sources.size() && ready; ++i) {
        ready = find_session(server, sources[i], words.paths[i]);
    }
    if (ready && sources.size() > 1) ready = check_target(server, to);
    if (!ready) return report(ready.error(), whom, server.refusal());
    const auto shown = [](const std::string& session, const std::string& path) {
        json::object where{{"path", path}};
        if (!session.empty()) where["session"] = session;
        return where;
    };
    json::array copied;
    for (const auto& from : sources) {
        const auto done = from.session.empty() ? upload(server, from.path, to)
                                               : download(server, from, to.path, options);
        if (!done) return report(done.error(), whom, server.refusal());
        copied.push_back(
            {{"from", shown(from.session, from.path)}, {"to", shown(to.session, *done)}});
    }
    if (words.as_json) {
        const json::object whole{{"copied", std::move(copied)}};
        std::printf("%s\n", printable(json::serialize(whole)).c_str());
    }
    return 0;
}

}  // namespace

Result<CopyPath> copy_path_of(const std::string& word) {
    const auto colon = word.find(':');
    if (colon == std::string::npos || word.find('/') < colon) return CopyPath{"", word};
    CopyPath path{word.substr(0, colon), word.substr(colon + 1)};
    if (path.session.empty()) return invalid("\"" + word + "\" has no session before its colon");
    if (!path.path.starts_with('/')) path.path = kWorkingFolder + path.path;
    return path;
}

std::string file_path(const CopyPath& path) {
    return session_path(path.session, "/files/" + percent_encoded(path.path.substr(1), "/"));
}

Result<bool> is_folder(Server& server, const CopyPath& path) {
    net::ClientRequest request;
    request.method = "HEAD";
    request.path = file_path(path);
    const auto answer = server.send(request);
    if (answer) return answer->headers.get_or("X-Atoll-Type", {}) == "directory";
    // No server is said at once; all else by the request that was meant, which has the words.
    const Code code = answer.error().code;
    if (code == Code::Unavailable || code == Code::Timeout || code == Code::Conflict ||
        code == Code::Unauthenticated) {
        return answer.error();
    }
    return false;
}

void add_copy_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("cp", "Copy files and folders into a session or out of it");
    command->footer(
        "  atoll cp data.csv ID:                 a file, into the working folder (/session)\n"
        "  atoll cp ID:data.csv .                and back\n"
        "  atoll cp *.csv notes ID:              several files and folders\n"
        "  atoll cp ID:/session/out ./results    a folder and its contents\n"
        "  atoll cp ID:/session/out - | tar t    the same as a tar archive\n"
        "  date | atoll cp - ID:/session/now     stdin, as a file\n"
        "Links are copied, not followed; links that lead out of the copy are left out.");
    const auto words = std::make_shared<Words>();
    command->add_option("paths", words->paths,
                        "SOURCE... TARGET: files and folders here, and ID:path in a session; - is "
                        "stdin or stdout");
    command->add_option("--max-size", words->size_max,
                        "Largest folder to copy, like 64g (default 16g)");
    command->add_flag("-r,--recursive", words->whole, "Accepted for compatibility");
    command->add_flag("--json", words->as_json, "One JSON object; also errors");
    command->callback([words, &exit_code] { exit_code = copy(*words); });
}

}  // namespace atl::cli
