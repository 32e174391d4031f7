#include "net/event_reader.hpp"

namespace atl::net {

Result<void> EventReader::feed(std::string_view bytes) {
    while (!bytes.empty()) {
        if (std::exchange(after_return_, false) && bytes.front() == '\n') bytes.remove_prefix(1);
        const auto end = bytes.find_first_of("\r\n");
        line_.append(bytes.substr(0, end));
        if (line_.size() + event_.data.size() > bytes_max_) {
            return Error{Code::TooLarge, "an event exceeds the size limit"};
        }
        if (end == std::string_view::npos) return {};
        after_return_ = bytes[end] == '\r';
        bytes.remove_prefix(end + 1);
        const std::string line = std::exchange(line_, {});
        take_line(line);
    }
    return {};
}

void EventReader::take_line(std::string_view line) {
    if (line.empty()) {
        if (has_data_) take_(event_);
        event_.event.clear();
        event_.data.clear();
        has_data_ = false;
        return;
    }
    const auto colon = line.find(':');
    const std::string_view field = line.substr(0, colon);
    std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (field == "event") event_.event = value;
    if (field == "id") event_.id = value;
    if (field != "data") return;
    if (has_data_) event_.data.push_back('\n');
    event_.data.append(value);
    has_data_ = true;
}

}  // namespace atl::net
