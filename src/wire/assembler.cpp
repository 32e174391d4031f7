#include "wire/assembler.hpp"

#include "base/fields.hpp"

namespace atl::wire {

Result<std::optional<boost::json::object>> EventAssembler::add(const Frame& frame) {
    if (bytes_with(frame) > bytes_max_) {
        return Error{Code::Exhausted,
                     "an event grew beyond " + std::to_string(bytes_max_) + " bytes"};
    }
    if (frame.more()) {
        partial_.append(frame.payload);
        return std::optional<boost::json::object>();
    }
    auto event = partial_.empty() ? fields::parse_object(frame.payload)
                                  : fields::parse_object(finish(frame));
    if (!event) return event.error();
    return std::optional<boost::json::object>(std::move(*event));
}

std::string EventAssembler::finish(const Frame& frame) {
    partial_.append(frame.payload);
    return std::exchange(partial_, {});
}

}  // namespace atl::wire
