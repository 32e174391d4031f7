#include "api/openai/answer_text.hpp"

#include "agent/text.hpp"
#include "base/text.hpp"
#include "net/target.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace atl::api::openai {

namespace json = boost::json;

namespace {

constexpr std::size_t kTargetBytesMax = 1024;
// Front ends send all of it back with each question.
constexpr std::size_t kShownCodeBytes = 16u << 10;
constexpr std::size_t kShownOutputBytes = 8u << 10;
constexpr std::size_t kTableRowsMax = 20;
constexpr std::size_t kTableColumnsMax = 12;
constexpr std::size_t kCellCharactersMax = 60;
constexpr std::string_view kSandboxScheme = "sandbox:";

json::object object_of(const std::string& data) {
    boost::system::error_code failed;
    auto value = json::parse(data, failed);
    return !failed && value.is_object() ? std::move(value.get_object()) : json::object();
}

std::string_view text_at(const json::object& in, std::string_view name) {
    const auto* value = in.if_contains(name);
    return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                  : std::string_view();
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Whether more of it may still make a path of the sandbox.
bool may_be_path(std::string_view target) {
    if (target.empty()) return true;
    const auto is_beginning = [&](std::string_view of) {
        const auto n = std::min(of.size(), target.size());
        return target.substr(0, n) == of.substr(0, n);
    };
    return is_beginning("/data/") || is_beginning("/session/") || is_beginning("sandbox:/data/") ||
           is_beginning("sandbox:/session/");
}

std::string cell_text(const json::value& value) {
    std::string text = value.is_string()
                           ? std::string(value.get_string())
                           : (value.is_null() ? std::string() : json::serialize(value));
    text = agent::first_line(text, kCellCharactersMax);
    std::string safe;
    for (const char c : text) {
        if (c == '|' || c == '\\') safe += '\\';
        safe += c;
    }
    return safe;
}

}  // namespace

// ---- Links ----

std::string PathLinks::replaced(const std::string& target) const {
    std::string_view path = target;
    if (path.starts_with(kSandboxScheme)) path.remove_prefix(kSandboxScheme.size());
    if (!path.starts_with("/data/") && !path.starts_with("/session/")) return target;
    const auto decoded = net::percent_decoded(path);
    const std::string plain = decoded ? *decoded : std::string(path);
    // One spelling for a file, as everywhere.
    if (plain.find("/../") != std::string::npos || plain.find("//") != std::string::npos) {
        return target;
    }
    return link_to_(plain);
}

std::string PathLinks::add(std::string_view text) {
    std::string said;
    for (const char c : text) {
        if (in_target_) {
            if (c == ')') {
                said += replaced(target_);
                said += c;
                in_target_ = false;
                target_.clear();
                continue;
            }
            target_ += c;
            if (c == '\n' || target_.size() > kTargetBytesMax || !may_be_path(target_)) {
                said += target_;
                in_target_ = false;
                target_.clear();
            }
        } else {
            said += c;
            in_target_ = after_bracket_ && c == '(';
        }
        after_bracket_ = c == ']';
    }
    return said;
}

std::string PathLinks::end() {
    in_target_ = after_bracket_ = false;
    return std::exchange(target_, {});
}

std::string link_text(std::string_view name) {
    const std::string plain = harmless(name, '_');
    std::string text;
    for (const char c : plain) {
        if (c == '[' || c == ']' || c == '\\' || c == '`' || c == '<') text += '\\';
        text += c;
    }
    return text;
}

std::string fence_for(std::string_view text) {
    std::size_t longest = 0, run = 0;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return std::string(std::max<std::size_t>(3, longest + 1), '`');
}

// ---- The text ----

void AnswerText::say(std::string_view text) {
    if (cut_ || text.empty()) return;
    if (whole_.size() + text.size() > kContentBytesMax) {
        cut_ = true;
        return;
    }
    piece_.content += text;
    whole_ += text;
}

void AnswerText::paragraph() {
    if (whole_.empty()) return;
    std::size_t ends = 0;
    while (ends < 2 && ends < whole_.size() && whole_[whole_.size() - 1 - ends] == '\n') ++ends;
    say(std::string(2 - ends, '\n'));
}

void AnswerText::block(std::string_view language, std::string_view text) {
    paragraph();
    const auto fence = fence_for(text);
    std::string block = fence;
    block.append(language).append("\n").append(text);
    if (!text.ends_with('\n')) block += '\n';
    block += fence + "\n";
    say(block);
    after_block_ = true;
}

void AnswerText::words(std::string_view text) {
    if (after_block_) {
        while (text.starts_with('\n')) text.remove_prefix(1);
        if (text.empty()) return;
        paragraph();
        after_block_ = false;
    }
    say(links_.add(text));
}

void AnswerText::event(const agent::LiveTurn& turn, std::string_view name,
                       const std::string& data) {
    if (name == "token") {
        const auto event = object_of(data);
        const auto text = text_at(event, "text");
        words_seen_ += text.size();
        words(text);
    } else if (name == "reasoning") {
        const auto event = object_of(data);
        piece_.reasoning += text_at(event, "text");
    } else if (name == "code_start") {
        say(links_.end());
        if (!shows_code_) return;
        const auto event = object_of(data);
        const auto language = text_at(event, "language");
        block(language == "shell" ? "bash" : language,
              agent::cut_in_the_middle(text_at(event, "code"), kShownCodeBytes));
    } else if (name == "code_run") {
        const auto event = object_of(data);
        const auto output = text_at(event, "output");
        if (shows_code_ && !output.empty()) {
            block("text", agent::cut_in_the_middle(output, kShownOutputBytes));
        }
        show_new_files(turn);
    } else if (name == "image") {
        const auto event = object_of(data);
        const std::string path(text_at(event, "path"));
        if (path.empty() || !shown_.insert(path).second) return;
        paragraph();
        say("![" + link_text(last_part(path)) + "](" + link_to_(path) + ")\n");
        after_block_ = true;
    } else if (name == "table") {
        if (!shows_code_) table(data);
    } else if (name == "answer") {
        catch_up(turn);
    }
}

void AnswerText::show_new_files(const agent::LiveTurn& turn) {
    const auto& files = turn.outcome.files;
    for (; files_seen_ < files.size(); ++files_seen_) {
        const auto& file = files[files_seen_];
        paragraph();
        say("[" + link_text(last_part(file.path)) + "](" + link_to_(file.path) + ") (" +
            agent::size_text(file.size) + ")\n");
        after_block_ = true;
    }
}

void AnswerText::table(const std::string& data) {
    const auto event = object_of(data);
    const auto* columns = event.if_contains("columns");
    const auto* rows = event.if_contains("rows");
    if (columns == nullptr || rows == nullptr || !columns->is_array() || !rows->is_array()) return;
    const auto width = std::min(columns->get_array().size(), kTableColumnsMax);
    if (width == 0) return;
    std::string text = "|";
    std::string rule = "|";
    for (std::size_t i = 0; i < width; ++i) {
        text += " " + cell_text(columns->get_array()[i]) + " |";
        rule += " --- |";
    }
    text += "\n" + rule + "\n";
    std::size_t shown = 0;
    for (const auto& row : rows->get_array()) {
        if (!row.is_array() || shown == kTableRowsMax) break;
        text += "|";
        const auto& cells = row.get_array();
        for (std::size_t i = 0; i < width; ++i) {
            text += " " + (i < cells.size() ? cell_text(cells[i]) : std::string()) + " |";
        }
        text += "\n";
        ++shown;
    }
    const auto* total = event.if_contains("total_rows");
    boost::system::error_code failed;
    const auto all = total == nullptr ? shown : total->to_number<std::uint64_t>(failed);
    paragraph();
    say(text);
    if (!failed && all > shown) {
        say("\n" + std::to_string(shown) + " of " + std::to_string(all) + " rows\n");
    }
    after_block_ = true;
}

void AnswerText::catch_up(const agent::LiveTurn& turn) {
    const auto& answer = turn.outcome.answer;
    if (answer.size() > words_seen_) {
        words(std::string_view(answer).substr(words_seen_));
        words_seen_ = answer.size();
    }
    show_new_files(turn);
    for (const auto& image : turn.outcome.images) {
        if (!shown_.insert(image.path).second) continue;
        paragraph();
        say("![" + link_text(last_part(image.path)) + "](" + link_to_(image.path) + ")\n");
        after_block_ = true;
    }
}

void AnswerText::end() { say(links_.end()); }

}  // namespace atl::api::openai
