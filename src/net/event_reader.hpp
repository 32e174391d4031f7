#pragma once
// Server-sent events out of the bytes of an answer, as they come.
//
// Trusts    nobody: one event has at most `bytes_max`, beyond which feed() says TooLarge.
#include "base/result.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace atl::net {

class EventReader {
public:
    struct Event {
        std::string event;  // empty: "message"
        std::string data;   // lines joined by \n
        std::string id;     // of this or an earlier event
    };
    using Take = std::function<void(const Event&)>;

    explicit EventReader(Take take, std::size_t bytes_max = 64u << 20)
        : take_(std::move(take)), bytes_max_(bytes_max) {}

    [[nodiscard]] Result<void> feed(std::string_view bytes);

private:
    void take_line(std::string_view line);

    Take take_;
    std::size_t bytes_max_;
    std::string line_;
    Event event_;
    bool has_data_ = false;
    bool after_return_ = false;  // \r\n may come in two pieces
};

}  // namespace atl::net
