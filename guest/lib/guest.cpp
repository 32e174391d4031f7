#include "guest/lib/guest.hpp"

#include "base/fields.hpp"
#include "guest/lib/changes.hpp"
#include "guest/lib/config.hpp"
#include "guest/lib/dial.hpp"
#include "guest/lib/files.hpp"
#include "guest/lib/limits_view.hpp"
#include "guest/lib/listening.hpp"
#include "guest/lib/memory_watch.hpp"
#include "guest/lib/process.hpp"
#include "guest/lib/process_tree.hpp"
#include "guest/lib/walls.hpp"
#include "guest/lib/watch.hpp"
#include "sys/mounts.hpp"
#include "wire/assembler.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <csignal>
#include <fcntl.h>
#include <sched.h>
#include <set>
#include <sys/signalfd.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::guest {

namespace {

constexpr std::size_t kOperationsMax = 4096;
constexpr std::size_t kKernelsMax = 64;
// What was left running after its answer is watched too, but hundreds of idle sandboxes must not
// keep a host busy.
constexpr std::chrono::milliseconds memory_check_every(bool idle) {
    return std::chrono::milliseconds(idle ? 1000 : 100);
}
constexpr std::chrono::seconds kMemoryMeasuredEvery{1};
constexpr std::uint64_t kPeakParts = 64;  // a peak is known to within this part of the limit
// While a deadline runs the loop turns at least so often: what it missed tells how long it was
// frozen, to within this.
constexpr auto kTurnTimeMax = std::chrono::milliseconds(250);
constexpr std::size_t kUnknownDeadMax = 256;

// An operation that is answered at once.
class Answer : public Operation {
public:
    using Operation::Operation;
};

}  // namespace

Guest::Guest(UniqueFd stream, Surroundings surroundings, UniqueFd bell)
    : link_(std::move(stream)),
      surroundings_(std::move(surroundings)),
      bell_(std::move(bell)),
      has_kernels_(bell_.get() >= 0) {
    // Everything is blocked: PID 1 hears signals only where it looks for them, so no process of the
    // sandbox can disturb it with one.
    sigset_t all, heard;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    ::sigemptyset(&heard);
    ::sigaddset(&heard, SIGCHLD);
    ::sigaddset(&heard, SIGUSR1);
    signals_ = UniqueFd(::signalfd(-1, &heard, SFD_NONBLOCK | SFD_CLOEXEC));
    ::fcntl(link_.fd(), F_SETFL, ::fcntl(link_.fd(), F_GETFL) | O_NONBLOCK);
    if (!surroundings_.user.change_ids) share_max_ = user_share_max();
}

void Guest::belongs_to_somebody() {
    claimed_ = true;
    forget_other_sessions(surroundings_);
    limits_are_final(surroundings_);
}

void Guest::welcome(std::unique_ptr<Kernel> first) {
    if (first == nullptr) return;
    if (first->awaited()) first->admit(surroundings_);
    kernels_[kDefaultContext] = std::move(first);
}

void Guest::run() {
    link_.send(wire::Kind::Hello, 0,
               json::serialize(
                   json::object{{"version", wire::kProtocolVersion}, {"kernels", has_kernels_}}));
    if (!link_.flush()) return;
    while (!stop_) {
        if (!link_.flush()) break;
        wait();
        hear_signals();
        turn_began_ = Clock::now();
        if (!link_.read_frames([this](const wire::Frame& frame) { take(frame); })) break;
        reap();
        const auto now = Clock::now();
        for (auto& [channel, operation] : operations_) {
            operation->ready(set_);
            if (const auto deadline = operation->deadline(); deadline && *deadline <= now) {
                operation->time_is_up();
            }
        }
        for (auto& [context, kernel] : kernels_) kernel->pump(set_);
        bury_kernels();
        start_kernels();
        std::erase_if(operations_, [](const auto& entry) { return entry.second->ended(); });
        if (looks_at_processes() && now - memory_checked_ > memory_check_every(is_idle())) {
            memory_checked_ = now;
            if (surroundings_.watched_memory_bytes_max > 0) check_memory();
            if (share_max_) check_user_share();
        }
    }
    (void)link_.flush();
}

