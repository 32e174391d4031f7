#include "guest_client/changes.hpp"

#include "base/as_tuple.hpp"
#include "base/fields.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>

namespace atl::guest_client {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kFilesMax = 8192;
constexpr std::size_t kPathBytesMax = 8192;
constexpr std::size_t kAllPathsBytesMax = 4u << 20;  // of a view

const json::object kQuestion{{"op", "file.changes"},
                             {"paths", {"/session", "/data", "/work"}},
                             {"live", {"/session/artifacts", "/data/outputs", "/work/artifacts"}}};

ChangedFile change_of(const json::object& entry) {
    ChangedFile change;
    change.path = fields::text_of(entry, "name").substr(0, kPathBytesMax);
    change.change = fields::text_of(entry, "change", "created").substr(0, 16);
    change.type = fields::text_of(entry, "type", "file").substr(0, 16);
    change.size =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, fields::number_of(entry, "size")));
    change.mtime_ns = fields::number_of(entry, "mtime_ns");
    change.exact = entry.if_contains("name_hex") == nullptr;
    return change;
}

// What a view has seen, and then something more of the same file.
void merge(std::map<std::string, ChangedFile>& files, const ChangedFile& change) {
    const auto known = files.find(change.path);
    if (known == files.end()) {
        files.emplace(change.path, change);
        return;
    }
    const bool was_created = known->second.change == "created";
    if (change.change == "removed" && was_created) {
        files.erase(known);
        return;
    }
    known->second = change;
    if (was_created) known->second.change = "created";
}

}  // namespace

Changes::Changes(asio::any_io_executor executor, std::shared_ptr<GuestLink> link,
                 std::chrono::milliseconds patience)
    : link_(std::move(link)),
      patience_(patience),
      came_(executor, asio::steady_timer::time_point::max()) {}

std::shared_ptr<Changes> Changes::open(asio::any_io_executor executor,
                                       std::shared_ptr<GuestLink> link,
                                       std::chrono::milliseconds patience) {
    std::shared_ptr<Changes> changes(new Changes(executor, std::move(link), patience));
    // Not now but in the next loop iteration: whoever waits for the sandbox is answered first, and
    // the guest's watching does not take the processor from him.
    asio::post(executor, [later = changes->weak_from_this()] {
        if (const auto self = later.lock()) self->ask();
    });
    return changes;
}

void Changes::ask() {
    if (std::exchange(asked_guest_, true)) return;
    ChannelHandlers handlers;
    handlers.event = [this](const json::object& one) { event(one); };
    handlers.ended = [this](const Result<json::object>&) {
        ended_ = true;
        came_.cancel();
    };
    channel_ = link_->open(kQuestion, std::move(handlers));
}

void Changes::say(const char* what) {
    ask();
    channel_.control({{"do", what}});
}

void Changes::begin(ChangeView& view) {
    views_.push_back(&view);
    // Only the first of runs that overlap may forget what was before.
    if (views_.size() == 1) say("begin");
}

void Changes::leave(ChangeView& view) noexcept {
    views_.erase(std::remove(views_.begin(), views_.end(), &view), views_.end());
}

void Changes::event(const json::object& event) {
    const std::string kind = fields::text_of(event, "event");
    if (kind == "artifact") {
        const auto* entry = event.if_contains("entry");
        if (entry == nullptr || !entry->is_object()) return;
        const ChangedFile change = change_of(entry->get_object());
        const auto views = views_;
        for (auto* view : views) {
            if (view->artifact_) view->artifact_(change);
        }
    } else if (kind == "changes") {
        const auto* entries = event.if_contains("entries");
        if (entries == nullptr || !entries->is_array()) return;
        for (const auto& one : entries->get_array()) {
            if (!one.is_object()) continue;
            const ChangedFile change = change_of(one.get_object());
            for (auto* view : views_) view->see(change);
        }
    } else if (kind == "told") {
        const auto number = static_cast<std::uint64_t>(fields::number_of(event, "number"));
        if (number <= asked_) told_ = std::max(told_, number);
        if (!fields::flag_of(event, "complete")) {
            for (auto* view : views_) view->complete_ = false;
        }
        came_.cancel();
    }
}

asio::awaitable<void> Changes::tell() {
    const auto self = shared_from_this();
    const std::uint64_t mine = ++asked_;
    ask();
    const json::object question{{"do", "tell"}, {"number", mine}};
    channel_.control(question);
    core::Timer patience(came_.get_executor(), link_->clock());
    patience.expires_after(patience_);
    bool over = false;
    patience.then([this, &over] {
        over = true;
        came_.cancel();
    });
    while (told_ < mine && !ended_ && !over) { co_await came_.async_wait(kAsTuple); }
    if (told_ < mine) {
        for (auto* view : views_) view->complete_ = false;
    }
    go_on();
}

// Others still look: the guest shall go on gathering a few times a second.
void Changes::go_on() {
    if (views_.size() > 1) say("begin");
}

void TellAtEnd::add_to(json::object& request) const {
    request["tell"] = channel;
    request["tell_number"] = number;
}

ChangeView::ChangeView(std::shared_ptr<Changes> changes, Artifact artifact)
    : changes_(std::move(changes)), artifact_(std::move(artifact)), complete_(changes_ != nullptr) {
    if (changes_) changes_->begin(*this);
}

void ChangeView::see(const ChangedFile& change) {
    const bool known = files_.count(change.path) != 0;
    if (!known &&
        (files_.size() >= kFilesMax || path_bytes_ + change.path.size() > kAllPathsBytesMax)) {
        complete_ = false;
        return;
    }
    merge(files_, change);
    const bool kept = files_.count(change.path) != 0;
    if (kept && !known) path_bytes_ += change.path.size();
    if (known && !kept) path_bytes_ -= change.path.size();
}

ChangeView::~ChangeView() {
    if (changes_) changes_->leave(*this);
}

std::optional<TellAtEnd> ChangeView::tell_at_end() {
    if (!changes_) return std::nullopt;
    changes_->ask();
    at_end_ = ++changes_->asked_;
    return TellAtEnd{changes_->channel_.id(), *at_end_};
}

asio::awaitable<void> ChangeView::finish() {
    if (!changes_) co_return;
    if (at_end_ && changes_->told_ >= *at_end_) {
        changes_->go_on();
    } else {
        co_await changes_->tell();
    }
    changes_->leave(*this);
    changes_.reset();
}

}  // namespace atl::guest_client
