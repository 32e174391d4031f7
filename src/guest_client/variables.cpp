#include "guest_client/variables.hpp"

#include "base/fields.hpp"
#include "base/write_all.hpp"
#include "guest_client/call_deadline.hpp"
#include "guest_client/contexts.hpp"
#include "guest_client/program_list.hpp"
#include "guest_client/transfer.hpp"
#include "wire/assembler.hpp"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::guest_client {

namespace asio = boost::asio;
namespace json = boost::json;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t kVariablePieceBytes = 128 * 1024;
constexpr std::size_t kLostMax = 1000;
constexpr std::size_t kNoteBytesMax = 1 << 20;
constexpr const char* kNote = "lost.json";
constexpr std::string_view kPrefix = "context-";               // a file of a Python context
constexpr std::string_view kJavaScriptPrefix = "javascript-";  // and of a JavaScript context
// Behind the name of a JavaScript context, to tell it from a Python context of the same name that
// was saved before. No context has it in its name.
constexpr std::string_view kJavaScriptMark = "~javascript";
constexpr std::size_t kContextBytesMax = 100;
constexpr std::chrono::seconds kTimeForOne{45};  // context; then its kernel is ended
constexpr std::chrono::seconds kTimeForAll{75};  // then the sandbox
constexpr std::chrono::seconds kTimeToList{10};

// A context with its language, as one text: what is saved of it goes by this.
std::string saved_as(std::string context, std::string_view language) {
    if (language == kJavaScript) context += kJavaScriptMark;
    return context;
}

bool is_javascript(std::string_view saved) {
    return saved.size() > kJavaScriptMark.size() &&
           saved.substr(saved.size() - kJavaScriptMark.size()) == kJavaScriptMark;
}

std::string context_of(const std::string& saved) {
    return is_javascript(saved) ? saved.substr(0, saved.size() - kJavaScriptMark.size()) : saved;
}

std::string_view language_of(std::string_view saved) {
    return is_javascript(saved) ? kJavaScript : kPython;
}

std::string file_of(const std::string& saved) {
    return std::string(is_javascript(saved) ? kJavaScriptPrefix : kPrefix) + context_of(saved);
}

std::optional<std::string> saved_in(const std::string& file) {
    for (const auto& [prefix, language] :
         {std::pair(kPrefix, kPython), std::pair(kJavaScriptPrefix, kJavaScript)}) {
        if (file.rfind(prefix, 0) == 0) return saved_as(file.substr(prefix.size()), language);
    }
    return std::nullopt;
}

void save(int fd, std::string_view bytes) {
    const int cause = write_all(fd, bytes);
    if (cause == 0) return;
    const auto code = cause == ENOSPC || cause == EDQUOT ? Code::DiskFull : Code::Internal;
    throw ErrorException({code, std::string("save variables: ") + std::strerror(cause)});
}

void add(std::vector<Lost>& lost, Lost one) {
    if (lost.size() >= kLostMax) return;
    if (std::find(lost.begin(), lost.end(), one) == lost.end()) lost.push_back(std::move(one));
}

void add_failed(std::vector<Lost>& lost, const std::string& context, const json::object& kernel) {
    const auto* failed = kernel.if_contains("failed");
    if (failed == nullptr || !failed->is_array()) return;
    for (const auto& one : failed->get_array()) {
        if (!one.is_object()) continue;
        const auto& about = one.get_object();
        add(lost, {context, fields::text_of(about, "name"), fields::text_of(about, "type"),
                   fields::text_of(about, "reason")});
    }
}

json::object kernel_part(const json::object& end) {
    const auto* kernel = end.if_contains("kernel");
    return kernel != nullptr && kernel->is_object() ? kernel->get_object() : json::object{};
}

Error unreadable(const std::string& cause) {
    return {Code::Unavailable, "the session's saved variables cannot be read now: " + cause +
                                   "; they are kept, try again"};
}

