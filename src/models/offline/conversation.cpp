#include "models/offline/conversation.hpp"

#include "core/quotes.hpp"
#include "models/offline/answer.hpp"
#include "models/offline/profile_code.hpp"
#include "models/offline/remember.hpp"
#include "models/offline/replies.hpp"
#include "models/offline/sentences.hpp"
#include "models/offline/understand.hpp"
#include "models/offline/write_code.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <string_view>
#include <vector>

namespace atl::offline {
namespace {

constexpr std::size_t kQuestionBytesMax = 2000;
constexpr std::size_t kTurnsBack = 8;  // how far a follow-up may reach
constexpr std::size_t kFilesMax = 12;
constexpr std::size_t kProfilesMax = 2;  // a turn

using core::ChatMessage;
using core::ChatRole;

struct Run {
    std::string code;
    std::string output;
};

std::string code_in(const core::ToolCall& call) {
    boost::system::error_code failed;
    const boost::json::value value = boost::json::parse(call.arguments, failed);
    if (failed || !value.is_object()) return {};
    const auto* code = value.get_object().if_contains("code");
    return code != nullptr && code->is_string() ? std::string(code->get_string()) : std::string();
}

// The code runs in the messages from `begin` on, with what came back.
std::vector<Run> runs_from(const std::vector<ChatMessage>& messages, std::size_t begin) {
    std::vector<Run> runs;
    for (std::size_t i = begin; i < messages.size(); ++i) {
        for (const core::ToolCall& call : messages[i].tool_calls) {
            if (call.name != "run_python") continue;
            const auto answer =
                std::find_if(messages.begin() + static_cast<std::ptrdiff_t>(i), messages.end(),
                             [&](const ChatMessage& m) {
                                 return m.role == ChatRole::Tool && m.tool_call_id == call.id;
                             });
            if (answer != messages.end()) runs.push_back({code_in(call), answer->text});
        }
    }
    return runs;
}

// "- /data/name.csv (12 KB)" in the system prompt
std::vector<std::string> files_in(std::string_view prompt) {
    std::vector<std::string> files;
    std::size_t at = 0;
    while (at < prompt.size() && files.size() < kFilesMax) {
        const std::size_t end = std::min(prompt.find('\n', at), prompt.size());
        std::string_view line = prompt.substr(at, end - at);
        at = end + 1;
        if (!line.starts_with("- /data/") || line.starts_with("- /data/outputs/")) continue;
        line.remove_prefix(2);
        const std::size_t size = line.rfind(" (");
        if (size != std::string_view::npos) line = line.substr(0, size);
        std::string lower(line);
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
        for (const std::string_view ending :
             {".csv", ".tsv", ".txt", ".xlsx", ".xls", ".parquet", ".json", ".jsonl", ".ndjson"}) {
            if (lower.ends_with(ending)) {
                files.emplace_back(line);
                break;
            }
        }
    }
    return files;
}

std::string cut(std::string_view text) {
    if (text.size() <= kQuestionBytesMax) return std::string(text);
    std::size_t end = kQuestionBytesMax;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return std::string(text.substr(0, end));
}

bool knows_all(const Schema& schema, const std::vector<std::string>& files) {
    return std::ranges::all_of(files, [&](const std::string& file) {
        return std::ranges::any_of(schema.tables,
                                   [&](const Table& table) { return table.path == file; });
    });
}

bool lost_helpers(std::string_view output) {
    return output.find("NameError") != std::string_view::npos;
}

class Turn {
public:
    explicit Turn(const core::ChatRequest& request) : messages_(request.messages) {
        for (std::size_t i = 0; i < messages_.size(); ++i) {
            if (messages_[i].role == ChatRole::User) questions_.push_back(i);
            if (messages_[i].role == ChatRole::System) {
                const auto found = files_in(messages_[i].text);
                files_.insert(files_.end(), found.begin(), found.end());
            }
            if (messages_[i].role == ChatRole::Assistant && !messages_[i].text.empty()) {
                has_answered_ = true;
            }
        }
        if (files_.size() > kFilesMax) files_.resize(kFilesMax);
        const bool has_tool = std::ranges::any_of(
            request.tools, [](const auto& t) { return t.name == "run_python"; });
        can_run_ = request.tools.empty() || has_tool;
    }

    Step next() {
        if (questions_.empty()) return final(Language::English, "");
        const std::string text = question_at(questions_.back());
        const Language language = has_han(text) ? Language::Chinese : Language::English;
        if (is_to_be_remembered(text)) return final(language, sentence("noted", language));
        remembered_ = remembered_for(text, said());
        if (!can_run_) { return final(language, sentence("no tool", language)); }
        runs_ = runs_from(messages_, questions_.back());
        profile_ = profile_code(files_);
        auto schema = newest_schema();
        const auto profiles = static_cast<std::size_t>(
            std::ranges::count_if(runs_, [&](const Run& run) { return run.code == profile_; }));
        if (!schema || (!knows_all(*schema, files_) && profiles == 0)) {
            if (profiles == 0) return {profile_, ""};
            return final(language, failure(language, runs_.back().output));
        }
        if (!schema->has_data()) return final(language, no_data(language, *schema));
        for (const ChatMessage& m : messages_) {
            if (m.role != ChatRole::Tool) continue;
            add_columns(*schema, m.text);
            add_found(*schema, m.text);
        }
        return answer_or_run(*schema, profiles);
    }

private:
    // Without what was recalled for it, which is nobody's question.
    [[nodiscard]] std::string question_at(std::size_t message) const {
        return cut(core::without_quotes(messages_[message].text));
    }
    // What the user said before: recalled from long ago, then what is still sent.
    [[nodiscard]] std::vector<core::Quote> said() const {
        auto quotes = core::quotes_in(messages_[questions_.back()].text);
        for (std::size_t i = 0; i + 1 < questions_.size(); ++i) {
            quotes.push_back({0, "user", question_at(questions_[i])});
        }
        return quotes;
    }
    [[nodiscard]] std::optional<Schema> newest_schema() const {
        for (std::size_t i = messages_.size(); i > 0; --i) {
            if (messages_[i - 1].role != ChatRole::Tool) continue;
            if (auto schema = schema_in(messages_[i - 1].text)) return schema;
        }
        return std::nullopt;
    }

