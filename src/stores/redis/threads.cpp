#include "stores/redis/threads.hpp"

#include "core/paging.hpp"
#include "core/thread_sizes.hpp"
#include "stores/redis/scripts.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace atl::redis {

namespace asio = boost::asio;

namespace {

using core::ThreadMessage;
using core::ThreadRecord;

constexpr std::uint64_t kReadBytesMax = 32u << 20;
constexpr std::uint64_t kUploadBytesMax = 1ull << 52;  // Lua counts exactly up to here, and Redis
constexpr std::size_t kListPart = 100;                 // records that are read at once
constexpr std::size_t kOwnersMax = 4096;
constexpr std::size_t kAskedMax = 1000;
constexpr int kTries = 20;
constexpr std::size_t kFilesBytesMax = 64u << 10;
// Of a message with the names of its fields and all that is not its text.
constexpr std::size_t kEntryBytesMax = core::kMessageBytesMax + (64u << 10);
constexpr std::chrono::minutes kToldEvery{1};
constexpr std::chrono::hours kMarksStay{90 * 24};  // since the last one of a key

std::size_t number_of(Script script) { return static_cast<std::size_t>(script); }

[[noreturn]] void refuse(Code code, std::string sentence) {
    throw ErrorException({code, std::move(sentence)});
}

[[noreturn]] void no_thread(const ThreadId& id) {
    refuse(Code::NotFound, "there is no thread " + id.text());
}

[[noreturn]] void no_upload(const UploadId& id) {
    refuse(Code::NotFound, "there is no upload " + id.text());
}

[[noreturn]] void busy(const ThreadId& id) {
    refuse(Code::Conflict, "thread " + id.text() +
                               " is being answered already; cancel that, or wait until it has "
                               "ended");
}

[[noreturn]] void unreadable(const ThreadId& id, const std::string& why) {
    refuse(Code::Internal, "the record of thread " + id.text() + " cannot be read (" + why +
                               "); it can be removed");
}

[[noreturn]] void changes_too_fast(const ThreadId& id) {
    refuse(Code::Unavailable,
           "thread " + id.text() + " is being changed by others; try again in a moment");
}

[[noreturn]] void strange(const char* what) {
    refuse(Code::Internal, std::string("Redis contains something that is not a ") + what +
                               "; does another program use the same prefix?");
}

std::string digits(core::Time time) { return std::to_string(time.time_since_epoch().count()); }
std::string digits(std::chrono::milliseconds time) { return std::to_string(time.count()); }

std::int64_t to_number(const std::string& text, const char* what) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, value);
    if (failed != std::errc() || stop != end) strange(what);
    return value;
}
std::uint64_t to_count(const std::string& text, const char* what) {
    const auto value = to_number(text, what);
    return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}
core::Time to_time(const std::string& text, const char* what) {
    return core::Time(std::chrono::milliseconds(to_number(text, what)));
}

// "2:u114:second upload.": lengths, because an id may hold any byte.
std::string write_files(const std::vector<UploadId>& files) {
    std::string text;
    for (const auto& file : files) {
        text += std::to_string(file.text().size()) + ":" + file.text();
    }
    return text;
}
std::vector<UploadId> read_files(const std::string& text) {
    std::vector<UploadId> files;
    std::size_t at = 0;
    while (at < text.size()) {
        const auto colon = text.find(':', at);
        if (colon == text.npos) strange("list of files");
        const auto size = to_count(text.substr(at, colon - at), "list of files");
        if (size > text.size() - colon - 1) strange("list of files");
        files.emplace_back(text.substr(colon + 1, size));
        at = colon + 1 + size;
    }
    return files;
}

// The first word of a script's answer.
const std::string& verdict(const Reply& reply) {
    if (reply.kind != Reply::Kind::List || reply.list.empty()) strange("answer of a script");
    return reply.list.front().text;
}
const Reply& part(const Reply& reply, std::size_t index) {
    if (index >= reply.list.size()) strange("answer of a script");
    return reply.list[index];
}

// Why a record cannot be read; nothing when it looks like one.
std::optional<std::string> trouble_with(const Reply& record) {
    if (record.kind == Reply::Kind::List) return std::nullopt;
    return record.text.empty() ? "it is none" : record.text;
}

// As the script GetUploads gives it.
core::ListedUpload to_upload(const std::string& id, const Reply& reply) {
    if (const auto why = trouble_with(reply)) refuse(Code::Internal, *why);
    const auto text = [&](std::size_t index) { return part(reply, index).word(); };
    core::ListedUpload upload;
    upload.record.id = UploadId(id);
    upload.record.owner = text(0);
    upload.record.name = text(1);
    upload.record.bytes = to_count(text(2), "upload");
    upload.record.sha256 = text(3);
    upload.record.created_at = to_time(text(4), "upload");
    upload.uses = to_count(text(5), "upload");
    return upload;
}