int Guest::wait_ms() const {
    std::optional<Clock::time_point> first;
    for (const auto& [channel, operation] : operations_) {
        if (operation->busy() || operation->ended()) return 0;
        if (const auto deadline = operation->deadline();
            deadline && (!first || *deadline < *first)) {
            first = deadline;
        }
    }
    for (const auto& [context, kernel] : kernels_) {
        if (kernel->wanted() || kernel->more()) return 0;
        // Looks at the time it has been waiting for.
        if (kernel->awaited() && !first) first = Clock::now() + kTurnTimeMax;
    }
    const auto now = Clock::now();
    if (first) first = std::min<Clock::time_point>(*first, now + kTurnTimeMax);
    if (looks_at_processes()) {
        const auto next = memory_checked_ + memory_check_every(is_idle());
        if (!first || next < *first) first = next;
    }
    if (!first) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - now);
    return static_cast<int>(std::max<std::int64_t>(0, left.count()));
}

bool Guest::is_idle() const {
    return std::all_of(operations_.begin(), operations_.end(),
                       [](const auto& entry) { return entry.second->listens_only(); });
}

void Guest::wait() {
    set_.clear();
    set_.add(link_.fd(), static_cast<short>(POLLIN | (link_.has_unsent() ? POLLOUT : 0)));
    set_.add(signals_.get(), POLLIN);
    for (auto& [channel, operation] : operations_) operation->watch(set_);
    for (auto& [context, kernel] : kernels_) kernel->watch(set_);
    const int timeout = wait_ms();
    ::poll(set_.entries().data(), set_.entries().size(), timeout);
}

void Guest::take(const wire::Frame& frame) {
    if (stop_) return;
    if (frame.kind == wire::Kind::Request) return open(frame.channel, frame.payload);
    const auto found = operations_.find(frame.channel);
    if (found == operations_.end() || found->second->ended()) return;
    Operation& operation = *found->second;
    switch (frame.kind) {
        case wire::Kind::Data: operation.data(frame.payload); break;
        case wire::Kind::Eof: operation.eof(); break;
        case wire::Kind::Credit:
            if (const auto bytes = wire::parse_credit(frame.payload)) operation.add_credit(*bytes);
            break;
        case wire::Kind::Control:
            if (const auto command = fields::parse_object(frame.payload)) {
                operation.control(*command);
            }
            break;
        default: break;
    }
}

void Guest::open(std::uint32_t channel, std::string_view payload) {
    if (operations_.count(channel) != 0 || operations_.size() >= kOperationsMax) {
        Answer refusal(link_, channel);
        return refusal.fail("exhausted", "too many operations at once, or a channel used twice");
    }
    auto request = fields::parse_object(payload);
    if (!request) {
        Answer refusal(link_, channel);
        return refusal.fail("invalid_argument", "the request is " + request.error().message);
    }
    auto& operation = operations_[channel] = begin(channel, *request);
    // What a run has changed goes with its end: the host need not ask for it.
    if (const auto changes = number_of(*request, "tell"); changes > 0) {
        operation->before_end([this, changes, number = number_of(*request, "tell_number")] {
            const auto found = operations_.find(static_cast<std::uint32_t>(changes));
            if (found == operations_.end() || found->second->ended()) return;
            found->second->control({{"do", "tell"}, {"number", number}});
        });
    }
}

std::unique_ptr<Operation> Guest::begin(std::uint32_t channel, const json::object& request) {
    const std::string op = text_of(request, "op");
    if (op == "process.start") {
        auto process = std::make_unique<Process>(link_, channel);
        process->start(request, surroundings_);
        return process;
    }
    if (op == "kernel.run" || op == "kernel.call") {
        const bool is_run = op == "kernel.run";
        json::object inner;
        if (is_run) {
            inner = request;
            inner["op"] = "run";
            inner.erase("tell");
            inner.erase("tell_number");
        } else if (const auto* call = request.if_contains("request");
                   call != nullptr && call->is_object()) {
            inner = call->get_object();
        }
        auto kind = KernelCall::Kind::Other;
        if (is_run) kind = KernelCall::Kind::Run;
        if (!is_run && text_of(inner, "op") == "warm") kind = KernelCall::Kind::Warm;
        if (!is_run && text_of(inner, "op") == "import") kind = KernelCall::Kind::Import;
        auto call = std::make_unique<KernelCall>(
            link_, channel, json::serialize(inner), kind,
            std::chrono::milliseconds(number_of(request, "timeout_ms")),
            std::chrono::milliseconds(number_of(request, "grace_ms", 2000)));
        begin_kernel(*call, request);
        return call;
    }
    if (op == "file.watch") return begin_watch(link_, channel, request, surroundings_.user);
    if (op == "file.changes") return begin_changes(link_, channel, request);
    if (op == "dial") return begin_dial(link_, channel, request);
    if (op.rfind("file.", 0) == 0) {
        return begin_file_operation(link_, channel, op, request, surroundings_);
    }
    auto answer = std::make_unique<Answer>(link_, channel);
    if (op == "ping") {
        answer->end();
    } else if (op == "claim") {
        const bool first = !claimed_;
        claim(*answer, request);
        // The host need not wait for the answer: nothing may run without what was to be there.
        stop_ = stop_ || (first && answer->failed());
    } else if (op == "stats") {
        stats(*answer);
    } else if (op == "process.list") {
        list_programs(*answer);
    } else if (op == "port.list") {
        list_ports(*answer);
    } else if (op == "shutdown") {
        answer->end();
        stop_ = true;
    } else if (op.rfind("kernel.", 0) == 0) {
        answer_kernel_request(*answer, op, request);
    } else {
        answer->fail("invalid_argument", "there is no operation " + op);
    }
    return answer;
}

