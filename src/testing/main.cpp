// atoll-sim: runs the simulator for many seeds, or one again (docs/simulator.md).
//
//     atoll-sim --seeds 1000            seeds 1 to 1000
//     atoll-sim --seconds 30            as many as there is time for
//     atoll-sim --seed 4711 --print     one, with everything that happens in it
//
// Seeds run in a child process, which is replaced after one that failed: a broken rule leaves
// coroutines behind that nobody can end, and may be a crash.
#include "testing/simulator.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using atl::testing::simulate;
using atl::testing::Simulated;
using Clock = std::chrono::steady_clock;

constexpr unsigned kSecondsASeed = 120;  // on a slow machine, with a sanitizer

struct Options {
    std::uint64_t first = 1;
    std::uint64_t seeds = 0;  // 0: until the time is over
    std::uint64_t seconds = 0;
    bool one = false;
    bool print = false;
    bool quiet = false;  // failing seeds in one line each
};

struct Total {
    std::uint64_t seeds = 0, failed = 0, requests = 0, answered = 0, kills = 0, stops = 0;
    std::uint64_t losses = 0, seconds = 0;
};

void show(std::uint64_t seed, const Simulated& result, bool briefly = false) {
    std::printf("seed %llu failed: %s\n", static_cast<unsigned long long>(seed),
                result.broken.c_str());
    if (briefly) return;
    for (const auto& line : result.last) std::printf("  %s\n", line.c_str());
    std::printf("  again: atoll-sim --seed %llu --print\n", static_cast<unsigned long long>(seed));
}

// What a child says of each seed, in a line of numbers.
void live(const Options& options, std::uint64_t first, int say) {
    const auto began = Clock::now();
    for (std::uint64_t seed = first;; ++seed) {
        if (options.seeds > 0 && seed >= options.first + options.seeds) break;
        if (options.seconds > 0 && Clock::now() - began >= std::chrono::seconds(options.seconds))
            break;
        ::alarm(kSecondsASeed);
        const Simulated result = simulate({seed, false});
        if (!result.held) {
            show(seed, result, options.quiet);
            std::fflush(stdout);
        }
        char line[256];
        const int length =
            std::snprintf(line, sizeof line, "%llu %d %llu %llu %llu %llu %llu %llu\n",
                          static_cast<unsigned long long>(seed), result.held ? 1 : 0,
                          static_cast<unsigned long long>(result.requests),
                          static_cast<unsigned long long>(result.answered),
                          static_cast<unsigned long long>(result.kills),
                          static_cast<unsigned long long>(result.stops),
                          static_cast<unsigned long long>(result.losses),
                          static_cast<unsigned long long>(result.seconds));
        [[maybe_unused]] const auto sent = ::write(say, line, static_cast<std::size_t>(length));
        if (!result.held) ::_exit(1);
    }
    ::_exit(0);
}

// From `first` on, in a child, until it ends. Answers with the seed to go on with, 0 at the end.
std::uint64_t batch(Options options, std::uint64_t first, Total& total) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child < 0) std::abort();
    if (child == 0) {
        ::close(ends[0]);
        live(options, first, ends[1]);
    }
    ::close(ends[1]);
    FILE* const heard = ::fdopen(ends[0], "r");
    std::uint64_t next = first;
    bool failed = false;
    unsigned long long seed = 0, requests = 0, answered = 0, kills = 0, stops = 0, losses = 0,
                       seconds = 0;
    int held = 0;
    while (std::fscanf(heard, "%llu %d %llu %llu %llu %llu %llu %llu", &seed, &held, &requests,
                       &answered, &kills, &stops, &losses, &seconds) == 8) {
        ++total.seeds;
        total.failed += held == 0 ? 1 : 0;
        failed = failed || held == 0;
        total.requests += requests;
        total.answered += answered;
        total.kills += kills;
        total.stops += stops;
        total.losses += losses;
        total.seconds += seconds;
        next = seed + 1;
    }
    std::fclose(heard);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (failed) return next;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    std::printf("seed %llu failed: the simulator ended with %s %d\n",
                static_cast<unsigned long long>(next), WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    ++total.seeds;
    ++total.failed;
    return next + 1;
}

int usage() {
    std::fprintf(stderr,
                 "atoll-sim [--seed N | --from N] [--seeds COUNT] [--seconds S] [--print] "
                 "[--quiet]\n");
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--print" || word == "--quiet") {
            (word == "--print" ? options.print : options.quiet) = true;
            continue;
        }
        if (i + 1 >= argc) return usage();
        char* end = nullptr;
        const auto number = std::strtoull(argv[++i], &end, 10);
        if (*end != '\0' || argv[i][0] == '\0') return usage();
        if (word == "--seed" || word == "--from") {
            options.first = number;
            options.one = word == "--seed";
        } else if (word == "--seeds") {
            options.seeds = number;
        } else if (word == "--seconds") {
            options.seconds = number;
        } else {
            return usage();
        }
    }
    if (options.one) {
        const Simulated result = simulate({options.first, options.print});
        std::printf("seed %llu, trace %016llx, %llu requests, %llu s simulated\n",
                    static_cast<unsigned long long>(options.first),
                    static_cast<unsigned long long>(result.trace),
                    static_cast<unsigned long long>(result.requests),
                    static_cast<unsigned long long>(result.seconds));
        if (result.held) return 0;
        if (options.print)
            std::printf("failed: %s\n", result.broken.c_str());
        else
            show(options.first, result);
        std::fflush(stdout);
        ::_exit(1);
    }
    if (options.seeds == 0 && options.seconds == 0) options.seeds = 100;
    const auto began = Clock::now();
    Total total;
    const auto seconds = options.seconds;
    for (std::uint64_t next = options.first; next != 0;) {
        const auto spent = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - began);
        if (seconds > 0) {
            if (static_cast<std::uint64_t>(spent.count()) >= seconds) break;
            options.seconds = seconds - static_cast<std::uint64_t>(spent.count());
        }
        next = batch(options, next, total);
        if (options.seeds > 0 && next >= options.first + options.seeds) break;
    }
    const double took = std::chrono::duration<double>(Clock::now() - began).count();
    std::printf(
        "%llu seeds, %llu failed: %llu requests (%llu answered well), %llu kills, %llu stops, "
        "%llu losses told, %.1f h simulated in %.1f s\n",
        static_cast<unsigned long long>(total.seeds), static_cast<unsigned long long>(total.failed),
        static_cast<unsigned long long>(total.requests),
        static_cast<unsigned long long>(total.answered),
        static_cast<unsigned long long>(total.kills), static_cast<unsigned long long>(total.stops),
        static_cast<unsigned long long>(total.losses), static_cast<double>(total.seconds) / 3600,
        took);
    return total.failed == 0 && total.seeds > 0 ? 0 : 1;
}
