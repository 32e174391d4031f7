#include "api/e2b/process_registry.hpp"

#include "base/must.hpp"

#include <algorithm>

namespace atl::api::e2b {

namespace {

constexpr std::chrono::seconds kRememberTime{30};
// Each has up to half a MiB, with the last that it printed: a loop of short commands must not fill
// the server within that time.
constexpr std::size_t kEndedMax = 32;
constexpr std::chrono::seconds kPatience{20};
// A reader may be so far behind before the program waits for it. What the program has credit for
// still comes then, and must find room in front of what the reader has not taken.
constexpr std::uint64_t kBehindBytes = 128 * 1024;
constexpr std::size_t kKeptBytes = kBehindBytes + guest_client::kUnpaidBytesMax + 64 * 1024;

bool is_remembered(const EnvdProcess& one) {
    const auto& ended = one.process().ended();
    return !ended || core::time_now() - ended->at <= kRememberTime;
}

[[noreturn]] void not_found(const std::string& what) {
    throw ErrorException({Code::NotFound, "process with " + what + " not found"});
}

}  // namespace

EnvdProcess::EnvdProcess(ProcessConfig config, sessions::Processes::ProcessPtr process,
                         const boost::asio::any_io_executor& executor)
    : config_(std::move(config)),
      process_(std::move(process)),
      patience_(executor, core::system_clock()) {}

EnvdProcess::Reader::Reader(std::shared_ptr<EnvdProcess> of, From from)
    : of_(std::move(of)),
      at_(from == From::Start ? of_->process().output_log().begin()
                              : of_->process().output_log().end()) {
    of_->readers_.push_back(this);
    of_->process().keep_output(kKeptBytes);
    of_->look_at_readers();
}

EnvdProcess::Reader::~Reader() {
    of_->readers_.remove(this);
    if (of_->readers_.empty()) of_->process().keep_output(0);
    of_->look_at_readers();
}

void EnvdProcess::Reader::took(std::size_t bytes) {
    at_ += bytes;
    of_->look_at_readers();
}

bool EnvdProcess::is_behind(const Reader& reader) const {
    return !reader.dropped_ && process_->output_log().end() - reader.at_ >= kBehindBytes;
}

void EnvdProcess::look_at_readers() {
    const bool hold = std::any_of(readers_.begin(), readers_.end(),
                                  [this](const Reader* reader) { return is_behind(*reader); });
    // Also when nothing has changed here: it may have been held from its start.
    process_->hold_output(hold);
    if (hold == holding_) return;
    holding_ = hold;
    if (!hold) {
        patience_.cancel();
        return;
    }
    patience_.expires_after(kPatience);
    patience_.then([this] { drop_the_slow(); });
}

void EnvdProcess::drop_the_slow() {
    for (Reader* reader : readers_) {
        if (is_behind(*reader)) reader->dropped_ = true;
    }
    look_at_readers();
    process_->wake();
}

void ProcessRegistry::tidy() {
    for (auto& [session, table] : tables_) {
        auto ended = static_cast<std::size_t>(std::count_if(
            table.begin(), table.end(),
            [](const ProcessPtr& one) { return one->process().ended().has_value(); }));
        std::erase_if(table, [&](const ProcessPtr& one) {
            const bool goes = !is_remembered(*one) || (one->process().ended() && ended > kEndedMax);
            if (goes) --ended;  // the oldest come first
            return goes;
        });
    }
    std::erase_if(tables_, [](const auto& entry) { return entry.second.empty(); });
}

ProcessRegistry::Table& ProcessRegistry::tidy_table(const SessionId& session) {
    tidy();
    return tables_[session.text()];
}

void ProcessRegistry::add(const SessionId& session, ProcessPtr process) {
    tidy_table(session).push_back(std::move(process));
}

std::vector<ProcessRegistry::ProcessPtr> ProcessRegistry::running(const SessionId& session) {
    auto all = tidy_table(session);
    std::erase_if(all, [](const ProcessPtr& one) { return !one->process().running(); });
    return all;
}

ProcessRegistry::ProcessPtr ProcessRegistry::by_pid(const SessionId& session, std::int64_t pid,
                                                    bool ended) {
    const auto& table = tidy_table(session);
    // The newest first: Linux gives numbers again.
    for (auto one = table.rbegin(); one != table.rend(); ++one) {
        if ((*one)->process().pid() == pid && (ended || (*one)->process().running())) return *one;
    }
    not_found("pid " + std::to_string(pid));
}

ProcessRegistry::ProcessPtr ProcessRegistry::by_tag(const SessionId& session,
                                                    const std::string& tag, bool ended) {
    const auto& table = tidy_table(session);
    for (auto one = table.rbegin(); one != table.rend(); ++one) {
        if ((*one)->config().tag == tag && (ended || (*one)->process().running())) return *one;
    }
    not_found("tag " + tag);
}

}  // namespace atl::api::e2b