// As the function `record` in scripts.cpp gives it.
ThreadRecord to_thread(const std::string& id, const Reply& reply, bool with_memory) {
    if (const auto why = trouble_with(reply)) unreadable(ThreadId(id), *why);
    const auto text = [&](std::size_t index) { return part(reply, index).word(); };
    ThreadRecord record;
    record.id = ThreadId(id);
    record.owner = text(0);
    record.title = text(1);
    record.session_id = SessionId(text(2));
    record.home = text(3);
    record.created_at = to_time(text(4), "thread");
    record.updated_at = to_time(text(5), "thread");
    record.messages = to_count(text(6), "thread");
    record.turns = to_count(text(7), "thread");
    if (part(reply, 8).kind != Reply::Kind::Nothing) {
        // What is left of it, by Redis' clock; told by ours.
        const std::chrono::milliseconds left(to_number(text(9), "thread"));
        record.lease = core::Lease{text(8), core::time_now() + left};
    }
    record.files = read_files(text(10));
    if (with_memory) record.memory_json = text(11);
    // Older servers wrote none.
    if (part(reply, 12).kind != Reply::Kind::Nothing) record.model = text(12);
    if (part(reply, 13).kind != Reply::Kind::Nothing) record.family = ThreadId(text(13));
    if (part(reply, 14).kind != Reply::Kind::Nothing) record.origins = core::origins_in(text(14));
    return record;
}

std::uint64_t sequence_of(const Reply& entry) {
    const std::string id = part(entry, 0).word();
    return to_count(id.substr(0, id.find('-')), "message");
}

ThreadMessage to_message(const Reply& entry) {
    ThreadMessage message;
    message.sequence = sequence_of(entry);
    const Reply& fields = part(entry, 1);
    if (fields.list.empty()) strange("message");
    for (std::size_t i = 0; i + 1 < fields.list.size(); i += 2) {
        const std::string& name = fields.list[i].text;
        const std::string& value = fields.list[i + 1].text;
        if (name == "turn") message.turn = to_count(value, "message");
        if (name == "content") message.content = value;
        if (name == "details") message.details_json = value;
        if (name == "client") message.client_id = value;
        if (name == "at") message.at = to_time(value, "message");
        if (name == "role") {
            const auto role = core::value_named<core::MessageRole>(value);
            if (!role) strange("message");
            message.role = *role;
        }
    }
    return message;
}

// What stands where a message cannot be read: its neighbours keep their places.
ThreadMessage unreadable_message(const Reply& entry, std::uint64_t turn) {
    ThreadMessage message;
    message.sequence = sequence_of(entry);
    message.turn = turn;
    message.role = core::MessageRole::Note;
    message.content = "This message cannot be read: its record is damaged.";
    message.details_json = R"({"unreadable":true})";
    return message;
}

void add_message(std::vector<std::string>& arguments, ThreadMessage message) {
    arguments.emplace_back(core::name_of(message.role));
    arguments.push_back(std::move(message.content));
    arguments.push_back(std::move(message.details_json));
    arguments.push_back(std::move(message.client_id));
    arguments.push_back(digits(message.at));
}

std::string anyones(const core::Whose& whose) { return whose.owner() ? "0" : "1"; }

std::string setting_of(const Reply& reply) {
    return reply.kind == Reply::Kind::List && reply.list.size() >= 2 ? reply.list[1].text
                                                                     : std::string();
}

}  // namespace

RedisThreads::RedisThreads(asio::any_io_executor executor, RedisOptions options)
    : prefix_(options.prefix),
      where_(options.socket.empty() ? options.host + ":" + std::to_string(options.port)
                                    : options.socket),
      tell_(options.tell),
      connection_(std::move(executor), std::move(options), scripts()) {}

core::StoreHealth RedisThreads::health() const {
    const auto trouble = connection_.trouble();
    if (trouble.empty()) return {};
    return {core::StoreHealth::State::Failing, trouble};
}

asio::awaitable<std::vector<std::string>> RedisThreads::look() {
    std::vector<std::string> ping{"PING"};
    (void)co_await ask(std::move(ping));
    std::map<std::string, std::string> settings;
    for (const char* name : {"appendonly", "appendfsync", "maxmemory", "maxmemory-policy"}) {
        std::vector<std::string> words{"CONFIG", "GET", name};
        // Not through our own ask: to be refused is an answer, too.
        const Reply reply = co_await connection_.ask(std::move(words));
        settings[name] = setting_of(reply);
    }
    std::vector<std::string> warnings;
    const std::string here = "Redis at " + where_;
    if (settings["appendonly"].empty()) {
        warnings.push_back(here +
                           " does not tell its settings: whether an answered message "
                           "survives its end (appendonly yes, appendfsync always) is not "
                           "known");
    } else if (settings["appendonly"] != "yes") {
        warnings.push_back(here + " has appendonly " + settings["appendonly"] +
                           ": conversations of the last minutes or all of them are lost when it "
                           "ends; set appendonly yes and appendfsync always");
    } else if (settings["appendfsync"] != "always") {
        warnings.push_back(here + " has appendfsync " + settings["appendfsync"] +
                           ": the messages of the last seconds may be lost when it or its machine "
                           "ends suddenly; set appendfsync always");
    }
    if (!settings["maxmemory-policy"].empty() && settings["maxmemory-policy"] != "noeviction" &&
        settings["maxmemory"] != "0") {
        warnings.push_back(here + " has maxmemory-policy " + settings["maxmemory-policy"] +
                           ": it may remove conversations when memory is short; set noeviction");
    }
    co_return warnings;
}

