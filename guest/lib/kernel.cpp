#include "guest/lib/kernel.hpp"

#include "base/fields.hpp"
#include "guest/lib/config.hpp"
#include "guest/lib/process.hpp"
#include "guest/lib/process_tree.hpp"
#include "guest/lib/spawn.hpp"
#include "sys/descriptor_passing.hpp"
#include "wire/assembler.hpp"

#include <boost/json/serialize.hpp>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::guest {

namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
// What a kernel writes as fast as it can must not keep PID 1 from its clock and its other work.
constexpr std::size_t kWorkAnIteration = 1 << 20;
constexpr std::size_t kWorkAtItsEnd = 32 << 20;  // all that can lie in its pipes, and more
constexpr std::size_t kWorkAStep = 256;          // in addition to the bytes that a step moves
constexpr std::chrono::milliseconds kAskAgain{250};

std::size_t bytes_waiting(const UniqueFd& pipe) {
    int bytes = 0;
    if (pipe.get() < 0 || ::ioctl(pipe.get(), FIONREAD, &bytes) != 0) return 0;
    return static_cast<std::size_t>(bytes);
}

bool pipe_for_reading(UniqueFd& ours, UniqueFd& theirs) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    ours = UniqueFd(ends[0]);
    theirs = UniqueFd(ends[1]);
    return ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

}  // namespace

std::string_view name_of(KernelLanguage language) noexcept {
    return language == KernelLanguage::Python ? "python" : "javascript";
}

Kernel::~Kernel() {
    while (!queue_.empty()) {
        KernelCall* call = queue_.front();
        queue_.pop_front();
        call->kernel_ = nullptr;
        call->fail("conflict", "the context " + context_ + " was restarted or deleted meanwhile");
    }
    if (pid() > 0) kill_tree(pid_, "kernel-" + context_);
}

bool Kernel::make_pipes(UniqueFd& link, UniqueFd& out, UniqueFd& err) {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return false;
    link_ = UniqueFd(pair[0]);
    link = UniqueFd(pair[1]);
    if (::fcntl(link_.get(), F_SETFL, O_NONBLOCK) != 0 || !pipe_for_reading(out_, out) ||
        !pipe_for_reading(err_, err)) {
        link_ = UniqueFd();
        return false;
    }
    in_.clear();
    in_taken_ = in_looked_ = 0;
    owed_.reset();
    more_ = false;
    pending_.clear();
    event_.clear();
    event_sent_ = 0;
    sent_current_ = false;
    sealed_ = false;
    answered_ = false;
    out_of_memory_ = false;
    starts_unanswered_ = 0;
    input_unacknowledged_ = 0;
    return true;
}

bool Kernel::summon(int bell) {
    UniqueFd link, out, err;
    if (!make_pipes(link, out, err)) return false;
    const int along[] = {link.get(), out.get(), err.get()};
    if (sys::send_with(bell, "k", along) != 1) {
        did_not_come();
        return false;
    }
    summoned_ = Clock::now();
    return true;
}

void Kernel::admit(const Surroundings& surroundings) {
    post(kKernelConfig, json::serialize(describe_limits(surroundings)));
    post_start(surroundings);
}

bool Kernel::start_as_program(const Surroundings& surroundings) {
    UniqueFd link, out, err;
    if (!make_pipes(link, out, err)) return false;
    const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    Launch launch;
    launch.argv = language_ == KernelLanguage::Python ? surroundings.kernel_program
                                                      : surroundings.javascript_program;
    for (const auto& [name, value] : environment_for(surroundings, {}, "kernel-" + context_)) {
        launch.environment.push_back(name + "=" + value);
    }
    launch.in = nothing.get();
    launch.out = out.get();
    launch.err = err.get();
    launch.link = link.get();
    launch.confinement = surroundings.confinement();
    launch.oom_score_fd = surroundings.oom_score_fd;
    const pid_t pid = spawn(launch);
    if (pid < 0) {
        link_ = UniqueFd();
        errno = launch.failure.cause;
        return false;
    }
    sealed_ = true;  // with its start, as any program
    answered_ = true;
    post_start(surroundings);
    arrived(pid);
    return true;
}

