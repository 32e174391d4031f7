#include "sessions/variables.hpp"

#include "base/write_all.hpp"
#include "sessions/backstop.hpp"
#include "wire/assembler.hpp"
#include "wire/fields.hpp"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::sessions {

namespace asio = boost::asio;
namespace json = boost::json;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t kPieceBytes = 128 * 1024;
constexpr std::size_t kContextsMax = 64;  // as many as a guest holds
constexpr std::size_t kLostMax = 1000;
constexpr std::size_t kNoteBytesMax = 1 << 20;
constexpr const char* kNote = "lost.json";
constexpr std::string_view kPrefix = "context-";
constexpr std::size_t kContextBytesMax = 100;
constexpr std::chrono::seconds kTimeForOne{45};  // context; then its kernel is ended
constexpr std::chrono::seconds kTimeForAll{75};  // then the sandbox

std::string file_of(const std::string& context) { return std::string(kPrefix) + context; }
std::string context_of(const std::string& file) { return file.substr(kPrefix.size()); }

void save(int fd, std::string_view bytes) {
    const int cause = write_all(fd, bytes);
    if (cause == 0) return;
    const auto code = cause == ENOSPC ? Code::DiskFull : Code::Internal;
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
        add(lost, {context, wire::text_of(about, "name"), wire::text_of(about, "type"),
                   wire::text_of(about, "reason")});
    }
}

json::object kernel_part(const json::object& end) {
    const auto* kernel = end.if_contains("kernel");
    return kernel != nullptr && kernel->is_object() ? kernel->get_object() : json::object{};
}

std::vector<Lost> noted(core::Folders& folders, const SessionId& id) {
    std::vector<Lost> lost;
    auto file = folders.open_state(id, kNote);
    if (!file) return lost;
    std::string text(kNoteBytesMax, '\0');
    const ssize_t n = ::pread(file->get(), text.data(), text.size(), 0);
    if (n <= 0) return lost;
    const auto parsed = wire::parse_object(text.substr(0, static_cast<std::size_t>(n)));
    if (!parsed) return lost;
    const auto* list = parsed->if_contains("lost");
    if (list == nullptr || !list->is_array()) return lost;
    for (const auto& one : list->get_array()) {
        if (!one.is_object()) continue;
        const auto& about = one.get_object();
        lost.push_back({wire::text_of(about, "context"), wire::text_of(about, "name"),
                        wire::text_of(about, "type"), wire::text_of(about, "reason")});
    }
    return lost;
}

}  // namespace

void note_lost(core::Folders& folders, const SessionId& id, const std::vector<Lost>& untold) {
    json::array list;
    std::size_t bytes = 0;
    for (const auto& one : untold) {
        json::object about{{"context", one.context},
                           {"name", one.name},
                           {"type", one.type},
                           {"reason", one.reason}};
        bytes += json::serialize(about).size() + 1;
        if (bytes > kNoteBytesMax - 1024) break;  // what is longer could not be read again
        list.push_back(std::move(about));
    }
    UniqueFd file = folders.begin_state(id, kNote).value();
    save(file.get(), json::serialize(json::object{{"lost", std::move(list)}}));
    folders.finish_state(id, kNote, std::move(file)).value();
}

void forget_variables(core::Folders& folders, const SessionId& id,
                      const std::vector<Lost>& untold) {
    // In this order: killed in between, it says that they are lost though they come back.
    std::optional<Error> failed;
    try {
        note_lost(folders, id, untold);
    } catch (const ErrorException& error) { failed = error.error; }
    for (const auto& name : folders.list_state(id)) {
        if (name.rfind(kPrefix, 0) == 0) folders.remove_state(id, name);
    }
    if (failed) throw ErrorException(*failed);
}

bool is_context_name(std::string_view name) noexcept {
    const auto fine = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.';
    };
    return !name.empty() && name.size() <= kContextBytesMax &&
           std::all_of(name.begin(), name.end(), fine);
}