// What stands beside the state files: what was lost, and which contexts were saved.
struct Note {
    std::vector<Lost> lost;
    std::set<std::string> contexts;
};

Note read_note(core::Folders& folders, const SessionId& id) {
    Note note;
    auto file = folders.open_state(id, kNote);
    if (!file && file.error().code == Code::NotFound) return note;
    if (!file) throw ErrorException(unreadable(file.error().message));
    std::string text(kNoteBytesMax, '\0');
    const ssize_t n = ::pread(file->get(), text.data(), text.size(), 0);
    if (n < 0) throw ErrorException(unreadable(std::strerror(errno)));
    const auto parsed = fields::parse_object(text.substr(0, static_cast<std::size_t>(n)));
    if (!parsed) {
        note.lost.push_back({"", "", "", "the record of lost variables cannot be read"});
        return note;
    }
    if (const auto* list = parsed->if_contains("lost"); list != nullptr && list->is_array()) {
        for (const auto& one : list->get_array()) {
            if (!one.is_object()) continue;
            const auto& about = one.get_object();
            note.lost.push_back({fields::text_of(about, "context"), fields::text_of(about, "name"),
                                 fields::text_of(about, "type"), fields::text_of(about, "reason")});
        }
    }
    if (const auto* list = parsed->if_contains("contexts"); list != nullptr && list->is_array()) {
        for (const auto& one : list->get_array()) {
            if (one.is_string()) note.contexts.insert(std::string(one.get_string()));
        }
    }
    return note;
}

std::vector<std::string> contexts_on_disk(core::Folders& folders, const SessionId& id) {
    std::vector<std::string> contexts;
    const auto names = folders.list_state(id);
    if (!names) throw ErrorException(unreadable(names.error().message));
    for (const auto& name : *names) {
        if (auto saved = saved_in(name)) contexts.push_back(std::move(*saved));
    }
    return contexts;
}

std::string minute_text(core::Time time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm parts{};
    char text[32] = "";
    if (::gmtime_r(&seconds, &parts) == nullptr) return text;
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
    return text;
}

// What still runs, and ends with the sandbox or is not in the copy; but for kernels.
asio::awaitable<void> add_processes(std::shared_ptr<GuestLink> link, SavedFor purpose,
                                    std::vector<Lost>& lost) {
    const auto programs = co_await list_programs(link, kTimeToList);
    const std::string why = (purpose == SavedFor::Copy
                                 ? "programs are not copied; it ran in the session that this is a "
                                   "copy of at "
                                 : "it was stopped when the session went to sleep at ") +
                            minute_text(link->clock().wall());
    for (const auto& program : programs) {
        add(lost, {"", program.command, std::string(kProcess),
                   why + " (pid " + std::to_string(program.pid) + ")"});
    }
}

}  // namespace

namespace {

void write_note(core::Folders& folders, const SessionId& id, const std::vector<Lost>& untold,
                const std::vector<std::string>& saved) {
    json::array list;
    std::size_t bytes = 0;
    for (const auto& one : untold) {
        json::object about{{"context", one.context},
                           {"name", one.name},
                           {"type", one.type},
                           {"reason", one.reason}};
        bytes += json::serialize(about).size() + 1;
        if (bytes > kNoteBytesMax - kContextsMax * (kContextBytesMax + 32) - 1024)
            break;  // what is longer could not be read again
        list.push_back(std::move(about));
    }
    json::array contexts;
    for (const auto& context : saved) contexts.emplace_back(context);
    UniqueFd file = folders.begin_state(id, kNote).value();
    save(file.get(), json::serialize(json::object{{"lost", std::move(list)},
                                                  {"contexts", std::move(contexts)}}));
    folders.finish_state(id, kNote, std::move(file)).value();
}

}  // namespace

void note_lost(core::Folders& folders, const SessionId& id, const std::vector<Lost>& untold) {
    write_note(folders, id, untold, contexts_on_disk(folders, id));
}