void Kernel::arrived(pid_t pid) {
    pid_ = pid;
    forsaken_ = false;
    if (!queue_.empty()) send_current();
}

void Kernel::did_not_come() {
    for (UniqueFd* end : {&link_, &out_, &err_}) *end = UniqueFd();
    forsaken_ = true;
}

void Kernel::post_start(const Surroundings& surroundings) {
    json::object environment;
    for (const auto& [name, value] : environment_for(surroundings, {}, "kernel-" + context_)) {
        environment[name] = value;
    }
    post('q', json::serialize(json::object{{"op", "start"},
                                           {"context", context_},
                                           {"cwd", directory_},
                                           {"env", std::move(environment)}}));
    ++starts_unanswered_;
}

void Kernel::renew_environment(const Surroundings& surroundings) {
    // One that is on its way hears this behind what it was told first.
    if ((pid() > 0 || awaited()) && idle()) post_start(surroundings);
}

void Kernel::begin_in(const std::string& directory, const Surroundings& surroundings) {
    if (runs_ > 0 || directory == directory_ || !idle()) return;
    directory_ = directory;
    renew_environment(surroundings);
}

void Kernel::post(char type, std::string_view payload) {
    const auto length = static_cast<std::uint32_t>(payload.size());
    pending_.append(reinterpret_cast<const char*>(&length), sizeof length);
    pending_.push_back(type);
    pending_.append(payload);
    (void)write_pending();
}