std::string RedisThreads::key(const char* kind, const std::string& name) const {
    return prefix_ + kind + ":" + name;
}

std::vector<std::string> RedisThreads::turn_keys(const std::string& id,
                                                 const std::string& owner) const {
    return {key("thread", id), key("messages", id), key("questions", id), key("owner", owner),
            prefix_ + "threads"};
}

// A refusal is an error here.
asio::awaitable<Reply> RedisThreads::ask(std::vector<std::string> words) {
    Reply reply = co_await connection_.ask(std::move(words));
    if (reply.kind == Reply::Kind::Refusal) {
        throw ErrorException(explain(reply.text, "Redis at " + where_));
    }
    co_return reply;
}

asio::awaitable<std::optional<std::string>> RedisThreads::field_of(std::string hash,
                                                                   const char* name,
                                                                   std::size_t bytes_max) {
    std::vector<std::string> keys{std::move(hash)};
    std::vector<std::string> arguments{name, std::to_string(bytes_max)};
    const Reply reply = co_await connection_.run(number_of(Script::GetField), std::move(keys),
                                                 std::move(arguments));
    (void)verdict(reply);
    std::optional<std::string> found;
    if (reply.list.size() > 1 && reply.list[1].kind == Reply::Kind::Text) {
        found = reply.list[1].text;
    }
    co_return found;
}

// Throws NotFound when it can be known already; the scripts look again.
asio::awaitable<std::string> RedisThreads::owner_of(core::Whose whose, ThreadId id) {
    if (whose.owner()) co_return *whose.owner();
    auto owner = co_await field_of(key("thread", id.text()), "owner", core::kNameBytesMax);
    if (!owner) no_thread(id);
    co_return std::move(*owner);
}

void RedisThreads::tell_unreadable(const std::string& what, const std::string& why) {
    ++unreadable_;
    const auto now = std::chrono::steady_clock::now();
    if (!tell_ || (told_at_ && now - *told_at_ < kToldEvery)) return;
    told_at_ = now;
    std::string sentence = "Redis at " + where_ + " holds " + what + " that cannot be read: " + why;
    if (unreadable_ > 1) {
        sentence += "; " + std::to_string(unreadable_) + " were met since this was last said";
    }
    unreadable_ = 0;
    tell_(sentence);
}

// ---- Uploads ----

asio::awaitable<core::UploadRecord> RedisThreads::add_upload(core::UploadRecord record,
                                                             core::UploadRoom room) {
    core::check_id(record.id.text(), "upload");
    core::check_size(record);
    const auto full = [&] {
        refuse(Code::Exhausted, "the uploads would have more than " +
                                    std::to_string(room.bytes_max) +
                                    " bytes together, which are allowed; remove some first");
    };
    if (record.bytes > kUploadBytesMax) {
        if (room.bytes_max > 0) full();
        refuse(Code::TooLarge, "the size of the upload is out of range");
    }
    auto keys = upload_keys(record.id, record.owner);
    std::vector<std::string> arguments{record.owner,
                                       record.name,
                                       std::to_string(record.bytes),
                                       record.sha256,
                                       digits(record.created_at),
                                       std::to_string(room.bytes_max),
                                       record.id.text(),
                                       std::to_string(room.count_max)};
    const Reply reply = co_await connection_.run(number_of(Script::AddUpload), std::move(keys),
                                                 std::move(arguments));
    if (verdict(reply) == "full") full();
    if (verdict(reply) == "many") {
        refuse(Code::Exhausted, "there are " + std::to_string(room.count_max) +
                                    " uploads already, as many as are allowed; remove some first");
    }
    if (verdict(reply) == "there") {
        refuse(Code::Conflict, "there is an upload " + record.id.text() + " already");
    }
    co_return record;
}

std::vector<std::string> RedisThreads::upload_keys(const UploadId& id,
                                                   const std::string& owner) const {
    return {key("upload", id.text()), prefix_ + "upload_bytes", key("uploads_of", owner),
            prefix_ + "uploads"};
}

asio::awaitable<core::UploadRecord> RedisThreads::get_upload(core::Whose whose, UploadId id) {
    std::vector<std::string> keys{key("upload", id.text())};
    std::vector<std::string> arguments;
    const Reply reply = co_await connection_.run(number_of(Script::GetUploads), std::move(keys),
                                                 std::move(arguments));
    (void)verdict(reply);
    const Reply& found = part(reply, 1);
    if (!trouble_with(found) && (part(found, 0).kind == Reply::Kind::Nothing ||
                                 (whose.owner() && *whose.owner() != part(found, 0).text))) {
        no_upload(id);
    }
    co_return to_upload(id.text(), found).record;
}

