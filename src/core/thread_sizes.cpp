#include "core/thread_sizes.hpp"

#include "core/paging.hpp"

#include <algorithm>
#include <sstream>

namespace atl::core {

namespace {

void at_most(std::size_t size, std::size_t most, const char* what) {
    if (size <= most) return;
    throw ErrorException(
        {Code::TooLarge, std::string(what) + " has at most " + std::to_string(most)});
}

}  // namespace

void check_size(const std::vector<ThreadMessage>& messages) {
    std::size_t together = 0;
    for (const auto& message : messages) {
        at_most(message.client_id.size(), kClientIdBytesMax, "a client_id, in bytes,");
        const auto bytes = bytes_of(message);
        together += bytes;
        if (bytes > kMessageBytesMax || together > kMessagesBytesMax) {
            throw ErrorException(
                {Code::TooLarge,
                 "a message has at most 16 MiB, and those that are written together 32 MiB"});
        }
    }
}

void check_size(const ThreadRecord& record) {
    at_most(record.owner.size(), kNameBytesMax, "the name of an owner, in bytes,");
    at_most(record.home.size(), kNameBytesMax, "the name of a server, in bytes,");
    at_most(record.session_id.text().size(), kNameBytesMax, "the id of a session, in bytes,");
    at_most(record.family.text().size(), 128, "the id of a thread, in bytes,");
    at_most(record.origins.size(), kThreadOriginsMax, "a thread, in origins,");
    for (const auto& origin : record.origins) check_id(origin.thread.text(), "thread");
    ThreadPatch rest;
    rest.title = record.title;
    rest.model = record.model;
    rest.memory_json = record.memory_json;
    rest.files = record.files;
    check_size(rest);
}

void check_size(const ThreadPatch& patch) {
    if (patch.title) at_most(patch.title->size(), kNameBytesMax, "a title, in bytes,");
    if (patch.model) {
        at_most(patch.model->size(), kNameBytesMax, "the name of a model, in bytes,");
    }
    if (patch.memory_json) {
        at_most(patch.memory_json->size(), kThreadMemoryBytesMax, "a thread's memory, in bytes,");
    }
    if (!patch.files) return;
    at_most(patch.files->size(), kThreadFilesMax, "a thread, in files,");
    for (const auto& file : *patch.files) {
        at_most(file.text().size(), 128, "the id of an upload, in bytes,");
    }
}

void check_size(const UploadRecord& record) {
    at_most(record.owner.size(), kNameBytesMax, "the name of an owner, in bytes,");
    at_most(record.name.size(), kNameBytesMax, "the name of a file, in bytes,");
    at_most(record.sha256.size(), 128, "a checksum, in bytes,");
}

std::vector<ThreadOrigin> origins_after(const ThreadRecord& from, std::uint64_t turn) {
    std::vector<ThreadOrigin> origins;
    std::uint64_t covered = 0;
    for (const auto& origin : from.origins) {
        if (covered >= turn) break;
        covered = std::min(origin.turn, turn);
        origins.push_back({origin.thread, covered});
    }
    if (covered < turn) origins.push_back({from.id, turn});
    if (origins.size() > kThreadOriginsMax) origins.erase(origins.begin());
    return origins;
}

std::string text_of(const std::vector<ThreadOrigin>& origins) {
    std::string text;
    for (const auto& origin : origins) {
        if (!text.empty()) text += ' ';
        text += origin.thread.text() + " " + std::to_string(origin.turn);
    }
    return text;
}

std::vector<ThreadOrigin> origins_in(std::string_view text) {
    std::vector<ThreadOrigin> origins;
    std::istringstream words{std::string(text)};
    std::string thread;
    std::uint64_t turn = 0;
    while (words >> thread >> turn) origins.push_back({ThreadId(thread), turn});
    return words.eof() ? origins : std::vector<ThreadOrigin>();
}

void check_mark_keys(const std::vector<std::string>& keys) {
    if (keys.size() > kMarkKeysMax) {
        throw ErrorException({Code::InvalidArgument,
                              "a mark has at most " + std::to_string(kMarkKeysMax) + " keys"});
    }
    for (const auto& key : keys) check_id(key, "mark");
}

}  // namespace atl::core