    [[nodiscard]] Step answer_or_run(const Schema& schema, std::size_t profiles) {
        std::optional<Question> question;
        const std::size_t first =
            questions_.size() > kTurnsBack ? questions_.size() - kTurnsBack : 0;
        for (std::size_t i = first; i < questions_.size(); ++i) {
            const std::string text = question_at(questions_[i]);
            if (is_to_be_remembered(text)) continue;
            Question now = understand(text, schema, question ? &*question : nullptr);
            const bool is_last = i + 1 == questions_.size();
            const bool is_talk = now.intent == Intent::Help || now.intent == Intent::Greeting ||
                                 now.intent == Intent::Thanks;
            if (!is_talk || is_last) question = std::move(now);
            // what builds on a question that was not understood is another question
            if (question && question->intent == Intent::Unknown && !is_last) question.reset();
        }
        const Question& q = *question;
        if (const std::string look = look_for_columns(q, schema, profiles); !look.empty()) {
            return {look, ""};
        }
        if (const std::string search = search_code(q, schema); !search.empty()) return {search, ""};
        switch (q.intent) {
            case Intent::Unknown:
                if (!remembered_.empty()) return final(q.language, "");
                [[fallthrough]];
            case Intent::Help:
            case Intent::Greeting:
            case Intent::Thanks: return final(q.language, help(q, schema) + unread(q, schema));
            default: break;
        }
        const Code code = write_code(q, schema);
        const Run* run = nullptr;
        for (const Run& r : runs_) {
            if (r.code == code.text) run = &r;
        }
        if (run == nullptr) return {code.text, ""};
        if (const auto result = result_in(run->output)) {
            return final(q.language,
                         answer(q, schema, *result, code.chart_file) + unread(q, schema));
        }
        if (lost_helpers(run->output)) {
            // the kernel is a new one: read the files again, then the same code
            if (run == &runs_.back() && profiles < kProfilesMax) return {profile_, ""};
            if (runs_.back().code == profile_ && times_run(code.text) < 2) {
                return {code.text, ""};
            }
        }
        return final(q.language, failure(q.language, run->output));
    }
    // Tables too wide to be described whole: the columns that this question names are looked for.
    [[nodiscard]] std::string look_for_columns(const Question& q, const Schema& schema,
                                               std::size_t profiles) const {
        if (q.intent == Intent::Help || q.intent == Intent::Greeting ||
            q.intent == Intent::Thanks) {
            return "";
        }
        const std::string code = columns_code(schema, question_at(questions_.back()));
        const std::size_t times = times_run(code);
        if (code.empty() || times == 0) return code;
        const Run& last = runs_.back();
        // the kernel is a new one: read the files again, then look again
        if (last.code == code && lost_helpers(last.output) && profiles < kProfilesMax) {
            return profile_;
        }
        return last.code == profile_ && times < 2 ? code : "";
    }
    // Names that no listed value explains may be among those that were too many to list.
    [[nodiscard]] std::string search_code(const Question& q, const Schema& schema) const {
        if (q.names.empty() || q.intent == Intent::Help || q.intent == Intent::Greeting ||
            q.intent == Intent::Thanks) {
            return "";
        }
        std::string code = find_code(schema, q.names);
        for (const Run& run : runs_) {
            if (run.code == code) return "";
            for (const std::string& word : searched_in(run.output)) {
                if (word == q.names[0]) return "";
            }
        }
        return code;
    }
    [[nodiscard]] std::size_t times_run(const std::string& code) const {
        return static_cast<std::size_t>(
            std::ranges::count_if(runs_, [&](const Run& run) { return run.code == code; }));
    }
    // Files that could not be read are told with the first answer.
    [[nodiscard]] std::string unread(const Question& q, const Schema& schema) const {
        if (has_answered_) return "";
        std::string out;
        for (const Table& table : schema.tables) {
            if (table.error.empty()) continue;
            out += "\n\n" +
                   sentence("unread", q.language,
                            {{"file", escaped(table.title())}, {"why", escaped(table.error)}});
        }
        return out;
    }
    [[nodiscard]] Step final(Language language, std::string text) const {
        if (!remembered_.empty()) {
            const auto quoted = quotation(language, remembered_);
            text = text.empty() ? quoted : text + "\n\n" + quoted;
        }
        if (!has_answered_ && !text.empty()) text += "\n\n" + sentence("introduction", language);
        return {"", std::move(text)};
    }

    const std::vector<ChatMessage>& messages_;
    std::vector<std::size_t> questions_;
    std::vector<std::string> files_;
    std::vector<Run> runs_;
    std::vector<core::Quote> remembered_;  // that the question may be about
    std::string profile_;
    bool has_answered_ = false;
    bool can_run_ = true;
};

}  // namespace

Step next_step(const core::ChatRequest& request) { return Turn(request).next(); }

}  // namespace atl::offline