void Guest::begin_kernel(KernelCall& call, const json::object& request) {
    const std::string context = text_of(request, "context", kDefaultContext);
    const std::string named = text_of(request, "language");
    const auto language = named == name_of(KernelLanguage::JavaScript) ? KernelLanguage::JavaScript
                                                                       : KernelLanguage::Python;
    if (!has_kernels_) {
        return call.fail("unavailable", "this sandbox was started without kernels");
    }
    auto& kernel = kernels_[context];
    if (kernel == nullptr) {
        if (kernels_.size() > kKernelsMax) {
            kernels_.erase(context);
            return call.fail("exhausted", "a sandbox holds at most 64 contexts");
        }
        kernel =
            std::make_unique<Kernel>(context, text_of(request, "cwd", kDefaultDirectory), language);
    }
    if (flag_of(request, "fresh_cwd")) {
        kernel->begin_in(text_of(request, "cwd", kDefaultDirectory), surroundings_);
    }
    if (!named.empty() && kernel->language() != language) {
        return call.fail("conflict", "the context " + context + " runs " +
                                         std::string(name_of(kernel->language())) +
                                         "; name another one for " + named);
    }
    kernel->submit(call);
}

void Guest::answer_kernel_request(Operation& operation, const std::string& op,
                                  const json::object& request) {
    const std::string context = text_of(request, "context", kDefaultContext);
    if (op == "kernel.list") {
        json::array list;
        for (const auto& [name, kernel] : kernels_) {
            list.push_back({{"context", name},
                            {"pid", kernel->pid()},
                            {"idle", kernel->idle()},
                            {"runs", kernel->runs()},
                            {"restarted", kernel->restarted()},
                            {"state_lost", kernel->state_lost()},
                            {"language", name_of(kernel->language())},
                            {"cwd", kernel->directory()}});
        }
        return operation.end({{"kernels", std::move(list)}});
    }
    const auto found = kernels_.find(context);
    if (found == kernels_.end()) {
        return operation.fail("not_found", "there is no context " + context);
    }
    Kernel& kernel = *found->second;
    if (op == "kernel.interrupt") {
        const bool was_idle = kernel.idle();
        if (KernelCall* call = kernel.current()) {
            call->control(
                {{"do", "interrupt"}, {"grace_ms", number_of(request, "grace_ms", 2000)}});
        }
        return operation.end({{"was_idle", was_idle}});
    }
    if (op == "kernel.restart" || op == "kernel.delete") {
        // Whoever waits on the old kernel is told; a restart forks a fresh one in its place.
        const std::string directory = kernel.directory();
        const auto language = kernel.language();
        let_go_of(kernel);
        kernels_.erase(found);
        if (op == "kernel.restart") {
            kernels_[context] =
                std::make_unique<Kernel>(context, directory, language, Kernel::kRestarted);
        }
        return operation.end();
    }
    operation.fail("invalid_argument", "there is no operation " + op);
}

// What is left of it is no program of the user's: it is killed with its Kernel, or, when it is
// still on its way here, ends as soon as it comes.
void Guest::let_go_of(const Kernel& kernel) {
    if (kernel.pid() > 0) leaving_.insert(kernel.pid());
    if (kernel.awaited()) unwanted_until_ = Clock::now() + Kernel::kSummonTimeMax;
}

void Guest::start_kernels() {
    for (auto at = kernels_.begin(); at != kernels_.end();) {
        auto& [context, kernel] = *at++;
        if (!kernel->wanted()) continue;
        const bool from_zygote = kernel->language() == KernelLanguage::Python;
        if (from_zygote && !kernel->forsaken() && kernel->summon(bell_.get())) {
            kernel->admit(surroundings_);
        } else if (!kernel->start_as_program(surroundings_)) {
            if (KernelCall* call = kernel->current()) {
                kernel->forget(*call);
                call->fail_errno("start a kernel for " + context);
            }
            // The next call tries again; this loop would without end.
            if (!from_zygote) kernels_.erase(std::prev(at));
        }
    }
}