void forget_variables(core::Folders& folders, const SessionId& id,
                      const std::vector<Lost>& untold) {
    // In this order: killed in between, it says that they are lost though they come back. On a full
    // disk nothing can be noted, and the caller's memory knows as well.
    try {
        write_note(folders, id, untold, {});
    } catch (const ErrorException&) {}
    for (const auto& context : contexts_on_disk(folders, id)) {
        folders.remove_state(id, file_of(context)).value();
    }
}

bool is_context_name(std::string_view name) noexcept {
    const auto fine = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.';
    };
    return !name.empty() && name.size() <= kContextBytesMax &&
           std::all_of(name.begin(), name.end(), fine);
}

namespace {

// Writes what the guest sends, at most `room` bytes, which shrinks by them; if there are more, the
// transfer ends with that. Answers with why it could not be written.
asio::awaitable<std::optional<Error>> receive_file(Transfer& transfer, core::Folders& folders,
                                                   const UniqueFd& file, std::uint64_t& room) {
    std::optional<Error> failed;
    while (!failed) {
        auto piece = co_await transfer.next();
        if (!piece) break;
        if (piece->kind != Transfer::Piece::Kind::Data) continue;
        if (piece->bytes.size() > room) {
            transfer.stop(
                {Code::Exhausted, "its variables are larger than the session's memory limit"});
            break;
        }
        room -= piece->bytes.size();
        try {
            co_await folders.write_state(file, std::move(piece->bytes));
        } catch (const ErrorException& error) { failed = error.error; }
    }
    co_return failed;
}

}  // namespace

asio::awaitable<std::vector<Lost>> save_variables(std::shared_ptr<GuestLink> link,
                                                  core::Folders& folders, SessionId id,
                                                  std::uint64_t bytes_max, std::vector<Lost> untold,
                                                  std::set<std::string> restored,
                                                  SavedFor purpose) {
    const CallDeadline stop(co_await asio::this_coro::executor, link, kTimeForAll);
    std::uint64_t room = bytes_max;
    std::vector<Lost> gone = untold;  // from the sandbox as well
    std::vector<Lost> lost = std::move(untold);
    const auto on_disk = contexts_on_disk(folders, id);
    const json::object question{{"op", "kernel.list"}};
    const json::object listed = co_await link->call(question);
    co_await add_processes(link, purpose, lost);
    std::vector<std::string> contexts;
    std::set<std::string> there;  // and what is on disk of them, if anything, is theirs
    if (const auto* kernels = listed.if_contains("kernels");
        kernels != nullptr && kernels->is_array()) {
        for (const auto& kernel : kernels->get_array()) {
            if (!kernel.is_object() || contexts.size() >= kContextsMax) continue;
            std::string context = fields::text_of(kernel.get_object(), "context");
            if (!is_context_name(context)) continue;
            const auto language = fields::text_of(kernel.get_object(), "language");
            std::string saved = saved_as(context, language);
            if (fields::number_of(kernel.get_object(), "runs") > 0) {
                there.insert(saved);
                // It died since the last run that was told so, and another is in its place.
                if (fields::flag_of(kernel.get_object(), "state_lost")) {
                    const Lost all{context, "", "", "its kernel ended; all its variables are lost"};
                    add(lost, all);
                    add(gone, all);
                }
                contexts.push_back(std::move(saved));
            } else if (!fields::flag_of(kernel.get_object(), "restarted")) {
                // One that has run nothing has nothing new to keep: what it was restored from, if
                // anything, is still what it is.
                there.insert(std::move(saved));
            }
        }
    }
    for (const auto& saved : contexts) {
        const std::string context = context_of(saved);
        const std::string name = file_of(saved);
        UniqueFd file = folders.begin_state(id, name).value();
        const json::object request{{"op", "kernel.call"},
                                   {"context", context},
                                   {"timeout_ms", milliseconds(kTimeForOne).count()},
                                   {"request", {{"op", "export"}}}};
        Transfer transfer(link, request);
        const auto unwritten = co_await receive_file(transfer, folders, file, room);
        if (unwritten) throw ErrorException(*unwritten);
        std::string why;
        bool died = false;
        try {
            const auto end = co_await transfer.end();
            died = fields::flag_of(end, "died");
            if (died) why = "the kernel ended while it was saved";
            if (fields::flag_of(end, "timed_out")) why = "saving it took too long";
            add_failed(lost, context, kernel_part(end));
        } catch (const ErrorException& error) {
            if (!link->alive()) throw;
            why = error.error.message;
        }
        if (!why.empty()) {
            if (std::find(on_disk.begin(), on_disk.end(), saved) != on_disk.end()) {
                why += "; they are as they were when the session was last put to sleep";
            }
            add(lost, {context, "", "", why});
            if (died) add(gone, {context, "", "", why});
            continue;
        }
        co_await folders.sync_state(file);
        folders.finish_state(id, name, std::move(file)).value();
    }
    for (const auto& context : on_disk) {
        const bool deleted = there.count(context) == 0 && restored.count(context) != 0;
        if (deleted) folders.remove_state(id, file_of(context)).value();
    }
    note_lost(folders, id, lost);
    co_return gone;
}