bool Kernel::write_pending() {
    while (!pending_.empty() && link_.get() >= 0) {
        const ssize_t n = ::send(link_.get(), pending_.data(), pending_.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;  // full, or gone: then its end is reported by the loop
        pending_.erase(0, static_cast<std::size_t>(n));
    }
    if (pending_.empty() && input_unacknowledged_ > 0 && current() != nullptr) {
        current()->consumed(std::exchange(input_unacknowledged_, 0));
    }
    return true;
}

void Kernel::submit(KernelCall& call) {
    call.kernel_ = this;
    queue_.push_back(&call);
    if (queue_.size() == 1 && pid() > 0) send_current();
}

void Kernel::send_current() {
    KernelCall& call = *queue_.front();
    if (!sealed_ && call.kind_ != KernelCall::Kind::Warm) {
        post(kKernelSeal, {});
        sealed_ = true;
    }
    if (call.kind_ == KernelCall::Kind::Import) imported_ = true;
    if (call.kind_ == KernelCall::Kind::Run) {
        ++runs_;
        deliver_background();
    }
    post('q', call.request_);
    call.request_ = {};
    sent_current_ = true;
    // What came while it was queued, or while the kernel was started.
    if (!call.held_.empty()) call.data(std::exchange(call.held_, {}));
    if (call.held_eof_) call.eof();
    if (call.timeout_.count() > 0) call.deadline_ = Clock::now() + call.timeout_;
}

void Kernel::deliver_background() {
    KernelCall& call = *queue_.front();
    if (!background_out_.empty()) call.send(wire::Kind::Stdout, std::exchange(background_out_, {}));
    if (!background_err_.empty()) call.send(wire::Kind::Stderr, std::exchange(background_err_, {}));
}

void Kernel::forget(KernelCall& call) {
    for (auto at = queue_.begin(); at != queue_.end(); ++at) {
        if (*at != &call) continue;
        queue_.erase(at);
        return;
    }
}

void Kernel::watch(PollSet& set) {
    watched_link_ = watched_out_ = watched_err_ = {};
    if (awaited() && Clock::now() - summoned_ > kSummonTimeMax) return did_not_come();
    const KernelCall* call = current();
    const bool room = call == nullptr || call->may_send();
    short events = room ? POLLIN : 0;
    if (!pending_.empty()) events |= POLLOUT;
    if (link_.get() >= 0 && events != 0) watched_link_.slot = set.add(link_.get(), events);
    if (room && out_.get() >= 0) watched_out_.slot = set.add(out_.get(), POLLIN);
    if (room && err_.get() >= 0) watched_err_.slot = set.add(err_.get(), POLLIN);
}

std::size_t Kernel::pass_output(UniqueFd& source, std::size_t bytes_max, wire::Kind kind,
                                std::string& background) {
    char piece[kReadBytes];
    if (source.get() < 0 || bytes_max == 0) return 0;
    const ssize_t n = ::read(source.get(), piece, std::min(sizeof piece, bytes_max));
    if (n == 0) source = UniqueFd();
    if (n <= 0) return 0;
    const std::string_view bytes(piece, static_cast<std::size_t>(n));
    KernelCall* call = current();
    if (call != nullptr && call->kind_ == KernelCall::Kind::Run) {
        call->send(kind, bytes);
        return bytes.size();
    }
    // Between runs a thread or a child may still print. The latest of it is shown with the next
    // run; a pipe that nobody reads would stop the program instead.
    background.append(bytes);
    if (background.size() > kBackgroundBytesMax) {
        background.erase(0, background.size() - kBackgroundBytesMax);
    }
    return bytes.size();
}

std::size_t Kernel::read_link() {
    char piece[kReadBytes];
    if (link_.get() < 0) return 0;
    const ssize_t n = ::recv(link_.get(), piece, sizeof piece, MSG_DONTWAIT);
    if (n <= 0) {
        // The process is going; its end is reported by the loop. One that never came has none.
        if (n == 0 && awaited())
            did_not_come();
        else if (n == 0)
            link_ = UniqueFd();
        return 0;
    }
    // At once when all is taken, else when it is worth the copying.
    if (in_taken_ >= in_.size() / 2) {
        in_.erase(0, in_taken_);
        in_looked_ -= std::min(in_looked_, in_taken_);
        in_taken_ = 0;
    }
    in_.append(piece, static_cast<std::size_t>(n));
    return static_cast<std::size_t>(n);
}

std::optional<Kernel::Header> Kernel::next_header() const {
    if (in_.size() - in_taken_ < kKernelMessageHeader) return {};
    Header header;
    std::memcpy(&header.length, in_.data() + in_taken_, sizeof header.length);
    header.type = in_[in_taken_ + sizeof header.length];
    header.whole = in_.size() - in_taken_ - kKernelMessageHeader >= header.length;
    return header;
}

void Kernel::pump(std::size_t work_max) {
    (void)write_pending();
    more_ = false;
    for (std::size_t work = 0; work < work_max;) {
        const std::size_t moved = step();
        if (moved == 0) return bury_if_silent();
        work += moved;
    }
    more_ = true;
}

void Kernel::pump(const PollSet& set) {
    // Of one that has ended everything is read: nobody may be told its end before what it said.
    for (Watched* one : {&watched_link_, &watched_out_, &watched_err_}) {
        one->ready = ended_ || set.ready(one->slot);
    }
    pump(kWorkAnIteration);
}

// Moves what can be moved now, in the order in which it was written: a message from the kernel is
// handled only after what was in the pipes when it came, since what was printed before it counts.
std::size_t Kernel::step() {
    KernelCall* call = current();
    if (call != nullptr && !call->may_send()) return 0;
    if (!event_.empty()) {
        const std::string_view rest = std::string_view(event_).substr(event_sent_);
        const auto piece = rest.substr(0, wire::kPayloadBytesMax);
        const bool last = piece.size() == rest.size();
        if (call != nullptr) call->send(wire::Kind::Event, piece, last ? 0 : wire::kFlagMore);
        event_sent_ += piece.size();
        const std::size_t moved = piece.size();
        if (last) {
            event_.clear();
            event_sent_ = 0;
        }
        return kWorkAStep + moved;
    }
    auto header = next_header();
    if (!header || !header->whole) {
        if (header && (header->length > kMessageBytesMax || !is_known(header->type))) {
            disown();
            return 0;
        }
        std::size_t moved = 0;
        if (watched_link_.ready) {
            moved = read_link();
            watched_link_.ready = left_over(moved);
        }
        if (moved == 0) moved = pass_ready_output();
        return moved == 0 ? 0 : kWorkAStep + moved;
    }
    // What was printed before a message was in the pipes when the message was read: one look is
    // enough for all messages that were read together.
    const std::size_t message_end = in_taken_ + kKernelMessageHeader + header->length;
    if (!owed_ && message_end > in_looked_) {
        in_looked_ = in_.size();
        owed_ = Owed{bytes_waiting(out_), bytes_waiting(err_)};
    }
    if (!owed_) return take_message(*header);
    if (const auto n = pass_output(out_, owed_->out, wire::Kind::Stdout, background_out_); n > 0) {
        owed_->out -= n;
        return kWorkAStep + n;
    }
    if (const auto n = pass_output(err_, owed_->err, wire::Kind::Stderr, background_err_); n > 0) {
        owed_->err -= n;
        return kWorkAStep + n;
    }
    owed_.reset();
    return take_message(*header);
}

// A short read took all there was, and poll tells of what comes after it. Nobody polls for one that
// has ended.
bool Kernel::left_over(std::size_t moved) const { return ended_ ? moved > 0 : moved == kReadBytes; }

std::size_t Kernel::pass_ready_output() {
    std::size_t moved = 0;
    if (watched_out_.ready) {
        moved = pass_output(out_, kReadBytes, wire::Kind::Stdout, background_out_);
        watched_out_.ready = left_over(moved);
    }
    if (moved == 0 && watched_err_.ready) {
        moved = pass_output(err_, kReadBytes, wire::Kind::Stderr, background_err_);
        watched_err_.ready = left_over(moved);
    }
    return moved;
}

bool Kernel::is_known(char type) const {
    if (awaited()) return type == kKernelPid;
    return type == 'e' || type == 'b' || type == 'd';
}

// Not our kernel's code any more: it ends, and nothing that it or its children say is heard.
void Kernel::disown() {
    in_.clear();
    in_taken_ = in_looked_ = 0;
    if (awaited()) return did_not_come();
    link_ = UniqueFd();
    kill();
}

std::size_t Kernel::take_message(const Header& header) {
    if (header.length > kMessageBytesMax || !is_known(header.type)) {
        disown();
        return 0;
    }
    std::string payload = in_.substr(in_taken_ + kKernelMessageHeader, header.length);
    in_taken_ += kKernelMessageHeader + header.length;
    const std::size_t work = kWorkAStep + payload.size();
    if (awaited()) {
        std::int32_t pid = 0;
        if (payload.size() == sizeof pid) std::memcpy(&pid, payload.data(), sizeof pid);
        if (pid > 1) arrived(pid);
        return work;
    }
    answered_ = true;
    if (header.type == 'd' && starts_unanswered_ > 0) {
        --starts_unanswered_;
        return work;
    }
    KernelCall* call = current();
    if (call == nullptr || !sent_current_) return work;  // an answer to nothing
    switch (header.type) {
        case 'e':
            event_ = std::move(payload);
            event_sent_ = 0;
            break;
        case 'b': {
            std::string_view rest = payload;
            while (!rest.empty()) {
                const auto piece = rest.substr(0, wire::kPayloadBytesMax);
                call->send(wire::Kind::Data, piece);
                rest.remove_prefix(piece.size());
            }
            break;
        }
        case 'd': finish_current(payload); break;
        default: break;
    }
    return work;
}

void Kernel::finish_current(std::string_view kernel_json) {
    KernelCall& call = *queue_.front();
    queue_.pop_front();
    sent_current_ = false;
    call.kernel_ = nullptr;
    json::object result{{"ok", true}};
    const bool is_run = call.kind_ == KernelCall::Kind::Run;
    if (is_run && std::exchange(state_lost_, false)) result["state_lost_before"] = true;
    if (call.stopping_ == KernelCall::Stopping::Timeout) result["timed_out"] = true;
    if (call.stopping_ == KernelCall::Stopping::Interrupt) result["interrupted"] = true;
    // The kernel's own words stand by themselves, in one field: what is no object could otherwise
    // close ours and speak in our name.
    constexpr std::size_t kRoom = 256;
    result["kernel"] = nullptr;
    if (kernel_json.size() + kRoom <= wire::kPayloadBytesMax) {
        if (auto parsed = fields::parse_object(kernel_json)) result["kernel"] = std::move(*parsed);
    }
    std::string text = json::serialize(result);
    if (text.size() > wire::kPayloadBytesMax) {  // escaped, some texts grow
        result["kernel"] = nullptr;
        text = json::serialize(result);
    }
    call.end_raw(text);
    if (!queue_.empty()) send_current();
}

void Kernel::process_ended(int status) {
    // Whatever it started dies with it: a new kernel must not meet the old one's children.
    kill_tree(pid_, "kernel-" + context_);
    ended_ = status;
    // What it managed to say before it died still counts.
    for (Watched* one : {&watched_link_, &watched_out_, &watched_err_}) one->ready = true;
    pump(kWorkAtItsEnd);
    if (more_) bury();  // somebody who cannot be ended still prints into its pipes
}

void Kernel::bury_if_silent() {
    const KernelCall* call = current();
    if (ended_ && (call == nullptr || call->may_send())) bury();
}

void Kernel::bury() {
    const int status = *std::exchange(ended_, std::nullopt);
    pid_ = -1;
    more_ = false;
    link_ = UniqueFd();
    // Said again with the next run: who sends that one need not be who hears this answer.
    state_lost_ = state_lost_ || runs_ > 0 || imported_;
    KernelCall* call = current();
    if (call == nullptr || !sent_current_) return;
    queue_.pop_front();
    sent_current_ = false;
    call->kernel_ = nullptr;
    json::object result{{"ok", true}, {"died", true}, {"state_lost", true}};
    if (call->stopping_ == KernelCall::Stopping::Timeout) result["timed_out"] = true;
    if (call->stopping_ == KernelCall::Stopping::Interrupt) result["interrupted"] = true;
    if (out_of_memory_) result["out_of_memory"] = true;
    if (WIFSIGNALED(status)) {
        result["signal"] = WTERMSIG(status);
    } else {
        result["exit_code"] = WEXITSTATUS(status);
    }
    call->end_raw(json::serialize(result));
}

void Kernel::signal(int number) {
    if (pid() <= 0) return;
    // The kernel leads its own group, so that `!sleep 100` hears an interrupt as well.
    if (::kill(-pid_, number) != 0) ::kill(pid_, number);
}

void Kernel::kill() {
    if (pid() > 0) ::kill(pid_, SIGKILL);
}

void Kernel::kill_for_memory() {
    out_of_memory_ = true;
    kill();
}

KernelCall::~KernelCall() {
    if (kernel_ != nullptr) kernel_->forget(*this);
}

void KernelCall::data(std::string_view bytes) {
    if (kernel_ == nullptr) return;
    if (!under_way()) {
        held_.append(bytes);  // bounded: what is held earns no credit
        return;
    }
    kernel_->input_unacknowledged_ += bytes.size();
    kernel_->post('b', bytes);
}

void KernelCall::eof() {
    if (kernel_ == nullptr) return;
    if (under_way())
        kernel_->post('f', {});
    else
        held_eof_ = true;
}

bool KernelCall::under_way() const { return kernel_->current() == this && kernel_->sent_current_; }

void KernelCall::begin_stop(Stopping why, std::chrono::milliseconds grace) {
    if (kernel_ == nullptr) return;
    if (kernel_->current() != this || !kernel_->sent_current_) {  // still queued
        Kernel* kernel = std::exchange(kernel_, nullptr);
        kernel->forget(*this);
        end({{"interrupted", true}, {"started", false}});
        return;
    }
    stopping_ = why;
    kill_at_ = Clock::now() + grace;
    ask_to_stop();
}

void KernelCall::ask_to_stop() {
    kernel_->signal(SIGINT);
    deadline_ = std::min(*kill_at_, Clock::now() + kAskAgain);
}

void KernelCall::control(const json::object& command) {
    const std::string what = text_of(command, "do");
    if (what == "interrupt" || what == "cancel") {
        begin_stop(Stopping::Interrupt,
                   std::chrono::milliseconds(number_of(command, "grace_ms", grace_.count())));
    } else if (what == "input" && kernel_ != nullptr && kernel_->current() == this) {
        kernel_->post('i', json::serialize(command));
    }
}

void KernelCall::time_is_up() {
    deadline_.reset();
    if (stopping_ == Stopping::No) {
        begin_stop(Stopping::Timeout, grace_);
    } else if (kernel_ != nullptr && Clock::now() < *kill_at_) {
        ask_to_stop();  // one that came before the cell began was lost
    } else if (kernel_ != nullptr) {
        kernel_->kill();  // it would not listen; the answer says that its state is lost
    }
}

}  // namespace atl::guest