// One that ended at once may have been reaped before its first message was read.
void Guest::bury_kernels() {
    bool awaited = false;
    for (auto& [context, kernel] : kernels_) {
        awaited = awaited || kernel->awaited();
        const auto found = unknown_dead_.find(kernel->pid());
        if (found != unknown_dead_.end()) kernel->process_ended(found->second);
    }
    if (!awaited) unknown_dead_.clear();
}

void Guest::hear_signals() {
    bool thawed = false;
    signalfd_siginfo heard[8];
    ssize_t n = 0;
    while ((n = ::read(signals_.get(), heard, sizeof heard)) > 0) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(n) / sizeof *heard; ++i) {
            // Only a sender outside of our PID namespace has no number here; a program that sent
            // this from inside would buy itself time.
            thawed = thawed || (heard[i].ssi_signo == SIGUSR1 && heard[i].ssi_code == SI_USER &&
                                heard[i].ssi_pid == 0);
        }
    }
    if (!thawed) return;
    const auto time = Clock::now() - turn_began_;
    for (auto& [channel, operation] : operations_) operation->stood_still(time);
}

void Guest::reap() {
    for (;;) {
        int status = 0;
        const pid_t pid = ::waitpid(-1, &status, WNOHANG);
        if (pid <= 0) return;
        leaving_.erase(pid);
        for (auto& [channel, operation] : operations_) operation->child_ended(pid, status);
        bool known = false, awaited = false;
        for (auto& [context, kernel] : kernels_) {
            awaited = awaited || kernel->awaited();
            if (kernel->pid() != pid) continue;
            known = true;
            kernel->process_ended(status);
        }
        if (awaited && !known && unknown_dead_.size() < kUnknownDeadMax) {
            unknown_dead_[pid] = status;
        }
    }
}

StartingKernels Guest::starting_kernels() const {
    StartingKernels starting;
    for (const auto& [context, kernel] : kernels_) {
        if (!kernel->starting()) continue;
        if (kernel->awaited()) {
            starting.more = true;
        } else {
            starting.known.insert(kernel->pid());
        }
    }
    return starting;
}

void Guest::check_memory() {
    const std::uint64_t most = surroundings_.watched_memory_bytes_max;
    const std::uint64_t bound = memory_bound();
    // A look in detail is for what may be too much, and for the peak of what is running: when it
    // has grown, and now and then, since a page that was shared becomes private unseen.
    const bool is_news = !is_idle() && (bound > memory_bound_ + most / kPeakParts ||
                                        memory_checked_ - memory_measured_ >= kMemoryMeasuredEvery);
    if (bound <= most && !is_news) return;
    memory_bound_ = bound;
    memory_measured_ = memory_checked_;
    const MemoryUse use = measure_memory(starting_kernels());
    memory_peak_bytes_ = std::max(memory_peak_bytes_, use.bytes);
    if (use.bytes <= most || use.largest <= 1) return;
    ++memory_kills_;
    for (auto& [context, kernel] : kernels_) {
        if (kernel->pid() == use.largest) return kernel->kill_for_memory();
    }
    ::kill(use.largest, SIGKILL);
}

bool Guest::looks_at_processes() const {
    return surroundings_.watched_memory_bytes_max > 0 || share_max_.has_value();
}

void Guest::check_user_share() {
    const UserShareUse use = measure_user_share(*share_max_);
    if (!use.beyond) return;
    ++share_kills_;
    ::kill(use.most, SIGKILL);
}