asio::awaitable<core::UploadPage> RedisThreads::list_uploads(core::UploadQuery query) {
    const std::string index =
        query.whose.owner() ? key("uploads_of", *query.whose.owner()) : prefix_ + "uploads";
    const auto names = co_await names_in(index, query.cursor, query.limit);
    core::UploadPage page;
    const std::size_t most = std::min<std::size_t>(names.size(), query.limit);
    for (std::size_t first = 0; first < most; first += kListPart) {
        const std::size_t end = std::min(most, first + kListPart);
        std::vector<std::string> keys;
        for (std::size_t i = first; i < end; ++i) keys.push_back(key("upload", names[i].id));
        std::vector<std::string> arguments;
        const Reply reply = co_await connection_.run(number_of(Script::GetUploads), std::move(keys),
                                                     std::move(arguments));
        (void)verdict(reply);
        for (std::size_t i = first; i < end; ++i) {
            const Reply& found = part(reply, 1 + i - first);
            if (!trouble_with(found) && part(found, 0).kind == Reply::Kind::Nothing) {
                continue;  // it has just gone
            }
            try {
                page.uploads.push_back(to_upload(names[i].id, found));
            } catch (const ErrorException& failed) {
                tell_unreadable("an upload, " + names[i].id + ",", failed.error.message);
            }
        }
    }
    if (names.size() > most) page.next_cursor = core::write_cursor(names[most - 1]);
    co_return page;
}

asio::awaitable<void> RedisThreads::remove_upload(core::Whose whose, UploadId id) {
    // Whose it is never changes, so that what the script names stays right.
    std::optional<std::string> owner = whose.owner();
    if (!owner) owner = co_await field_of(key("upload", id.text()), "owner", core::kNameBytesMax);
    if (!owner) no_upload(id);
    auto keys = upload_keys(id, *owner);
    std::vector<std::string> arguments{*owner, id.text()};
    const Reply reply = co_await connection_.run(number_of(Script::RemoveUpload), std::move(keys),
                                                 std::move(arguments));
    if (verdict(reply) == "no_upload") no_upload(id);
    if (verdict(reply) == "used") {
        refuse(Code::Conflict,
               "the upload " + id.text() + " is used by a thread; remove the thread first");
    }
}

// ---- Threads ----

std::vector<std::string> RedisThreads::creation_keys(const ThreadRecord& record) const {
    std::vector<std::string> keys{key("thread", record.id.text()), key("owner", record.owner),
                                  prefix_ + "threads", key("family", record.family.text())};
    for (const auto& file : record.files) keys.push_back(key("upload", file.text()));
    return keys;
}

namespace {

void check_new(const ThreadRecord& record) {
    core::check_id(record.id.text(), "thread");
    core::check_size(record);
}

std::vector<std::string> creation_values(const ThreadRecord& record, std::uint64_t owner_max) {
    return {record.id.text(),
            record.owner,
            record.title,
            record.session_id.text(),
            record.home,
            digits(record.created_at),
            digits(record.updated_at),
            record.memory_json,
            write_files(record.files),
            std::to_string(owner_max),
            record.model,
            record.family.text(),
            core::text_of(record.origins)};
}

void refuse_unless_made(const Reply& reply, const ThreadRecord& record, std::uint64_t owner_max) {
    const auto& said = verdict(reply);
    if (said == "there") {
        refuse(Code::Conflict, "there is a thread " + record.id.text() + " already");
    }
    if (said == "full") {
        refuse(Code::Exhausted, "there are " + std::to_string(owner_max) +
                                    " threads already, as many as are allowed; remove some first");
    }
    if (said == "no_upload") {
        no_upload(record.files.at(static_cast<std::size_t>(part(reply, 1).number)));
    }
}

}  // namespace

asio::awaitable<ThreadRecord> RedisThreads::create_thread(ThreadRecord record,
                                                          std::uint64_t owner_max) {
    check_new(record);
    record.messages = 0;
    record.turns = 0;
    record.lease.reset();
    const Reply reply = co_await connection_.run(
        number_of(Script::CreateThread), creation_keys(record), creation_values(record, owner_max));
    refuse_unless_made(reply, record, owner_max);
    co_return record;
}

asio::awaitable<ThreadRecord> RedisThreads::fork_thread(core::ThreadFork fork) {
    check_new(fork.record);
    const auto owner = co_await owner_of(fork.whose, fork.from);
    std::vector<std::string> keys{key("thread", fork.from.text()),
                                  key("messages", fork.from.text()),
                                  key("messages", fork.record.id.text())};
    for (auto& one : creation_keys(fork.record)) keys.push_back(std::move(one));
    std::vector<std::string> arguments{owner, fork.turn ? std::to_string(*fork.turn) : "",
                                       fork.from.text()};
    for (auto& one : creation_values(fork.record, fork.owner_max)) {
        arguments.push_back(std::move(one));
    }
    const Reply reply = co_await connection_.run(number_of(Script::ForkThread), std::move(keys),
                                                 std::move(arguments));
    const auto& said = verdict(reply);
    if (said == "no_thread") no_thread(fork.from);
    if (said == "unreadable") unreadable(fork.from, part(reply, 1).text);
    if (said == "no_turn") {
        refuse(Code::InvalidArgument, "thread " + fork.from.text() + " has no turn " +
                                          std::to_string(fork.turn.value_or(0)));
    }
    if (said == "busy") {
        refuse(Code::Conflict,
               "thread " + fork.from.text() + " is being answered; wait until that has ended");
    }
    refuse_unless_made(reply, fork.record, fork.owner_max);
    co_return to_thread(fork.record.id.text(), part(reply, 1), true);
}

