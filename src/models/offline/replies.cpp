#include "models/offline/replies.hpp"

#include "models/offline/answer.hpp"
#include "models/offline/sentences.hpp"
#include "models/offline/understand.hpp"

#include <algorithm>
#include <vector>

namespace atl::offline {
namespace {

// Examples that fit this table.
std::vector<std::string> examples(Language language, const Schema& schema, std::size_t table) {
    const auto measure = main_measure(schema, table);
    std::string group;
    std::string value;
    for (const Column& column : schema.tables[table].columns) {
        const bool is_good = column.is_text() && !column.is_id && column.distinct >= 2 &&
                             column.distinct <= 60 && !column.is_flag();
        if (!is_good || !group.empty()) continue;
        group = escaped(column.name);
        if (!column.values.empty()) value = escaped(column.values[0]);
    }
    const std::string number = measure ? escaped(at(schema, *measure).name) : "";
    std::vector<std::string> out;
    const auto add = [&](const char* name, bool fits) {
        if (!fits || out.size() >= 5) return;
        out.push_back(
            sentence(name, language, {{"number", number}, {"group", group}, {"value", value}}));
    };
    const bool has_number = !number.empty();
    add("total by", has_number && !group.empty());
    add("top 3", has_number && !group.empty());
    add("by month", has_number && main_date(schema, table).has_value());
    add("what share", has_number && !value.empty());
    add("rows per", !has_number && !group.empty());
    add("what average", has_number && group.empty());
    add("which missing", true);
    add("which columns", out.size() < 3);
    return out;
}

std::string all_escaped(const std::vector<std::string>& words) {
    std::vector<std::string> out;
    for (const std::string& word : words) out.push_back(escaped(word));
    return listed(out, "");
}

const char* limit_name(Limit limit) {
    switch (limit) {
        case Limit::Forecast: return "no forecast";
        case Limit::Reason: return "no reason";
        case Limit::Advice: return "no advice";
        case Limit::None: break;
    }
    return "not understood";
}

}  // namespace

std::string help(const Question& question, const Schema& schema) {
    const auto say = [&](const char* name, const Values& values = {}) {
        return sentence(name, question.language, values);
    };
    std::string out;
    if (question.intent == Intent::Thanks) return say("thanks");
    if (question.intent == Intent::Greeting) {
        out = say("hello");
    } else if (question.intent == Intent::Help) {
        out = say("help");
    } else {
        out = say(limit_name(question.limit));
        if (question.open && question.absent.empty()) {
            out += say("open figure", {{"column", escaped(at(schema, *question.open).name)}});
        } else if (!question.absent.empty()) {
            out += say("absent", {{"list", all_escaped(question.absent)}});
        }
        out += say("fitting");
    }
    if (question.table < schema.tables.size()) {
        for (const std::string& example : examples(question.language, schema, question.table)) {
            out += "\n- " + example;
        }
    }
    return out;
}

std::string no_data(Language language, const Schema& schema) {
    if (schema.tables.empty()) return sentence("no files", language);
    std::string out = sentence("no data", language);
    for (const Table& table : schema.tables) {
        out += "\n- `" + escaped(table.title()) + "`: " +
               escaped(table.error.empty() ? sentence("empty file", language) : table.error);
    }
    return out;
}

std::string_view cut_short(std::string_view tool_output) {
    for (std::size_t at = 0; at < tool_output.size();) {
        const std::size_t end = std::min(tool_output.find('\n', at), tool_output.size());
        const std::string_view line = tool_output.substr(at, end - at);
        if ((line.starts_with("[ended") || line.starts_with("[stopped")) && line.ends_with(']')) {
            return line.substr(1, line.size() - 2);
        }
        at = end + 1;
    }
    return {};
}

std::string failure(Language language, std::string_view tool_output) {
    const std::string none = sentence("no figures", language);
    if (const auto note = cut_short(tool_output); !note.empty()) {
        const bool memory = note.find("more memory") != std::string_view::npos;
        const bool time = note.starts_with("stopped after");
        std::string why = escaped(note);
        if (memory) why = sentence("too much memory", language, {{"why", why}});
        if (time) why = sentence("too much time", language, {{"why", why}});
        std::string out = sentence("cut short", language, {{"why", why}}) + none;
        if (memory || time) out += " " + sentence("ask for less", language);
        return out;
    }
    // the last line of a traceback names the error
    std::string last;
    std::size_t at = 0;
    while (at < tool_output.size()) {
        const std::size_t end = std::min(tool_output.find('\n', at), tool_output.size());
        const std::string_view line = tool_output.substr(at, end - at);
        const bool is_note = line.empty() || line[0] == '[' || line[0] == ' ';
        if (!is_note) last = std::string(line.substr(0, 300));
        at = end + 1;
    }
    return sentence("failed", language, {{"why", escaped(last)}}) + none;
}

}  // namespace atl::offline
