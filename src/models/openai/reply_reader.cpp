#include "models/openai/reply_reader.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cmath>
#include <random>
#include <set>

namespace atl::openai {

namespace json = boost::json;

namespace {

constexpr std::size_t kEventBytesMax = 4u << 20;
constexpr std::size_t kAnswerBytesMax = 8u << 20;
constexpr std::size_t kCallsMax = 64;
constexpr std::size_t kNameBytesMax = 256;
constexpr std::size_t kOddMax = 200;
constexpr std::int64_t kLegacyIndex = -1;

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

std::string_view string_at(const json::object& from, std::string_view key) {
    const auto* value = from.if_contains(key);
    const auto* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string_view() : view(*text);
}

const json::object* object_at(const json::object& from, std::string_view key) {
    const auto* value = from.if_contains(key);
    return value == nullptr ? nullptr : value->if_object();
}

// A pair of \u escapes makes one character; when a provider cuts between them, neither half is one.
std::string without_lone_surrogates(std::string_view text) {
    std::string out(text);
    const auto half_at = [&](std::size_t at) -> int {
        if (at + 6 > out.size() || out[at] != '\\' || out[at + 1] != 'u') return 0;
        if ((out[at + 2] | 0x20) != 'd') return 0;
        const char third = static_cast<char>(out[at + 3] | 0x20);
        if (out[at + 3] == '8' || out[at + 3] == '9' || third == 'a' || third == 'b') return 1;
        return third >= 'c' && third <= 'f' ? 2 : 0;
    };
    for (std::size_t at = 0; at + 1 < out.size(); ++at) {
        if (out[at] != '\\') continue;
        const int half = half_at(at);
        if (half == 1 && half_at(at + 6) == 2) {
            at += 11;
        } else if (half != 0) {
            out.replace(at, 6, "\\ufffd");
            at += 5;
        } else {
            ++at;  // the escaped character is no beginning of anything
        }
    }
    return out;
}

// `doubtful`: it was no JSON to the letter, so its texts may be no UTF-8.
std::optional<json::value> parsed(std::string_view text, json::storage_ptr memory, bool& doubtful) {
    json::parse_options options;
    options.max_depth = 64;
    boost::system::error_code wrong;
    doubtful = false;
    auto value = json::parse(json::string_view(text.data(), text.size()), wrong, memory, options);
    if (!wrong) return value;
    doubtful = true;
    options.allow_invalid_utf8 = true;
    wrong = {};
    value = json::parse(without_lone_surrogates(text), wrong, memory, options);
    if (!wrong) return value;
    return std::nullopt;
}

std::uint64_t count_in(const json::object& from, std::initializer_list<std::string_view> names) {
    constexpr double kMost = 1e12;
    for (const auto name : names) {
        const auto* value = from.if_contains(name);
        if (value == nullptr || !value->is_number()) continue;
        const double number = value->is_double()  ? value->get_double()
                              : value->is_int64() ? static_cast<double>(value->get_int64())
                                                  : static_cast<double>(value->get_uint64());
        if (std::isfinite(number) && number > 0 && number <= kMost) {
            return static_cast<std::uint64_t>(number);
        }
    }
    return 0;
}

// Some always send the field, with nothing in it.
bool says_error(const json::object& object) {
    const auto* error = object.if_contains("error");
    if (error == nullptr || error->is_null()) return false;
    if (const auto* text = error->if_string()) return !text->empty();
    if (const auto* inner = error->if_object()) return !inner->empty();
    return !error->is_bool() || error->get_bool();
}

bool is_whole_json(std::string_view text) {
    boost::system::error_code wrong;
    static_cast<void>(json::parse(json::string_view(text.data(), text.size()), wrong));
    return !wrong;
}

std::string new_call_id() {
    static thread_local std::mt19937_64 random{std::random_device{}()};
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string id = "call_";
    auto bits = random();
    for (int i = 0; i < 16; ++i, bits >>= 4) id.push_back(kDigits[bits & 15]);
    return id;
}

}  // namespace

ReplyReader::ReplyReader(core::ChatListener& listener, const ModelAddress& address)
    : listener_(listener),
      address_(address),
      events_([this](const net::EventReader::Event& event) { take_event(event); }, kEventBytesMax) {
}

bool ReplyReader::feed(std::string_view bytes) {
    if (trouble_) return false;
    if (form_ == Form::Unknown) {
        beginning_.append(bytes);
        std::string_view look = beginning_;
        if (look.starts_with("\xEF\xBB\xBF")) look.remove_prefix(3);
        const auto first = look.find_first_not_of(" \t\r\n");
        if (first == std::string_view::npos) {
            if (beginning_.size() > kEventBytesMax) wrong(no_answer("blanks", address_));
            return !trouble_;
        }
        if (look.size() < 3 && look.front() == '\xEF') return true;  // a mark that is not whole yet
        const char c = look[first];
        form_ = c == '{' || c == '[' ? Form::Json : c == '<' ? Form::Html : Form::Events;
        if (form_ != Form::Events) return true;
        const std::string all(look);
        beginning_.clear();
        if (!events_.feed(all)) wrong(no_answer("an event beyond 4 MiB", address_));
        return !trouble_ && !done_;
    }
    if (form_ == Form::Events) {
        if (!events_.feed(bytes)) wrong(no_answer("an event beyond 4 MiB", address_));
        return !trouble_ && !done_;
    }
    if (beginning_.size() + bytes.size() > kAnswerBytesMax) {
        wrong({{Code::TooLarge, "the model's answer is beyond 8 MiB"}, false});
        return false;
    }
    beginning_.append(bytes);
    return true;
}

std::optional<core::ChatReply> ReplyReader::finish(bool end_is_marked) {
    if (!trouble_) {
        switch (form_) {
            case Form::Unknown: wrong(no_answer("nothing", address_)); break;
            case Form::Html: wrong(no_answer("a web page", address_)); break;
            case Form::Json: {
                bool doubtful = false;
                const auto value = parsed(beginning_, {}, doubtful);
                if (value) {
                    take_object(*value, doubtful);
                } else {
                    wrong(no_answer("half of one", address_));
                }
                break;
            }
            case Form::Events:
                if (!events_.feed("\n\n")) wrong(no_answer("an event beyond 4 MiB", address_));
                break;
        }
    }
    if (!trouble_ && !saw_choice_) wrong(no_answer("no choice in it", address_));
    if (!trouble_ && form_ == Form::Events && !done_ && finish_.empty() && !end_is_marked) {
        wrong({{Code::Unavailable, "the model's answer broke off in the middle"}, true});
    }
    if (trouble_) return std::nullopt;
    if (const auto left = text_.rest(); !left.empty()) say(left, false);
    if (const auto left = reasoning_.rest(); !left.empty()) think(left, false);
    if (trouble_) return std::nullopt;
    take_pieces(marks_.rest());
    // Some servers give a call in its own field and leave its text where it was.
    if (calls_.empty()) {
        for (auto& call : written_calls_) calls_.push_back({std::nullopt, std::move(call)});
    }
    name_calls();
    using Finish = core::ChatReply::Finish;
    if (finish_ == "length" || finish_ == "max_tokens") {
        reply_.finish = Finish::Length;
    } else if (finish_ == "content_filter") {
        reply_.finish = Finish::Filtered;
    } else {
        reply_.finish = reply_.tool_calls.empty() ? Finish::Stop : Finish::ToolCalls;
    }
    return std::move(reply_);
}

void ReplyReader::wrong(Trouble trouble) {
    if (!trouble_) trouble_ = std::move(trouble);
}

void ReplyReader::odd() {
    if (++odd_ > kOddMax) wrong(no_answer("events that are not understood", address_));
}

bool ReplyReader::fits(std::size_t more) {
    bytes_ += more;
    if (bytes_ <= kAnswerBytesMax) return true;
    wrong({{Code::TooLarge, "the model's answer is beyond 8 MiB"}, false});
    return false;
}

void ReplyReader::take_event(const net::EventReader::Event& event) {
    if (trouble_ || done_) return;
    std::string_view data = event.data;
    while (!data.empty() && (data.back() == ' ' || data.back() == '\t')) data.remove_suffix(1);
    if (data.empty()) return;
    if (data == "[DONE]") {
        done_ = true;
        return;
    }
    unsigned char space[4096];
    json::monotonic_resource memory(space, sizeof space);  // most events fit: nothing is allocated
    bool doubtful = false;
    const auto value = parsed(data, &memory, doubtful);
    if (!value) {
        if (event.event == "error") {
            wrong(trouble_of_object(json::value(json::string_view(data.data(), data.size())),
                                    address_));
        } else {
            odd();
        }
        return;
    }
    if (event.event == "error") {
        wrong(trouble_of_object(*value, address_));
        return;
    }
    take_object(*value, doubtful);
}

void ReplyReader::take_object(const json::value& value, bool doubtful) {
    const auto* object = value.if_object();
    if (object == nullptr) return odd();
    if (says_error(*object) || string_at(*object, "object") == "error" ||
        (!object->contains("choices") && object->contains("detail"))) {
        return wrong(trouble_of_object(value, address_));
    }
    if (const auto* usage = object->if_contains("usage")) take_usage(*usage);
    const auto* list = object->if_contains("choices");
    const auto* choices = list == nullptr ? nullptr : list->if_array();
    if (choices == nullptr) {
        if (!object->contains("usage")) odd();
        return;
    }
    for (const auto& one : *choices) {
        const auto* choice = one.if_object();
        if (choice == nullptr) {
            odd();
            continue;
        }
        const auto* index = choice->if_contains("index");
        if (index != nullptr && index->is_number() && *index != 0) continue;  // one was asked for
        take_choice(*choice, doubtful);
    }
}

void ReplyReader::take_choice(const json::object& choice, bool doubtful) {
    saw_choice_ = true;
    const auto* delta = object_at(choice, "delta");
    if (delta == nullptr) delta = object_at(choice, "message");
    if (delta != nullptr) {
        take_reasoning(*delta, doubtful);
        if (const auto* content = delta->if_contains("content"))
            take_content(*content, doubtful, 0);
        if (const auto refusal = string_at(*delta, "refusal"); !refusal.empty()) {
            say(refusal, doubtful);
        }
        if (const auto* calls = delta->if_contains("tool_calls"); calls && calls->is_array()) {
            take_calls(calls->get_array());
        }
        if (const auto* legacy = object_at(*delta, "function_call")) {
            if (auto* call = call_for(kLegacyIndex, {}, string_at(*legacy, "name"), true, 0)) {
                take_function(*call, *legacy);
            }
        }
    } else if (const auto text = string_at(choice, "text"); !text.empty()) {
        say(text, doubtful);
    }
    if (const auto why = string_at(choice, "finish_reason"); !why.empty()) {
        finish_ = why.substr(0, 64);
    }
}

void ReplyReader::take_content(const json::value& content, bool doubtful, int depth) {
    if (const auto* text = content.if_string()) return say(view(*text), doubtful);
    const auto* parts = content.if_array();
    if (parts == nullptr || depth > 2) return;
    for (const auto& one : *parts) {
        const auto* part = one.if_object();
        if (part == nullptr) {
            if (one.is_string()) say(view(one.get_string()), doubtful);
            continue;
        }
        if (const auto* thoughts = part->if_contains("thinking")) {
            if (thoughts->is_string()) think(view(thoughts->get_string()), doubtful);
            if (!thoughts->is_array()) continue;
            for (const auto& thought : thoughts->get_array()) {
                if (thought.is_object()) think(string_at(thought.get_object(), "text"), doubtful);
            }
        } else {
            say(string_at(*part, "text"), doubtful);
        }
    }
}

void ReplyReader::take_reasoning(const json::object& delta, bool doubtful) {
    // Some send the same under two names.
    for (const char* name : {"reasoning_content", "reasoning", "thinking"}) {
        const auto* value = delta.if_contains(name);
        if (value == nullptr) continue;
        std::string_view text;
        if (const auto* plain = value->if_string()) text = view(*plain);
        if (const auto* object = value->if_object()) {
            text = string_at(*object, "content");
            if (text.empty()) text = string_at(*object, "text");
        }
        if (text.empty()) continue;
        think(text, doubtful);
        return;
    }
}

void ReplyReader::say(std::string_view text, bool doubtful) {
    if (trouble_ || (text.empty() && !doubtful)) return;
    std::string joined;
    if (doubtful || text_.holds_something()) {
        joined = text_.add(text);
        text = joined;
    }
    if (text.empty() || !fits(text.size())) return;
    take_pieces(marks_.add(text));
}

void ReplyReader::take_pieces(std::vector<InlineMarks::Piece> pieces) {
    using Kind = InlineMarks::Piece::Kind;
    for (auto& piece : pieces) {
        if (piece.kind == Kind::Call) {
            auto call = call_in(piece.text);
            if (call && written_calls_.size() < kCallsMax) {
                written_calls_.push_back(std::move(*call));
            }
            continue;
        }
        heard_ = true;
        if (piece.kind == Kind::Thought) {
            reply_.reasoning.append(piece.text);
            listener_.reasoning(piece.text);
        } else {
            reply_.text.append(piece.text);
            listener_.text(piece.text);
        }
    }
}

void ReplyReader::think(std::string_view text, bool doubtful) {
    if (trouble_ || (text.empty() && !doubtful)) return;
    std::string joined;
    if (doubtful || reasoning_.holds_something()) {
        joined = reasoning_.add(text);
        text = joined;
    }
    if (text.empty() || !fits(text.size())) return;
    reply_.reasoning.append(text);
    heard_ = true;
    listener_.reasoning(text);
}

void ReplyReader::take_calls(const json::array& calls) {
    const std::size_t open_before = calls_.size();
    for (const auto& one : calls) {
        if (const auto* entry = one.if_object()) {
            take_call(*entry, open_before);
        } else {
            odd();
        }
        if (trouble_) return;
    }
}

void ReplyReader::take_call(const json::object& entry, std::size_t open_before) {
    const auto* function = object_at(entry, "function");
    std::optional<std::int64_t> index;
    if (const auto* at = entry.if_contains("index"); at != nullptr && at->is_int64()) {
        index = at->get_int64();
    }
    const auto id = string_at(entry, "id");
    const auto name = function == nullptr ? std::string_view() : string_at(*function, "name");
    const bool has_arguments = function != nullptr && function->contains("arguments");
    if (function == nullptr && id.empty()) return odd();
    auto* call = call_for(index, id, name, has_arguments, open_before);
    if (call == nullptr) return;
    if (call->call.id.empty()) call->call.id = id.substr(0, kNameBytesMax);
    if (function != nullptr) take_function(*call, *function);
}

// To which call an entry belongs: one that is being put together, or a new one.
ReplyReader::Call* ReplyReader::call_for(std::optional<std::int64_t> index, std::string_view id,
                                         std::string_view name, bool has_arguments,
                                         std::size_t open_before) {
    Call* found = nullptr;
    if (index) {
        for (auto& one : calls_) {
            if (one.index == index) found = &one;  // the last one of that number
        }
        // Some number all of them 0. Another id with a name is another call (without one it is an
        // id made anew for each chunk); and so is a name after arguments that are complete.
        if (found != nullptr && !id.empty() && !name.empty() && !found->call.id.empty() &&
            found->call.id != id) {
            found = nullptr;
        }
        if (found != nullptr && id.empty() && !name.empty() && has_arguments &&
            !found->call.arguments.empty() && is_whole_json(found->call.arguments)) {
            found = nullptr;
        }
    } else if (!id.empty()) {
        for (auto& one : calls_) {
            if (one.call.id == id) found = &one;
        }
        // One id for all of them is no id: a name after complete arguments begins another.
        if (found != nullptr && !name.empty() && !found->call.arguments.empty() &&
            is_whole_json(found->call.arguments)) {
            found = nullptr;
        }
        if (found == nullptr && name.empty() && !calls_.empty()) found = &calls_.back();
    } else if (!calls_.empty()) {
        // Neither: a name begins a call, and so does each entry of one list.
        auto& last = calls_.back();
        const bool begun = !last.call.name.empty() && !last.call.arguments.empty();
        const bool same_list = calls_.size() > open_before;
        if (!same_list && (name.empty() || !begun)) found = &last;
    }
    if (found != nullptr) return found;
    if (name.empty() && id.empty() && !has_arguments) return nullptr;
    if (calls_.size() >= kCallsMax) {
        wrong({{Code::TooLarge, "the model asks for more than 64 tools at once"}, false});
        return nullptr;
    }
    calls_.push_back({index, {}});
    return &calls_.back();
}

void ReplyReader::take_function(Call& into, const json::object& function) {
    auto& call = into.call;
    if (const auto name = string_at(function, "name"); name.starts_with(call.name)) {
        // The first piece, or the whole once more, as some send it with each chunk.
        call.name = name.substr(0, kNameBytesMax);
    } else if (call.name.size() + name.size() <= kNameBytesMax) {
        call.name.append(name);
    }
    const auto* arguments = function.if_contains("arguments");
    if (arguments == nullptr || arguments->is_null()) return;
    if (const auto* text = arguments->if_string()) {
        const auto piece = view(*text);
        // The whole once more, at the end, as some send it.
        if (piece.size() >= 2 && piece == call.arguments && is_whole_json(piece)) return;
        if (fits(piece.size())) call.arguments.append(piece);
    } else {
        const auto whole = json::serialize(*arguments);
        if (fits(whole.size())) call.arguments = whole;
    }
}

void ReplyReader::take_usage(const json::value& value) {
    const auto* usage = value.if_object();
    if (usage == nullptr) return;
    const auto prompt = count_in(*usage, {"prompt_tokens", "input_tokens"});
    const auto answer = count_in(*usage, {"completion_tokens", "output_tokens"});
    if (prompt != 0) reply_.usage.prompt_tokens = prompt;
    if (answer != 0) reply_.usage.answer_tokens = answer;
}

// The answers to calls carry their ids, so each has one, and no two the same.
void ReplyReader::name_calls() {
    std::set<std::string> taken;
    for (auto& one : calls_) {
        auto& call = one.call;
        if (call.name.empty() && call.arguments.empty()) continue;  // nothing was asked for
        call.name = as_utf8(call.name);
        call.arguments = as_utf8(call.arguments);
        call.id = as_utf8(call.id);
        while (call.id.empty() || !taken.insert(call.id).second) call.id = new_call_id();
        reply_.tool_calls.push_back(std::move(call));
    }
}

}  // namespace atl::openai