asio::awaitable<ThreadRecord> RedisThreads::get_thread(core::Whose whose, ThreadId id) {
    std::vector<std::string> keys{key("thread", id.text())};
    std::vector<std::string> arguments{"1"};
    const Reply reply = co_await connection_.run(number_of(Script::GetThreads), std::move(keys),
                                                 std::move(arguments));
    (void)verdict(reply);
    const Reply& found = part(reply, 1);
    if (trouble_with(found)) {
        // Nothing of a damaged record is told to anybody but its owner.
        const auto owner =
            co_await field_of(key("thread", id.text()), "owner", core::kNameBytesMax);
        if (whose.owner() && owner != whose.owner()) no_thread(id);
    } else if (part(found, 0).kind == Reply::Kind::Nothing ||
               (whose.owner() && *whose.owner() != part(found, 0).text)) {
        no_thread(id);
    }
    co_return to_thread(id.text(), found, true);
}

// The latest first, one more than a page has where there are more. Those of the cursor's own moment
// that it has passed already are left out: Redis orders a moment's names by their bytes, as we do.
asio::awaitable<std::vector<core::Cursor>> RedisThreads::names_in(std::string index,
                                                                  std::string after,
                                                                  std::uint32_t limit) {
    core::check_limit(limit);
    std::optional<core::Cursor> cursor;
    if (!after.empty()) cursor = core::read_cursor(after);
    std::vector<core::Cursor> names;
    std::size_t offset = 0;
    while (names.size() <= limit) {
        const std::size_t wanted = limit + 1 - names.size();
        std::vector<std::string> keys{index};
        std::vector<std::string> arguments{cursor ? std::to_string(cursor->time) : "+inf",
                                           std::to_string(offset), std::to_string(wanted)};
        const Reply reply = co_await connection_.run(number_of(Script::GetNames), std::move(keys),
                                                     std::move(arguments));
        (void)verdict(reply);
        for (std::size_t i = 2; i + 1 < reply.list.size(); i += 2) {
            core::Cursor name{0, reply.list[i].text};
            try {
                name.time = to_number(reply.list[i + 1].text, "index");
            } catch (const ErrorException& failed) {
                tell_unreadable("a name in a list, " + name.id + ",", failed.error.message);
                continue;
            }
            if (cursor && name.time == cursor->time && name.id >= cursor->id) continue;
            names.push_back(std::move(name));
        }
        if (part(reply, 1).number < static_cast<std::int64_t>(wanted)) break;
        offset += wanted;
    }
    co_return names;
}

asio::awaitable<core::ThreadPage> RedisThreads::list_threads(core::ThreadQuery query) {
    const std::string index =
        query.whose.owner() ? key("owner", *query.whose.owner()) : prefix_ + "threads";
    const auto names = co_await names_in(index, query.cursor, query.limit);
    core::ThreadPage page;
    const std::size_t most = std::min<std::size_t>(names.size(), query.limit);
    std::size_t bytes = 0;
    std::size_t done = 0;
    while (done < most && bytes <= core::kPageBytesMax) {
        const std::size_t first = done;
        const std::size_t end = std::min(most, first + kListPart);
        std::vector<std::string> keys;
        for (std::size_t i = first; i < end; ++i) keys.push_back(key("thread", names[i].id));
        std::vector<std::string> arguments{"0"};
        const Reply reply = co_await connection_.run(number_of(Script::GetThreads), std::move(keys),
                                                     std::move(arguments));
        (void)verdict(reply);
        for (; done < end; ++done) {
            const Reply& found = part(reply, 1 + done - first);
            if (!trouble_with(found) && part(found, 0).kind == Reply::Kind::Nothing) {
                continue;  // it has just gone
            }
            ThreadRecord record;
            try {
                record = to_thread(names[done].id, found, false);
            } catch (const ErrorException& failed) {
                tell_unreadable("a thread", failed.error.message);
                continue;
            }
            if (query.whose.owner() && record.owner != *query.whose.owner()) continue;
            bytes += 512 + record.title.size() + 64 * record.files.size();
            page.threads.push_back(std::move(record));
        }
    }
    if (done > 0 && done < names.size()) page.next_cursor = core::write_cursor(names[done - 1]);
    co_return page;
}

