#pragma once
// Reassembles an event from several frames, and parses it.
//
// Trusts    nobody. A guest that never ends its event hits `bytes_max`; one that sends JSON a
// million
//           levels deep hits the parser's limit.
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
    // Instead of add(), for callers that parse it themselves: the text of the event that ends here.
    [[nodiscard]] std::string finish(const Frame& frame);

private:
    std::size_t bytes_max_;
    std::string partial_;
};

}  // namespace atl::wire
