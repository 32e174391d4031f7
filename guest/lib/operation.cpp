#include "guest/lib/operation.hpp"

#include "guest/lib/names.hpp"

#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstring>

namespace atl::guest {

void Operation::send(wire::Kind kind, std::string_view payload, std::uint8_t flags) {
    if (ended_) return;
    credit_.spend(payload.size());
    link_.send(kind, channel_, payload, flags);
}

void Operation::event(const json::object& event) {
    const std::string text = json::serialize(event);
    std::string_view rest = text;
    while (rest.size() > wire::kPayloadBytesMax) {
        send(wire::Kind::Event, rest.substr(0, wire::kPayloadBytesMax), wire::kFlagMore);
        rest.remove_prefix(wire::kPayloadBytesMax);
    }
    send(wire::Kind::Event, rest);
}

void Operation::event_with(const json::object& event, UniqueFd descriptor) {
    if (ended_) return;
    const std::string text = json::serialize(event);
    credit_.spend(text.size());
    link_.send_with(wire::Kind::Event, channel_, text, std::move(descriptor));
}

void Operation::end(json::object result) {
    result["ok"] = true;
    end_raw(json::serialize(result));
}

void Operation::end_raw(std::string_view json_text) {
    if (ended_) return;
    if (before_end_) std::exchange(before_end_, nullptr)();
    link_.send(wire::Kind::End, channel_, json_text);
    ended_ = true;
}

void Operation::fail(std::string_view code, std::string_view message) {
    failed_ = failed_ || !ended_;
    // A message may quote a name, which may be any bytes.
    end_raw(json::serialize(json::object{
        {"ok", false}, {"code", code}, {"message", printable(message.substr(0, 4096))}}));
}

void Operation::fail_errno(const std::string& what) {
    const int cause = errno;
    const char* code = "internal";
    switch (cause) {
        case ENOENT:
        case ENOTDIR: code = "not_found"; break;
        case EEXIST:
        case ENOTEMPTY:
        case EBUSY:
        case ETXTBSY:
        case EXDEV:
        case EISDIR: code = "conflict"; break;
        case EACCES:
        case EPERM:
        case EROFS: code = "forbidden"; break;
        case ELOOP:
        case ENAMETOOLONG:
        case ENXIO:
        case ENODEV:
        case EOPNOTSUPP:
        case EINVAL: code = "invalid_argument"; break;
        case ENOSPC:
        case EDQUOT:
        case EFBIG:
        case EMFILE:
        case ENFILE:
        case ENOMEM:
        case EAGAIN: code = "exhausted"; break;
        case ECONNREFUSED: code = "unavailable"; break;
        default: break;
    }
    fail(code, what + ": " + std::strerror(cause));
}

}  // namespace atl::guest