namespace {

// Until the end of the file, or of the call. Answers with why it could not be read.
asio::awaitable<std::optional<Error>> send_file(const Channel& channel, core::Folders& folders,
                                                const UniqueFd& file) {
    std::optional<Error> failed;
    for (;;) {
        std::string piece;
        try {
            piece = co_await folders.read_state(file, kVariablePieceBytes);
        } catch (const ErrorException& error) { failed = error.error; }
        if (failed) co_return failed;
        if (piece.empty()) break;
        const bool taken = co_await channel.data(std::move(piece));
        if (!taken) co_return failed;
    }
    channel.eof();
    co_return failed;
}

}  // namespace

asio::awaitable<Loaded> load_variables(std::shared_ptr<GuestLink> link, core::Folders& folders,
                                       SessionId id) {
    const CallDeadline stop(co_await asio::this_coro::executor, link, kTimeForAll);
    auto note = read_note(folders, id);
    Loaded loaded;
    loaded.lost = std::move(note.lost);
    for (const auto& saved : contexts_on_disk(folders, id)) {
        note.contexts.erase(saved);
        const std::string context = context_of(saved);
        auto file = folders.open_state(id, file_of(saved));
        if (!file) throw ErrorException(unreadable(file.error().message));
        std::optional<Error> cause;
        const json::object request{{"op", "kernel.call"},
                                   {"context", context},
                                   {"language", language_of(saved)},
                                   {"timeout_ms", milliseconds(kTimeForOne).count()},
                                   {"request", {{"op", "import"}}}};
        const Channel channel = link->open(request, {});
        std::string why;
        bool taken = false;  // there is a kernel of this name, with what came back
        try {
            cause = co_await send_file(channel, folders, *file);
            if (cause) throw ErrorException(unreadable(cause->message));
            const auto end = co_await channel.end();
            const auto kernel = kernel_part(end);
            taken = true;
            if (fields::flag_of(end, "died")) why = "the kernel ended while it was restored";
            if (fields::flag_of(end, "timed_out")) why = "restoring it took too long";
            if (const auto error = fields::text_of(kernel, "error"); !error.empty()) why = error;
            add_failed(loaded.lost, context, kernel);
        } catch (const ErrorException& error) {
            if (!link->alive()) throw;
            why = error.error.message;
        }
        // To the guest it was the end of the file: what it made of that is not the session.
        if (cause) throw ErrorException(unreadable(cause->message));
        if (!why.empty()) add(loaded.lost, {context, "", "", why});
        if (taken) loaded.restored.insert(saved);
    }
    for (const auto& context : note.contexts) {
        add(loaded.lost,
            {context_of(context), "", "", "its saved variables are missing on the server's disk"});
    }
    co_return loaded;
}

}  // namespace atl::guest_client
