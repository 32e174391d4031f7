#include "models/openai/inline_marks.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace atl::openai {

namespace json = boost::json;

namespace {

constexpr std::string_view kThink = "<think>";
constexpr std::string_view kThinkEnd = "</think>";
constexpr std::string_view kCall = "<tool_call>";
constexpr std::string_view kCallEnd = "</tool_call>";
constexpr std::string_view kFence = "```";
constexpr std::string_view kSpace = " \t\r\n";
constexpr std::size_t kLineKept = 8;  // more than tells whether a line is empty or a fence

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(kSpace);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// How many bytes at the end of `text` may be the beginning of `mark`.
std::size_t begun_at_end(std::string_view text, std::string_view mark) {
    for (auto size = std::min(text.size(), mark.size() - 1); size > 0; --size) {
        if (text.substr(text.size() - size) == mark.substr(0, size)) return size;
    }
    return 0;
}

// Up to `end`, which `rest` loses as well; nothing when it is not there.
std::optional<std::string_view> cut_to(std::string_view& rest, std::string_view end) {
    const auto at = rest.find(end);
    if (at == rest.npos) return std::nullopt;
    const auto before = rest.substr(0, at);
    rest.remove_prefix(at + end.size());
    return before;
}

// <function=run_python><parameter=code>…</parameter></function>, as newer Qwens write it.
std::optional<core::ToolCall> function_in(std::string_view rest) {
    constexpr std::string_view kFunction = "<function=", kParameter = "<parameter=";
    if (!rest.starts_with(kFunction)) return std::nullopt;
    rest.remove_prefix(kFunction.size());
    const auto name = cut_to(rest, ">");
    if (!name) return std::nullopt;
    json::object arguments;
    while (cut_to(rest, kParameter)) {
        const auto key = cut_to(rest, ">");
        if (!key) return std::nullopt;
        auto value = rest;
        if (const auto closed = cut_to(rest, "</parameter>")) {
            value = *closed;
        } else {
            rest = {};
        }
        if (value.starts_with('\n')) value.remove_prefix(1);
        if (value.ends_with('\n')) value.remove_suffix(1);
        arguments[json::string_view(key->data(), key->size())] =
            json::string_view(value.data(), value.size());
    }
    core::ToolCall call;
    call.name = trimmed(*name);
    call.arguments = json::serialize(arguments);
    return call;
}

}  // namespace

std::vector<InlineMarks::Piece> InlineMarks::add(std::string_view text) {
    std::vector<Piece> out;
    held_.append(text);
    take(out, false);
    return out;
}

std::vector<InlineMarks::Piece> InlineMarks::rest() {
    std::vector<Piece> out;
    take(out, true);
    if (state_ == State::Call) out.push_back({Piece::Kind::Call, std::move(call_)});
    state_ = State::Text;
    call_.clear();
    return out;
}

void InlineMarks::take(std::vector<Piece>& out, bool at_end) {
    taken_ = 0;
    for (std::size_t before = held_.size() + 1; taken_ != before && taken_ < held_.size();) {
        before = taken_;
        switch (state_) {
            case State::Text: take_text(out, at_end); break;
            case State::Thought: take_inside(out, kThinkEnd, at_end); break;
            case State::Call: take_inside(out, kCallEnd, at_end); break;
        }
    }
    held_.erase(0, taken_);
}

void InlineMarks::say(std::vector<Piece>& out, std::string_view text) {
    if (after_thought_) {
        const auto first = std::min(text.find_first_not_of(kSpace), text.size());
        text.remove_prefix(first);
        if (text.empty()) return;
        after_thought_ = false;
    }
    for (const char c : text) {
        if (c == '\n') {
            if (trimmed(line_).starts_with(kFence)) in_fence_ = !in_fence_;
            line_.clear();
        } else if (line_.size() < kLineKept) {
            line_.push_back(c);
        }
    }
    said_any_ = said_any_ || !trimmed(text).empty();
    if (text.empty()) return;
    if (out.empty() || out.back().kind != Piece::Kind::Text) {
        out.push_back({Piece::Kind::Text, {}});
    }
    out.back().text.append(text);
}

// Up to the next mark, or to what may become one.
void InlineMarks::take_text(std::vector<Piece>& out, bool at_end) {
    const auto held = std::string_view(held_).substr(taken_);
    const auto less = std::min(held.find('<'), held.size());
    if (less != 0) {
        say(out, held.substr(0, less));
        taken_ += less;
        return;
    }
    const bool may_call = !in_fence_ && (trimmed(line_).empty() || after_thought_);
    const auto begins = [&](std::string_view mark) {
        return !at_end && held.size() < mark.size() && mark.starts_with(held);
    };
    if (!said_any_ && held.starts_with(kThink)) {
        taken_ += kThink.size();
        state_ = State::Thought;
    } else if (may_call && held.starts_with(kCall)) {
        taken_ += kCall.size();
        state_ = State::Call;
    } else if ((!said_any_ && begins(kThink)) || (may_call && begins(kCall))) {
        return;  // the next piece tells
    } else {
        say(out, held.substr(0, 1));
        ++taken_;
    }
}

void InlineMarks::take_inside(std::vector<Piece>& out, std::string_view close, bool at_end) {
    const auto held = std::string_view(held_).substr(taken_);
    const auto end = held.find(close);
    const bool closed = end != held.npos;
    const auto kept = at_end || closed ? 0 : begun_at_end(held, close);
    const auto inside = held.substr(0, closed ? end : held.size() - kept);
    if (state_ == State::Call) {
        call_.append(inside);
    } else if (!inside.empty()) {
        out.push_back({Piece::Kind::Thought, std::string(inside)});
    }
    taken_ += closed ? end + close.size() : held.size() - kept;
    if (!closed) return;
    if (state_ == State::Call) out.push_back({Piece::Kind::Call, std::move(call_)});
    call_.clear();
    state_ = State::Text;
    after_thought_ = true;
    line_.clear();
}

std::optional<core::ToolCall> call_in(std::string_view text) {
    text = trimmed(text);
    if (!text.starts_with('{')) return function_in(text);
    boost::system::error_code wrong;
    const auto value = json::parse(json::string_view(text.data(), text.size()), wrong);
    const auto* object = wrong ? nullptr : value.if_object();
    if (object == nullptr) return std::nullopt;
    const auto* name = object->if_contains("name");
    if (name == nullptr || !name->is_string() || name->get_string().empty()) return std::nullopt;
    core::ToolCall call;
    call.name = std::string(name->get_string());
    for (const char* key : {"arguments", "parameters"}) {
        const auto* arguments = object->if_contains(key);
        if (arguments == nullptr) continue;
        call.arguments = arguments->is_string() ? std::string(arguments->get_string())
                                                : json::serialize(*arguments);
        break;
    }
    if (call.arguments.empty()) call.arguments = "{}";
    return call;
}

}  // namespace atl::openai
