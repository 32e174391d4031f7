#include "models/offline/replies.hpp"

#include "models/offline/answer.hpp"
#include "models/offline/understand.hpp"

#include <algorithm>
#include <vector>

namespace atl::offline {
namespace {

// Examples that fit this table.
std::vector<std::string> examples(Language language, const Schema& schema, std::size_t table) {
    const bool zh = language == Language::Chinese;
    std::vector<std::string> out;
    const auto measure = main_measure(schema, table);
    const auto date = main_date(schema, table);
    std::string group;
    std::string value;
    for (const Column& column : schema.tables[table].columns) {
        const bool is_good = column.is_text() && !column.is_id && column.distinct >= 2 &&
                             column.distinct <= 60 && !column.is_flag();
        if (is_good && group.empty()) {
            group = escaped(column.name);
            if (!column.values.empty()) value = escaped(column.values[0]);
        }
    }
    const std::string number = measure ? escaped(at(schema, *measure).name) : "";
    if (!number.empty() && !group.empty()) {
        out.push_back(zh ? "按" + group + "统计" + number + "合计"
                         : "total " + number + " by " + group);
        out.push_back(zh ? number + "最高的3个" + group : "top 3 " + group + " by " + number);
    }
    if (!number.empty() && date) {
        out.push_back(zh ? number + "按月趋势,画成图" : "chart of " + number + " by month");
    }
    if (!number.empty() && !value.empty()) {
        out.push_back(zh ? value + "的" + number + "占比是多少"
                         : "what share of " + number + " comes from " + value + "?");
    }
    if (!group.empty() && number.empty()) {
        out.push_back(zh ? "每个" + group + "有多少行" : "how many rows per " + group + "?");
    }
    if (!number.empty() && group.empty()) {
        out.push_back(zh ? number + "的平均值是多少" : "what is the average " + number + "?");
    }
    if (out.size() < 5) out.push_back(zh ? "有多少缺失值?" : "which values are missing?");
    if (out.size() < 3) out.push_back(zh ? "有哪些列?" : "which columns are there?");
    if (out.size() > 5) out.resize(5);
    return out;
}

}  // namespace

std::string help(const Question& question, const Schema& schema) {
    const bool zh = question.language == Language::Chinese;
    std::string out;
    if (question.intent == Intent::Thanks) return zh ? "不客气。" : "You are welcome.";
    if (question.intent == Intent::Greeting) {
        out = zh ? "你好!可以这样问:" : "Hello! You can ask, for example:";
    } else if (question.intent == Intent::Help) {
        out =
            zh ? "我可以计算合计、平均、排名、占比、趋势、对比、相关性、异常值、分布、缺失值,"
                 "并画图。例如:"
               : "I compute totals, averages, rankings, shares, trends, comparisons, correlations, "
                 "outliers, distributions and missing values, and draw charts of them. For "
                 "example:";
    } else {
        out = zh ? "我没有理解这个问题" : "I did not understand this question";
        switch (question.limit) {
            case Limit::Forecast:
                out = zh ? "我无法预测:我只计算表中已有的数据"
                         : "I cannot forecast: I only compute from the rows that are there";
                break;
            case Limit::Reason:
                out = zh ? "我无法说明原因:表中只有数字,没有原因"
                         : "I cannot say why: the table holds figures, not reasons";
                break;
            case Limit::Advice:
                out = zh ? "我无法给出建议:我只计算表中已有的数据"
                         : "I cannot give advice: I only compute what the table holds";
                break;
            case Limit::None: break;
        }
        if (!question.absent.empty()) {
            std::string words;
            for (const std::string& word : question.absent) {
                words += (words.empty() ? "" : ", ") + escaped(word);
            }
            out += zh ? ":表中没有找到“" + words + "”"
                      : ": I find nothing in the table for “" + words + "”";
        } else if (!question.unknown.empty() && question.limit == Limit::None) {
            std::string words;
            for (const std::string& word : question.unknown) {
                words += (words.empty() ? "" : ", ") + escaped(word);
            }
            out += zh ? "(不认识:" + words + ")" : " (not known to me: " + words + ")";
        }
        out += zh ? "。适合这张表的问题例如:" : ". Questions that fit this table:";
    }
    if (question.table < schema.tables.size()) {
        for (const std::string& example : examples(question.language, schema, question.table)) {
            out += "\n- " + example;
        }
    }
    return out;
}

std::string no_data(Language language, const Schema& schema) {
    const bool zh = language == Language::Chinese;
    if (schema.tables.empty()) {
        return zh ? "/data 中没有可以读取的数据文件(CSV、TSV、Excel、Parquet、JSON)。请先上传一个。"
                  : "There is no data file that I can read in /data (CSV, TSV, Excel, Parquet, "
                    "JSON). "
                    "Please upload one first.";
    }
    std::string out = zh ? "没有可用的数据:" : "There is no data to work with:";
    for (const Table& table : schema.tables) {
        out += "\n- `" + escaped(table.title()) + "`: " +
               escaped(table.error.empty() ? (zh ? "空文件" : "the file is empty") : table.error);
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
    const bool zh = language == Language::Chinese;
    const std::string none =
        zh ? "。我没有得到结果,因此不给出数字。" : ". I have no result, so I give no figures.";
    if (const auto note = cut_short(tool_output); !note.empty()) {
        const bool memory = note.find("more memory") != std::string_view::npos;
        const bool time = note.starts_with("stopped after");
        std::string why = escaped(note);
        if (zh && memory) why = "需要的内存超过了沙箱的限额";
        if (zh && time) why = "运行时间超过了限制";
        std::string advice;
        if (memory || time) {
            advice = zh ? "可以只问一段时间或一个类别,或者给沙箱更多资源。"
                        : " Ask about fewer rows (one period, one category), or give the sandbox "
                          "more.";
        }
        return (zh ? "计算被中断:" : "The computation was cut short: ") + why + none + advice;
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
    return (zh ? "计算没有成功:" : "The computation did not work: ") + escaped(last) + none;
}

std::string introduction(Language language) {
    return language == Language::Chinese
               ? "*离线分析员:没有语言模型,只识别常见问题并运行 pandas 代码。*"
               : "*Offline analyst: no language model is set up; I recognise common questions and "
                 "run pandas code.*";
}

}  // namespace atl::offline