void Guest::claim(Operation& operation, const json::object& request) {
    if (claimed_) return operation.fail("conflict", "this sandbox is somebody's already");
    claimed_ = true;
    // What the claim names is opened first of all, and the folder of all sessions closed: whatever
    // fails after that, from here on this sandbox is somebody's.
    const bool kept = request.contains("kept");
    UniqueFd tree;
    if (kept) {
        // The mount itself, or the name of one where the nest has them all.
        const std::string name = text_of(request, "kept");
        tree = name.empty() ? link_.take_descriptor()
                            : UniqueFd(kept_folder_named(surroundings_, name));
    }
    const int cause = errno;
    struct Shown {
        UniqueFd tree;
        std::string target;
    };
    std::vector<Shown> shown;
    if (const auto* list = request.if_contains("shown"); list != nullptr && list->is_array()) {
        for (const auto& one : list->get_array()) {
            if (!one.is_object()) continue;
            UniqueFd found(shown_folder_named(surroundings_, text_of(one.get_object(), "name")));
            if (found.get() < 0) {
                operation.fail_errno("open what is to be shown");
                return forget_other_sessions(surroundings_);
            }
            shown.push_back({std::move(found), text_of(one.get_object(), "target")});
        }
    }
    forget_other_sessions(surroundings_);
    if (kept && tree.get() < 0) {
        errno = cause;
        return operation.fail_errno("open the session's folder");
    }
    const auto before = surroundings_.disk;
    const auto limits_before = surroundings_.limits;
    apply_config(request, surroundings_);
    sys::StepFailure failure;
    if (surroundings_.disk.bytes_max != before.bytes_max ||
        surroundings_.disk.inodes_max != before.inodes_max) {
        if (!sys::resize_tmpfs("/session", surroundings_.disk, failure)) {
            errno = failure.cause;
            return operation.fail_errno(failure.step);
        }
    }
    if (request.contains("limits") && !update_limits(surroundings_, failure)) {
        errno = failure.cause;
        return operation.fail_errno(failure.step);
    }
    limits_are_final(surroundings_);
    if (kept && !show_kept_folders(tree.get(), surroundings_, failure)) {
        errno = failure.cause;
        return operation.fail_errno(failure.step);
    }
    if (const auto* mounts = request.if_contains("mounts");
        mounts != nullptr && mounts->is_array()) {
        for (const auto& target : mounts->get_array()) {
            const UniqueFd mount = link_.take_descriptor();
            if (!target.is_string() || mount.get() < 0) {
                return operation.fail("invalid_argument", "the descriptor of a mount is missing");
            }
            if (!attach_mount(mount.get(), target.get_string().c_str(), surroundings_.user,
                              failure)) {
                errno = failure.cause;
                return operation.fail_errno(failure.step);
            }
        }
    }
    for (const auto& one : shown) {
        if (!attach_mount(one.tree.get(), one.target.c_str(), surroundings_.user, failure)) {
            errno = failure.cause;
            return operation.fail_errno(failure.step);
        }
    }
    if (kept || request.contains("mounts") || !shown.empty()) {
        // Rules go by what lies at a path when they are made.
        if (surroundings_.landlock_fd >= 0) ::close(surroundings_.landlock_fd);
        surroundings_.landlock_fd = sys::make_landlock_ruleset(kWritable);
    }
    if (const std::string name = text_of(request, "hostname"); !name.empty()) {
        [[maybe_unused]] const int unchecked = ::sethostname(name.data(), name.size());
    }
    // Again: on cgroup v2 the host moved PID 1 from outside, after the walls were raised.
    [[maybe_unused]] const int unchecked = ::unshare(CLONE_NEWCGROUP);
    // A kernel that was forked ahead has the limits of then; where they differ it is forked anew.
    if (!(surroundings_.limits == limits_before)) {
        for (auto& [context, kernel] : kernels_) {
            const std::string directory = kernel->directory();
            let_go_of(*kernel);
            kernel = std::make_unique<Kernel>(context, directory);
        }
    } else if (kept || request.contains("env")) {
        for (auto& [context, kernel] : kernels_) kernel->renew_environment(surroundings_);
    }
    operation.end();
}

// What a host that ends this sandbox ends with it, kernels aside.
void Guest::list_programs(Operation& operation) {
    std::set<pid_t> kernels = leaving_;
    bool coming = Clock::now() < unwanted_until_;
    for (const auto& [context, kernel] : kernels_) {
        kernels.insert(kernel->pid());
        coming = coming || kernel->awaited();
    }
    json::array list;
    for (auto& program : programs_except(kernels, coming)) {
        list.push_back({{"pid", program.pid}, {"command", std::move(program.command)}});
    }
    operation.end({{"processes", std::move(list)}});
}

void Guest::list_ports(Operation& operation) {
    constexpr std::size_t kPortsMax = 1024;
    json::array list;
    for (const auto port : listening_ports()) {
        if (list.size() < kPortsMax) list.push_back(port);
    }
    operation.end({{"ports", std::move(list)}});
}

void Guest::stats(Operation& operation) {
    struct statvfs disk {};
    ::statvfs("/session", &disk);
    const MemoryUse use = measure_memory(starting_kernels());
    operation.end({{"processes", use.processes},
                   {"private_bytes", use.bytes},
                   {"memory_peak_bytes", memory_peak_bytes_},
                   {"memory_kills", memory_kills_},
                   {"share_kills", share_kills_},
                   {"disk_bytes_used", (disk.f_blocks - disk.f_bfree) * disk.f_frsize},
                   {"disk_bytes_max", disk.f_blocks * disk.f_frsize},
                   {"inodes_used", disk.f_files - disk.f_ffree},
                   {"inodes_full", disk.f_ffree == 0}});
}

}  // namespace atl::guest
