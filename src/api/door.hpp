#pragma once
// Who may come in: the check before routing.
//
// Bound to this machine only, everybody on it is one owner, `local`. A browser is the danger then:
// any page could send requests here (CSRF), and a name that is made to point at 127.0.0.1 would
// pass for our own (DNS rebinding). So the Host must name this machine, and an Origin must be our
// own. Threads   the server's one.
#include "net/message.hpp"

#include <string>
#include <vector>

namespace atl::api {

class Door {
public:
    // `listen`: the addresses the server is bound to. Throws ErrorException when one is not of this
    // machine alone: that takes keys, and there are none yet.
    explicit Door(const std::vector<std::string>& listen);

    // Sets the caller, or throws.
    void admit(net::Request& request) const;
};

}  // namespace atl::api
