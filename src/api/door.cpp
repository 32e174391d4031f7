#include "api/door.hpp"

#include "api/api.hpp"
#include "net/problem.hpp"

namespace atl::api {

namespace {

constexpr std::string_view kLocalOwner = "local";

bool is_local_name(std::string_view host) {
    // Without the port; a port says nothing about who the name belongs to.
    if (!host.empty() && host.front() == '[') {
        host = host.substr(0, host.find(']') + 1);
    } else {
        host = host.substr(0, host.find(':'));
    }
    return host == "localhost" || host == "[::1]" || host.rfind("127.", 0) == 0;
}

bool is_local_address(const std::string& address) {
    return address.rfind("unix:", 0) == 0 || address.rfind("127.", 0) == 0 ||
           address.rfind("[::1]:", 0) == 0;
}

}  // namespace

Door::Door(const std::vector<std::string>& listen) {
    for (const auto& address : listen) {
        if (is_local_address(address)) continue;
        throw ErrorException({Code::InvalidArgument,
                              "listen on " + address +
                                  ": only addresses of this machine (127.0.0.1, [::1], unix:) are "
                                  "served, because this version has no API keys yet; put a proxy "
                                  "that checks who is calling in front of it"});
    }
}

void Door::admit(net::Request& request) const {
    if (!request.peer.is_unix() && !is_local_name(request.host())) {
        throw ErrorException({Code::Forbidden,
                              "the Host of this request is not this machine; ask for localhost or "
                              "127.0.0.1"});
    }
    if (const auto origin = request.headers.get("Origin"); origin) {
        const std::string_view text = *origin;
        const auto scheme = text.find("://");
        const bool ours =
            scheme != std::string_view::npos && text.substr(scheme + 3) == request.host();
        if (!ours) {
            throw ErrorException({Code::Forbidden,
                                  "requests from pages of another origin are "
                                  "refused"});
        }
    }
    request.context = Caller{std::string(kLocalOwner)};
}

}  // namespace atl::api
