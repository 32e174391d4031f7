// Tools for the files of a session: list, read, write, remove, make a folder.
#include "agent/sandbox_files.hpp"
#include "agent/text.hpp"
#include "agent/tool_arguments.hpp"
#include "agent/tools.hpp"
#include "schema/document.hpp"

#include <algorithm>

namespace atl::agent {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::uint32_t kListMax = 1000;
constexpr int kDepthMax = 16;

asio::awaitable<guest_client::Files> files_at(ToolEnvironment& environment) {
    const auto* use = co_await environment.needed_session();
    co_return guest_client::Files(use->link());
}

asio::awaitable<ToolResult> list_files(ToolEnvironment& environment, json::value arguments) {
    const auto wanted = schema::from_value<ListFilesArguments>(arguments);
    const auto path = absolute_path(wanted.path);
    const auto files = co_await files_at(environment);
    auto page = co_await files.walk(path, wanted.recursive ? kDepthMax : 1, kListMax);
    std::sort(page.entries.begin(), page.entries.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    ToolResult result;
    result.files.emplace();
    for (const auto& entry : page.entries) {
        result.files->push_back({entry.name, std::string(name_of(entry.type)), entry.size});
        result.output += entry.name;
        if (entry.type == guest_client::FileType::Directory) {
            result.output += "/";
        } else {
            result.output += " (" + size_text(entry.size) + ")";
        }
        result.output += "\n";
    }
    if (!page.complete) result.output += "[there are more]\n";
    if (page.entries.empty()) result.output = "[the folder is empty]";
    result.output = cut_in_the_middle(result.output, 24'000);
    co_return result;
}

asio::awaitable<ToolResult> read_file(ToolEnvironment& environment, json::value arguments) {
    const auto wanted = schema::from_value<ReadFileArguments>(arguments);
    const auto path = absolute_path(wanted.path);
    const auto files = co_await files_at(environment);
    auto read = co_await read_bytes(files, path, wanted.offset, wanted.length);
    ToolResult result;
    result.output = cut_in_the_middle(read.bytes, 24'000);
    const auto end = wanted.offset + read.bytes.size();
    if (end < read.size) {
        result.output += "\n[" + std::to_string(read.size - end) + " more bytes follow]";
    }
    result.content = std::move(read.bytes);
    co_return result;
}

asio::awaitable<ToolResult> write_file(ToolEnvironment& environment, json::value arguments) {
    auto wanted = schema::from_value<WriteFileArguments>(arguments);
    const auto path = absolute_path(wanted.path);
    const auto files = co_await files_at(environment);
    const auto size = wanted.content.size();
    co_await write_bytes(files, path, std::move(wanted.content));
    ToolResult result;
    result.output = "wrote " + size_text(size) + " to " + path;
    co_return result;
}

asio::awaitable<ToolResult> delete_file(ToolEnvironment& environment, json::value arguments) {
    const auto wanted = schema::from_value<DeleteFileArguments>(arguments);
    const auto path = absolute_path(wanted.path);
    const auto files = co_await files_at(environment);
    co_await files.remove(path, wanted.recursive);
    ToolResult result;
    result.output = "removed " + path;
    co_return result;
}

asio::awaitable<ToolResult> make_directory(ToolEnvironment& environment, json::value arguments) {
    const auto wanted = schema::from_value<MakeDirectoryArguments>(arguments);
    const auto path = absolute_path(wanted.path);
    const auto files = co_await files_at(environment);
    co_await files.make_folder(path, true);
    ToolResult result;
    result.output = "made " + path;
    co_return result;
}

}  // namespace

void add_file_tools(Tools& tools) {
    tools.add({.name = "list_files",
               .description = "List a folder of the sandbox.",
               .arguments = schema::described<ListFilesArguments>(),
               .call = list_files});
    tools.add({.name = "read_file",
               .description = "Read a file of the sandbox as text.",
               .arguments = schema::described<ReadFileArguments>(),
               .call = read_file});
    tools.add({.name = "write_file",
               .description = "Store a text as a file in the sandbox; folders are made.",
               .arguments = schema::described<WriteFileArguments>(),
               .call = write_file});
    tools.add({.name = "delete_file",
               .description = "Remove a file of the sandbox, or a folder with all that is in it.",
               .arguments = schema::described<DeleteFileArguments>(),
               .call = delete_file});
    tools.add({.name = "make_directory",
               .description = "Make a folder in the sandbox, with those above it.",
               .arguments = schema::described<MakeDirectoryArguments>(),
               .call = make_directory});
}

}  // namespace atl::agent