asio::awaitable<std::vector<ThreadRecord>> RedisThreads::family(core::Whose whose, ThreadId id) {
    auto one = co_await get_thread(std::move(whose), std::move(id));
    const auto first = one.family.text().empty() ? one.id.text() : one.family.text();
    const auto names = co_await names_in(key("family", first), "", core::kFamilyMax);
    std::vector<std::string> ids{first};
    for (const auto& name : names) {
        if (ids.size() < core::kFamilyMax) ids.push_back(name.id);
    }
    std::vector<std::string> keys;
    for (const auto& name : ids) keys.push_back(key("thread", name));
    std::vector<std::string> arguments{"0"};
    const Reply reply = co_await connection_.run(number_of(Script::GetThreads), std::move(keys),
                                                 std::move(arguments));
    (void)verdict(reply);
    std::vector<ThreadRecord> family;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const Reply& found = part(reply, 1 + i);
        if (!trouble_with(found) && part(found, 0).kind == Reply::Kind::Nothing) continue;
        try {
            auto record = to_thread(ids[i], found, false);
            if (record.owner == one.owner) family.push_back(std::move(record));
        } catch (const ErrorException& failed) {
            tell_unreadable("a thread", failed.error.message);
        }
    }
    std::sort(family.begin(), family.end(), [](const ThreadRecord& a, const ThreadRecord& b) {
        return std::tie(a.created_at, a.id) < std::tie(b.created_at, b.id);
    });
    co_return family;
}

asio::awaitable<ThreadRecord> RedisThreads::patch_thread(core::Whose whose, ThreadId id,
                                                         core::ThreadPatch patch) {
    core::check_size(patch);
    std::string change;
    if (patch.title) change += 't';
    if (patch.memory_json) change += 'm';
    if (patch.files) change += 'f';
    if (patch.model) change += 'c';
    const std::string files = patch.files ? write_files(*patch.files) : std::string();
    for (int i = 0; i < kTries; ++i) {
        const ThreadRecord before = co_await get_thread(whose, id);
        std::vector<std::string> keys{key("thread", id.text())};
        if (patch.files) {
            for (const auto& file : before.files) keys.push_back(key("upload", file.text()));
            for (const auto& file : *patch.files) keys.push_back(key("upload", file.text()));
        }
        std::vector<std::string> arguments{
            before.owner, write_files(before.files), std::to_string(before.files.size()),
            change,       patch.title.value_or(""),  patch.memory_json.value_or(""),
            files,        patch.model.value_or("")};
        const Reply reply = co_await connection_.run(number_of(Script::PatchThread),
                                                     std::move(keys), std::move(arguments));
        const auto& said = verdict(reply);
        if (said == "no_thread") no_thread(id);
        if (said == "unreadable") unreadable(id, part(reply, 1).text);
        if (said == "no_upload") {
            no_upload(patch.files->at(static_cast<std::size_t>(part(reply, 1).number)));
        }
        if (said == "ok") co_return to_thread(id.text(), part(reply, 1), true);
    }
    changes_too_fast(id);
}

// Of the record, only what is needed is read, and each piece for itself: one that is damaged can be
// removed, too.
asio::awaitable<SessionId> RedisThreads::remove_thread(core::Whose whose, ThreadId id, core::Time) {
    const std::string hash = key("thread", id.text());
    for (int i = 0; i < kTries; ++i) {
        std::string owner;
        if (whose.owner()) {
            owner = *whose.owner();
        } else {
            const auto found = co_await field_of(hash, "owner", core::kNameBytesMax);
            owner = found.value_or("");
        }
        const auto text = co_await field_of(hash, "files", kFilesBytesMax);
        std::vector<UploadId> files;
        bool known = text.has_value();
        try {
            files = read_files(text.value_or(""));
        } catch (const ErrorException& failed) {
            tell_unreadable("a thread, " + id.text() + ",", failed.error.message);
            known = false;
        }
        const auto family = co_await field_of(hash, "family", 128);
        auto keys = turn_keys(id.text(), owner);
        keys.push_back(key("family", family.value_or("")));
        for (const auto& file : files) keys.push_back(key("upload", file.text()));
        std::vector<std::string> arguments{id.text(), owner, anyones(whose), known ? "1" : "0",
                                           text.value_or("")};
        const Reply reply = co_await connection_.run(number_of(Script::RemoveThread),
                                                     std::move(keys), std::move(arguments));
        const auto& said = verdict(reply);
        if (said == "no_thread") no_thread(id);
        if (said == "busy") busy(id);
        if (said == "ok") co_return SessionId(part(reply, 1).text);
    }
    changes_too_fast(id);
}

// ---- Turns ----

