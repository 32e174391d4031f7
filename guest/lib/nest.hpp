#pragma once
// Init of a nest: makes sandboxes, keeps a zygote, and carries requests for kernels to it.
//
//     host ══ control ══▶ nest ──clone3──▶ PID 1 of each sandbox
//                          ▲ │                    │
//                          │ └── kernel + fds ──▶ zygote ──fork──▶ kernels, adopted by PID 1
//                          └────────── bell ──────┘
//
// A sandbox's PID 1 is a clone of this small process, not of the zygote: no Python in it, a few
// pages of its own, and nothing that a fault of a package could reach.
// Owns      the host's control socket, the zygote's, and for each sandbox its bell, its pidfd and
//           the doors of its cgroup.
// Threads   one.
// Trusts    the host; the zygote not to lie about being ready. A bell is rung by a PID 1 that
//           untrusted code sits next to: all it can say is "a kernel, please", with three
//           descriptors; what it gets is a fork inside its own walls.
// If the zygote dies the host hears of it and raises another nest; sandboxes live on, and start
// their kernels as plain programs from then on. The nest ends when nobody is left in it.
#include "base/fd.hpp"
#include "guest/lib/surroundings.hpp"

#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace atl::guest {

class Nest {
public:
    Nest(UniqueFd control, UniqueFd zygote, pid_t zygote_pid);

    // The exit status for the host to see. In a sandbox's PID 1 this does not return.
    int run();

private:
    struct Nestling {
        UniqueFd pidfd;
        UniqueFd bell;
        std::vector<UniqueFd> doors;
    };

    void hear_host();
    void hear_zygote();
    void answer_bell(Nestling& nestling);
    void listen(int fd, std::uint64_t source);
    void forget(UniqueFd& fd);
    void reap();
    // False when a descriptor could not go along; then nothing was sent.
    bool reply(const boost::json::object& message, int pidfd = -1);
    void refuse(const std::string& what, int cause);
    void make_sandbox(const boost::json::object& request, std::vector<UniqueFd> along);
    void fill_slots(const std::vector<UniqueFd>& along, int bell, int gate);
    void empty_slots();
    void wait_for_newborn(int pidfd);
    [[noreturn]] void be_sandbox(const boost::json::object& request, std::size_t doors);

    UniqueFd control_;
    UniqueFd zygote_;
    pid_t zygote_pid_;
    int zygote_status_ = 0;
    bool childless_ = false;
    UniqueFd signals_;
    UniqueFd events_;   // epoll: with a thousand bells, one wait costs as much as with one
    UniqueFd apart_;    // rung by a newborn that has a table of descriptors of its own
    UniqueFd nothing_;  // /dev/null, which keeps the slots taken
    pid_t newborn_ = -1;
    std::uint64_t rings_ = 0;
    Surroundings surroundings_;
    std::map<pid_t, Nestling> nestlings_;
    std::string message_;
};

}  // namespace atl::guest
