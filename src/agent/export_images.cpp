#include "agent/export_images.hpp"

#include "agent/message_details.hpp"
#include "agent/sandbox_files.hpp"
#include "agent/text.hpp"
#include "base/encoding.hpp"

#include <set>

namespace atl::agent {

namespace {

// A chart of 1,000 by 600 points has some 50 KB. A mail server takes about 20 MB.
constexpr std::size_t kImageBytesMax = 2u << 20;
constexpr std::size_t kAllBytesMax = 12u << 20;

}  // namespace

std::vector<std::string> image_paths(const std::vector<core::ThreadMessage>& all) {
    std::vector<std::string> paths;
    std::set<std::string> known;
    for (auto message = all.rbegin(); message != all.rend(); ++message) {
        if (message->role != core::MessageRole::Tool) continue;
        const auto details = details_of(*message);
        if (!details.run || !details.run->code) continue;
        for (const auto& image : details.run->images) {
            if (known.insert(image.path).second) paths.push_back(image.path);
        }
    }
    return paths;
}

bool begins_like(std::string_view content_type, std::string_view bytes) {
    if (content_type == "image/png") return bytes.starts_with("\x89PNG\r\n\x1a\n");
    if (content_type == "image/jpeg") return bytes.starts_with("\xff\xd8\xff");
    return false;  // SVG may hold scripts
}

boost::asio::awaitable<ExportImages> read_images(guest_client::Files files,
                                                 std::vector<std::string> paths) {
    ExportImages images;
    std::size_t left = kAllBytesMax;
    for (const auto& path : paths) {
        const std::string type(image_type_of(path));
        if (type != "image/png" && type != "image/jpeg") continue;
        try {
            const auto read = co_await read_bytes(files, path, 0, kImageBytesMax);
            if (read.size > kImageBytesMax || read.bytes.size() > left) continue;
            if (!begins_like(type, read.bytes)) continue;
            left -= read.bytes.size();
            images[path] = {type, base64_encoded(read.bytes)};
        } catch (const ErrorException&) { continue; }  // removed meanwhile: it is named only
    }
    co_return images;
}

}  // namespace atl::agent
