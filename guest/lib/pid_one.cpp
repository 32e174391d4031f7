#include "guest/lib/pid_one.hpp"

#include "guest/lib/guest.hpp"
#include "guest/lib/walls.hpp"
#include "wire/frame.hpp"

#include <boost/json/serialize.hpp>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace atl::guest {

namespace {

void say_that_walls_failed(int stream, const sys::StepFailure& failure) {
    std::string hello;
    wire::append_frame(hello, wire::Kind::Hello, 0,
                       json::serialize(json::object{{"version", wire::kProtocolVersion},
                                                    {"error", std::string(failure.step) + ": " +
                                                                  std::strerror(failure.cause)}}));
    [[maybe_unused]] const auto unread = ::write(stream, hello.data(), hello.size());
}

}  // namespace

void live_as_guest(Birth birth, Surroundings surroundings) {
    // Rung before the walls are raised: the zygote forks at the same time, on another core. The
    // kernel waits outside until it hears from us.
    std::unique_ptr<Kernel> first;
    if (birth.bell.get() >= 0) {
        first = std::make_unique<Kernel>(kDefaultContext, kDefaultDirectory);
        (void)first->summon(birth.bell.get());
    }
    sys::StepFailure failure;
    if (!raise_inner_walls(surroundings, birth.hostname, failure)) {
        return say_that_walls_failed(birth.stream.get(), failure);
    }
    surroundings.landlock_fd = sys::make_landlock_ruleset(kWritable);
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    surroundings.oom_score_fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    // From here on no process of the sandbox can look into PID 1, whatever user it is.
    if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
        failure.set("hide the memory of PID 1");
        return say_that_walls_failed(birth.stream.get(), failure);
    }
    Guest guest(std::move(birth.stream), std::move(surroundings), std::move(birth.bell));
    if (birth.owned) guest.belongs_to_somebody();
    guest.welcome(std::move(first));
    guest.run();
}

}  // namespace atl::guest
