#include "agent/sheet_names.hpp"

#include "agent/data.hpp"
#include "agent/text.hpp"
#include "sessions/execution.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <chrono>

namespace atl::agent {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kSheetsMax = 50;
constexpr std::size_t kSheetNameBytesMax = 80;
constexpr std::size_t kReplyBytesMax = 256 * 1024;
constexpr std::size_t kSessionsKnownMax = 10'000;
constexpr std::chrono::milliseconds kSheetsTime{10'000};

std::string program() {
    for (const Asset& asset : assets()) {
        if (asset.path == "sheet_names.py") return std::string(asset.bytes);
    }
    return {};
}

std::string one_line(std::string_view name) {
    std::string line(name);
    for (char& c : line) {  // a prompt has one line a file
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
    std::size_t end = std::min(line.size(), kSheetNameBytesMax);
    while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
    line.resize(end);
    return line;
}

}  // namespace

std::vector<std::string> sheets_in_line(std::string_view line) {
    boost::system::error_code failed;
    const json::value value = json::parse(line, failed);  // at most 32 deep
    if (failed || !value.is_array()) return {};
    std::vector<std::string> names;
    for (const auto& name : value.get_array()) {
        if (!name.is_string() || names.size() == kSheetsMax) return names;
        names.push_back(one_line(name.get_string()));
    }
    return names;
}

asio::awaitable<std::vector<PromptFile>> SheetNames::added_to(std::vector<PromptFile> files,
                                                              SessionId id, UseSession use) {
    std::vector<std::string> paths;
    for (const auto& file : files) {
        if (file.is_archive) paths.push_back(file.path);
    }
    if (paths.empty()) co_return files;
    auto known = known_.find(id.text());
    if (known == known_.end()) {
        std::optional<Sheets> sheets;
        try {
            auto* session = co_await use();
            if (session != nullptr) sheets = co_await ask(*session, paths);
        } catch (const ErrorException&) {
            // The question is answered all the same, or fails for this reason and says so.
        }
        if (!sheets) co_return files;
        if (known_.size() >= kSessionsKnownMax) known_.erase(known_.begin());
        known = known_.insert_or_assign(id.text(), std::move(*sheets)).first;
    }
    auto sheets = known->second.begin();
    for (auto& file : files) {
        if (file.is_archive && sheets != known->second.end()) file.sheets = *sheets++;
    }
    co_return files;
}

asio::awaitable<SheetNames::Sheets> SheetNames::ask(sessions::Use& use,
                                                    std::vector<std::string> paths) {
    std::string command = "exec python -I -c " + shell_quoted(program());
    for (const auto& path : paths) command += " " + shell_quoted(path);
    const auto execution = sessions::Execution::with(sessions_, use);
    auto request =
        execution->request(guest_client::Language::Shell, std::move(command), kSheetsTime);
    std::string reply;
    guest_client::RunListener listener;
    listener.output = [&reply](core::Stream stream, std::string_view piece) {
        if (stream != core::Stream::Stdout) return;
        reply += piece.substr(0, kReplyBytesMax - reply.size());
    };
    co_await execution->run(std::move(request), std::move(listener));
    Sheets sheets;
    std::string_view rest = reply;
    while (sheets.size() < paths.size()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        sheets.push_back(sheets_in_line(rest.substr(0, end)));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    co_return sheets;
}

}  // namespace atl::agent