asio::awaitable<std::vector<Lost>> save_variables(std::shared_ptr<GuestLink> link,
                                                  core::Folders& folders, SessionId id,
                                                  std::uint64_t bytes_max,
                                                  std::vector<Lost> untold) {
    const Backstop stop(co_await asio::this_coro::executor, link, kTimeForAll);
    std::uint64_t room = bytes_max;
    std::vector<Lost> lost = std::move(untold);
    const json::object question{{"op", "kernel.list"}};
    const json::object listed = co_await link->call(question);
    std::vector<std::string> contexts;
    std::vector<std::string> kept;
    if (const auto* kernels = listed.if_contains("kernels");
        kernels != nullptr && kernels->is_array()) {
        for (const auto& kernel : kernels->get_array()) {
            if (!kernel.is_object() || contexts.size() >= kContextsMax) continue;
            std::string context = wire::text_of(kernel.get_object(), "context");
            if (!is_context_name(context)) continue;
            // One that has run nothing has nothing new to keep: what it was restored from, if
            // anything, is still what it is.
            if (wire::number_of(kernel.get_object(), "runs") == 0) {
                kept.push_back(file_of(context));
                continue;
            }
            contexts.push_back(std::move(context));
        }
    }
    for (const auto& context : contexts) {
        const std::string name = file_of(context);
        UniqueFd file = folders.begin_state(id, name).value();
        std::optional<Error> failed;
        bool too_large = false;
        Channel channel;  // after what its handlers refer to
        ChannelHandlers handlers;
        handlers.data = [&](std::string_view piece) {
            if (failed || too_large) return;
            if (piece.size() > room) {
                too_large = true;
                channel.control({{"do", "cancel"}});
                return;
            }
            room -= piece.size();
            try {
                save(file.get(), piece);
            } catch (const ErrorException& error) { failed = error.error; }
        };
        const json::object request{{"op", "kernel.call"},
                                   {"context", context},
                                   {"timeout_ms", milliseconds(kTimeForOne).count()},
                                   {"request", {{"op", "export"}}}};
        std::string why;
        channel = link->open(request, std::move(handlers));
        try {
            const auto end = co_await channel.end();
            if (wire::flag_of(end, "died")) why = "the kernel ended while it was saved";
            if (wire::flag_of(end, "timed_out")) why = "to save it took too long";
            add_failed(lost, context, kernel_part(end));
        } catch (const ErrorException& error) { why = error.error.message; }
        if (failed) throw ErrorException(*failed);
        if (too_large) why = "its variables are larger than the session's memory may be";
        if (!why.empty()) {
            add(lost, {context, "", "", why});
            continue;
        }
        folders.finish_state(id, name, std::move(file)).value();
        kept.push_back(name);
    }
    for (const auto& old : folders.list_state(id)) {
        const bool stale =
            old.rfind(kPrefix, 0) == 0 && std::find(kept.begin(), kept.end(), old) == kept.end();
        if (stale) folders.remove_state(id, old);
    }
    note_lost(folders, id, lost);
    co_return lost;
}

namespace {

// Until the end of the file, or of the call.
asio::awaitable<void> send_file(const Channel& channel, int fd) {
    for (;;) {
        std::string piece(kPieceBytes, '\0');
        const ssize_t n = ::read(fd, piece.data(), piece.size());
        if (n <= 0) break;
        piece.resize(static_cast<std::size_t>(n));
        const bool taken = co_await channel.data(std::move(piece));
        if (!taken) co_return;
    }
    channel.eof();
}

}  // namespace

asio::awaitable<std::vector<Lost>> load_variables(std::shared_ptr<GuestLink> link,
                                                  core::Folders& folders, SessionId id) {
    const Backstop stop(co_await asio::this_coro::executor, link, kTimeForAll);
    std::vector<Lost> lost = noted(folders, id);
    for (const auto& name : folders.list_state(id)) {
        if (name.rfind(kPrefix, 0) != 0) continue;
        const std::string context = context_of(name);
        auto file = folders.open_state(id, name);
        if (!file) continue;
        const json::object request{{"op", "kernel.call"},
                                   {"context", context},
                                   {"timeout_ms", milliseconds(kTimeForOne).count()},
                                   {"request", {{"op", "import"}}}};
        const Channel channel = link->open(request, {});
        std::string why;
        try {
            co_await send_file(channel, file->get());
            const auto end = co_await channel.end();
            const auto kernel = kernel_part(end);
            if (wire::flag_of(end, "died")) why = "the kernel ended while it was restored";
            if (wire::flag_of(end, "timed_out")) why = "to restore it took too long";
            if (const auto error = wire::text_of(kernel, "error"); !error.empty()) why = error;
            add_failed(lost, context, kernel);
        } catch (const ErrorException& error) { why = error.error.message; }
        if (!why.empty()) add(lost, {context, "", "", why});
    }
    co_return lost;
}

}  // namespace atl::sessions