asio::awaitable<core::TurnBegun> RedisThreads::begin_turn(core::TurnRequest request) {
    const std::vector<ThreadMessage> question{request.question};
    core::check_size(question);
    const std::string owner = co_await owner_of(request.whose, request.thread);
    auto keys = turn_keys(request.thread.text(), owner);
    auto note = core::cut_off_note(request.now);
    std::vector<std::string> arguments{request.thread.text(),
                                       owner,
                                       request.instance,
                                       digits(std::min(request.lease, core::kLeaseMax)),
                                       digits(request.now),
                                       std::move(note.content),
                                       std::move(note.details_json)};
    add_message(arguments, std::move(request.question));
    const Reply reply = co_await connection_.run(number_of(Script::BeginTurn), std::move(keys),
                                                 std::move(arguments));
    const auto& said = verdict(reply);
    if (said == "no_thread") no_thread(request.thread);
    if (said == "unreadable") unreadable(request.thread, part(reply, 1).text);
    if (said == "busy") busy(request.thread);
    core::TurnBegun begun;
    begun.question = to_count(part(reply, 1).word(), "question");
    const auto turn = to_count(part(reply, 2).word(), "turn");
    if (said == "repeated") {
        begun.repeated = turn;
        begun.thread = to_thread(request.thread.text(), part(reply, 3), true);
        co_return begun;
    }
    begun.took_over = part(reply, 3).number != 0;
    begun.thread = to_thread(request.thread.text(), part(reply, 4), true);
    begun.hold = {request.thread, request.instance, turn};
    if (owners_.size() >= kOwnersMax) owners_.clear();
    owners_[request.thread.text()] = owner;
    co_return begun;
}

asio::awaitable<bool> RedisThreads::renew_turn(core::TurnHold hold, core::Time until) {
    std::vector<std::string> keys{key("thread", hold.thread.text())};
    std::vector<std::string> arguments{hold.instance, std::to_string(hold.turn),
                                       digits(std::min(until - core::time_now(), core::kLeaseMax))};
    const Reply reply = co_await connection_.run(number_of(Script::RenewTurn), std::move(keys),
                                                 std::move(arguments));
    if (verdict(reply) == "no_thread") no_thread(hold.thread);
    if (verdict(reply) == "lost") {
        refuse(Code::Conflict, "turn " + std::to_string(hold.turn) + " of thread " +
                                   hold.thread.text() +
                                   " has ended, or another server has taken the thread over");
    }
    co_return verdict(reply) == "cancel";
}

asio::awaitable<bool> RedisThreads::cancel_turn(ThreadId id) {
    std::vector<std::string> keys{key("thread", id.text())};
    std::vector<std::string> arguments;
    const Reply reply = co_await connection_.run(number_of(Script::CancelTurn), std::move(keys),
                                                 std::move(arguments));
    if (verdict(reply) == "no_thread") no_thread(id);
    co_return verdict(reply) == "ok";
}

asio::awaitable<std::uint64_t> RedisThreads::append(core::TurnHold hold,
                                                    std::vector<ThreadMessage> messages) {
    return append(std::move(hold), std::move(messages), After::GoesOn);
}

asio::awaitable<std::uint64_t> RedisThreads::end_turn(core::TurnHold hold,
                                                      std::vector<ThreadMessage> messages) {
    return append(std::move(hold), std::move(messages), After::Ends);
}

asio::awaitable<std::uint64_t> RedisThreads::append(core::TurnHold hold,
                                                    std::vector<ThreadMessage> messages,
                                                    After after) {
    core::check_size(messages);
    const auto known = owners_.find(hold.thread.text());
    std::string owner;
    if (known != owners_.end()) {
        owner = known->second;
    } else {
        const auto whose = core::Whose::anyones();
        owner = co_await owner_of(whose, hold.thread);
    }
    std::vector<std::string> arguments{hold.thread.text(),
                                       owner,
                                       hold.instance,
                                       std::to_string(hold.turn),
                                       after == After::Ends ? "1" : "0",
                                       hold.mark};
    for (auto& message : messages) add_message(arguments, std::move(message));
    for (int i = 0; i < kTries; ++i) {
        auto keys = turn_keys(hold.thread.text(), owner);
        const Reply reply =
            co_await connection_.run(number_of(Script::Append), std::move(keys), arguments);
        const auto& said = verdict(reply);
        if (said == "no_thread") no_thread(hold.thread);
        if (said == "lost") {
            refuse(Code::Conflict, "turn " + std::to_string(hold.turn) + " of thread " +
                                       hold.thread.text() +
                                       " has ended, or another server has taken the thread over");
        }
        if (said == "unreadable") unreadable(hold.thread, part(reply, 1).text);
        if (said == "ok") {
            if (after == After::Ends) owners_.erase(hold.thread.text());
            co_return to_count(part(reply, 1).word(), "thread");
        }
        owner = part(reply, 1).text;
        arguments[1] = owner;
    }
    changes_too_fast(hold.thread);
}

asio::awaitable<std::vector<ThreadMessage>> RedisThreads::read(core::Whose whose, ThreadId id,
                                                               std::uint64_t sequence,
                                                               std::uint64_t bytes_max) {
    std::vector<std::string> keys{key("thread", id.text()), key("messages", id.text())};
    std::vector<std::string> arguments{
        anyones(whose), whose.owner().value_or(""), std::to_string(sequence),
        std::to_string(std::min(bytes_max, kReadBytesMax)), std::to_string(kEntryBytesMax)};
    const Reply reply =
        co_await connection_.run(number_of(Script::Read), std::move(keys), std::move(arguments));
    if (verdict(reply) == "no_thread") no_thread(id);
    std::vector<ThreadMessage> messages;
    messages.reserve(reply.list.size() - 1);
    for (std::size_t i = 1; i < reply.list.size(); ++i) {
        try {
            messages.push_back(to_message(reply.list[i]));
        } catch (const ErrorException& failed) {
            tell_unreadable("a message of thread " + id.text(), failed.error.message);
            messages.push_back(
                unreadable_message(reply.list[i], messages.empty() ? 0 : messages.back().turn));
        }
    }
    co_return messages;
}

