#pragma once
// Puts an event that was cut into several frames together again, and parses it.
//
// Trusts    nobody. A guest that never ends its event runs into `bytes_max`; one that sends nested
// JSON
//           a million deep runs into the parser's depth limit.
#include "base/result.hpp"
#include "wire/frame.hpp"

#include <boost/json/object.hpp>
#include <optional>
#include <string>

namespace atl::wire {

class EventAssembler {
public:
    explicit EventAssembler(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    // The whole event once its last frame is there.
    [[nodiscard]] Result<std::optional<boost::json::object>> add(const Frame& frame);

    // How long the event is with this frame.
    [[nodiscard]] std::size_t bytes_with(const Frame& frame) const noexcept {
        return partial_.size() + frame.payload.size();
    }
    // Instead of add(), for who parses it elsewhere: the text of the event that this frame ends.
    [[nodiscard]] std::string finish(const Frame& frame);

private:
    std::size_t bytes_max_;
    std::string partial_;
};

}  // namespace atl::wire
