#pragma once
// The user's identity for file access while it lives. PID 1 is root inside; changing this to a
// non-zero id also takes the capabilities that override file permissions out of effect.
#include "sys/confine.hpp"

#include <sys/fsuid.h>
#include <unistd.h>

namespace atl::guest {

class AsUser {
public:
    explicit AsUser(const sys::UserIdentity& user) : active_(user.change_ids) {
        if (!active_) return;
        ::setfsgid(user.gid);
        ::setfsuid(user.uid);
    }
    ~AsUser() {
        if (!active_) return;
        ::setfsuid(::geteuid());
        ::setfsgid(::getegid());
    }
    AsUser(const AsUser&) = delete;
    AsUser& operator=(const AsUser&) = delete;

private:
    bool active_;
};

}  // namespace atl::guest