// ---- Marks ----

// The length, because both parts may hold any byte.
std::string RedisThreads::marks_key(const std::string& owner, const std::string& name) const {
    return key("marks", std::to_string(name.size()) + ":" + name + ":" + owner);
}

asio::awaitable<void> RedisThreads::mark(std::string owner, std::vector<std::string> names,
                                         core::ThreadMark mark) {
    core::check_mark_keys(names);
    std::vector<std::string> keys{key("thread", mark.thread.text())};
    for (const auto& name : names) keys.push_back(marks_key(owner, name));
    std::vector<std::string> arguments{
        std::move(owner), std::to_string(mark.turn) + " " + mark.thread.text(),
        std::to_string(core::kMarksOfKeyMax), digits(std::chrono::milliseconds(kMarksStay))};
    const Reply reply = co_await connection_.run(number_of(Script::AddMarks), std::move(keys),
                                                 std::move(arguments));
    if (verdict(reply) == "no_thread") no_thread(mark.thread);
}

asio::awaitable<std::vector<core::ThreadMark>> RedisThreads::marked(std::string owner,
                                                                    std::string name) {
    const std::vector<std::string> names{name};
    core::check_mark_keys(names);
    std::vector<std::string> keys{marks_key(owner, name)};
    std::vector<std::string> arguments{std::to_string(core::kMarksOfKeyMax)};
    const Reply reply = co_await connection_.run(number_of(Script::GetMarks), std::move(keys),
                                                 std::move(arguments));
    (void)verdict(reply);
    std::vector<core::ThreadMark> marks;
    for (std::size_t i = 1; i < reply.list.size(); ++i) {
        const std::string& text = reply.list[i].text;
        const auto space = text.find(' ');
        if (space == text.npos) strange("mark");
        core::ThreadMark mark;
        mark.turn = to_count(text.substr(0, space), "mark");
        mark.thread = ThreadId(text.substr(space + 1));
        marks.push_back(std::move(mark));
    }
    co_return marks;
}

// ---- Homes ----

asio::awaitable<core::Home> RedisThreads::take_home(ThreadId id, std::string instance) {
    std::vector<std::string> keys{key("thread", id.text()), prefix_ + "live"};
    std::vector<std::string> arguments{std::move(instance)};
    const Reply reply = co_await connection_.run(number_of(Script::TakeHome), std::move(keys),
                                                 std::move(arguments));
    if (verdict(reply) == "no_thread") no_thread(id);
    co_return core::Home{part(reply, 1).text, part(reply, 2).word() == "1"};
}

asio::awaitable<void> RedisThreads::leave_home(ThreadId id, std::string instance) {
    std::vector<std::string> keys{key("thread", id.text()), key("asked", instance)};
    std::vector<std::string> arguments{id.text(), std::move(instance)};
    (void)co_await connection_.run(number_of(Script::LeaveHome), std::move(keys),
                                   std::move(arguments));
}

asio::awaitable<void> RedisThreads::live(std::string instance, core::Time until) {
    std::vector<std::string> keys{prefix_ + "live"};
    std::vector<std::string> arguments{std::move(instance),
                                       digits(std::min(until - core::time_now(), core::kLeaseMax))};
    (void)co_await connection_.run(number_of(Script::Live), std::move(keys), std::move(arguments));
}

asio::awaitable<void> RedisThreads::ask_for_home(ThreadId id, std::string from) {
    for (int i = 0; i < kTries; ++i) {
        const auto home = co_await field_of(key("thread", id.text()), "home", core::kNameBytesMax);
        if (!home) no_thread(id);
        if (home->empty() || *home == from) co_return;
        std::vector<std::string> keys{key("thread", id.text()), key("asked", *home)};
        std::vector<std::string> arguments{id.text(), *home};
        const Reply reply = co_await connection_.run(number_of(Script::AskForHome), std::move(keys),
                                                     std::move(arguments));
        if (verdict(reply) == "ok") co_return;
    }
    changes_too_fast(id);
}

asio::awaitable<std::vector<ThreadId>> RedisThreads::asked_of(std::string instance) {
    std::vector<std::string> keys{key("asked", instance)};
    std::vector<std::string> arguments{std::to_string(kAskedMax)};
    const Reply reply = co_await connection_.run(number_of(Script::GetAsked), std::move(keys),
                                                 std::move(arguments));
    (void)verdict(reply);
    std::vector<ThreadId> asked;
    for (std::size_t i = 1; i < reply.list.size(); ++i) asked.emplace_back(reply.list[i].text);
    co_return asked;
}

}  // namespace atl::redis
