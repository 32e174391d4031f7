#include "agent/export.hpp"

#include "agent/export_results.hpp"
#include "agent/message_details.hpp"
#include "agent/text.hpp"
#include "schema/json.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>

namespace atl::agent {

namespace json = boost::json;

namespace {

// A fence longer than any that stands in the text.
std::string fenced(std::string_view text, std::string_view language) {
    std::size_t longest = 2, run = 0;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    std::string result = fence;
    result.append(language).append("\n").append(text);
    if (text.empty() || text.back() != '\n') result += "\n";
    return result + fence + "\n";
}

std::string title_of(const core::ThreadRecord& thread) {
    return thread.title.empty() ? "Thread" : first_line(thread.title, 200);
}

std::string_view language_of(const std::string& tool) {
    return tool == "execute_shell" ? "bash" : "python";
}

json::array lines_of(std::string_view text) {
    json::array lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        const auto length = end == std::string_view::npos ? text.size() : end + 1;
        lines.emplace_back(json::string(text.substr(0, length)));
        text.remove_prefix(length);
    }
    return lines;
}

class Notebook {
public:
    void text(std::string_view markdown) {
        json::object cell;
        cell["cell_type"] = "markdown";
        cell["id"] = next_id();
        cell["metadata"] = json::object{};
        cell["source"] = lines_of(markdown);
        cells_.emplace_back(std::move(cell));
    }
    void code(std::string_view source, std::string_view output, bool failed,
              const std::vector<const ExportImage*>& images = {},
              std::vector<json::object> results = {}) {
        json::object metadata;
        if (failed) metadata["tags"] = json::array{"raises-exception"};
        json::array outputs;
        if (!output.empty()) {
            json::object stream;
            stream["output_type"] = "stream";
            stream["name"] = failed ? "stderr" : "stdout";
            stream["text"] = lines_of(output);
            outputs.emplace_back(std::move(stream));
        }
        for (const auto* image : images) {
            results.push_back(json::object{{image->content_type, image->base64}});
        }
        for (auto& result : results) {
            json::object shown;
            shown["output_type"] = "display_data";
            shown["data"] = std::move(result);
            shown["metadata"] = json::object{};
            outputs.emplace_back(std::move(shown));
        }
        json::object cell;
        cell["cell_type"] = "code";
        cell["id"] = next_id();
        cell["execution_count"] = ++count_;
        cell["metadata"] = std::move(metadata);
        cell["outputs"] = std::move(outputs);
        cell["source"] = lines_of(source);
        cells_.emplace_back(std::move(cell));
    }
    [[nodiscard]] std::string finish() {
        json::object kernel{
            {"display_name", "Python 3"}, {"language", "python"}, {"name", "python3"}};
        json::object metadata;
        metadata["kernelspec"] = std::move(kernel);
        metadata["language_info"] = json::object{{"name", "python"}};
        json::object notebook;
        notebook["cells"] = std::move(cells_);
        notebook["metadata"] = std::move(metadata);
        notebook["nbformat"] = 4;
        notebook["nbformat_minor"] = 5;
        std::string text;
        schema::append_json(text, json::value(std::move(notebook)));
        return text + "\n";
    }

private:
    std::string next_id() { return "cell-" + std::to_string(cells_.size() + 1); }

    json::array cells_;
    std::int64_t count_ = 0;
};

// Which charts stand where: each once, with the last run that wrote it, for what it shows is what
// that run left. A thread whose every run writes to the same file would be as many copies of it.
class Charts {
public:
    Charts(const std::vector<core::ThreadMessage>& messages, const ExportImages& images)
        : images_(images) {
        for (const auto& message : messages) {
            if (message.role != core::MessageRole::Tool) continue;
            const auto details = details_of(message);
            if (!details.run || !details.run->code) continue;
            for (const auto& link : details.run->images) last_[link.path] = &message;
        }
    }

    // To be shown there; null: it is only named.
    const ExportImage* take(const core::ThreadMessage& in, const std::string& path) {
        const auto last = last_.find(path);
        const auto image = images_.find(path);
        if (last == last_.end() || last->second != &in || image == images_.end()) return nullptr;
        last_.erase(last);
        return &image->second;
    }
    std::vector<const ExportImage*> take_all(const core::ThreadMessage& in, const RunNote& run) {
        std::vector<const ExportImage*> found;
        for (const auto& link : run.images) {
            if (const auto* image = take(in, link.path)) found.push_back(image);
        }
        return found;
    }

private:
    const ExportImages& images_;
    std::map<std::string, const core::ThreadMessage*> last_;  // by path
};

std::string shown(const ImageLink& link, const ExportImage* image) {
    if (image == nullptr) return "\nImage: `" + link.path + "`\n";
    // the name of a file is no markup
    std::string name = link.path.substr(link.path.rfind('/') + 1);
    std::erase_if(name, [](char c) { return c == '[' || c == ']' || c == '\\' || c == '\n'; });
    return "\n![" + name + "](data:" + image->content_type + ";base64," + image->base64 + ")\n";
}

// Cells say /data, where a thread has its files; elsewhere they lie beside the notebook. Readers of
// Parquet open files by themselves, not through Python's open.
std::string preparation(const std::vector<PromptFile>& files) {
    std::string code =
        "# In a thread the files are in /data. Elsewhere: put them beside this notebook.\n"
        "import builtins, os, pathlib\n"
        "if not os.path.isdir(\"/data\"):\n"
        "    import io\n"
        "    pathlib.Path(\"outputs\").mkdir(exist_ok=True)\n"
        "    _open, _here = builtins.open, os.getcwd()\n"
        "    def _local(path):\n"
        "        text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else path\n"
        "        moved = isinstance(text, str) and (text + \"/\").startswith(\"/data/\")\n"
        "        return _here + text[len(\"/data\"):] if moved else path\n"
        "    def _moved(call):\n"
        "        return lambda *all, **named: call(\n"
        "            *map(_local, all), **{name: _local(value) for name, value in named.items()})\n"
        "    builtins.open = io.open = _moved(_open)\n"
        "    for _name in (\"stat\", \"lstat\", \"scandir\", \"listdir\", \"mkdir\", \"access\", "
        "\"remove\"):\n"
        "        setattr(os, _name, _moved(getattr(os, _name)))\n"
        "    try:\n"
        "        import pandas\n"
        "        for _name in (\"read_parquet\", \"read_feather\", \"read_orc\"):\n"
        "            setattr(pandas, _name, _moved(getattr(pandas, _name)))\n"
        "        for _name in (\"to_parquet\", \"to_feather\", \"to_orc\"):\n"
        "            _call = _moved(getattr(pandas.DataFrame, _name))\n"
        "            setattr(pandas.DataFrame, _name, _call)\n"
        "        import pyarrow.parquet\n"
        "        for _name in (\"read_table\", \"write_table\", \"read_schema\", "
        "\"ParquetFile\"):\n"
        "            setattr(pyarrow.parquet, _name, _moved(getattr(pyarrow.parquet, _name)))\n"
        "    except ImportError:\n"
        "        pass  # what needs them says so\n"
        "else:\n"
        "    os.chdir(\"/data\")\n";
    if (!files.empty()) {
        code += "# Files:";
        for (const auto& file : files) code += " " + first_line(file.path, 200);
        code += "\n";
    }
    return code;
}

}  // namespace

std::string markdown_of(const core::ThreadRecord& thread, const std::vector<PromptFile>& files,
                        const std::vector<core::ThreadMessage>& messages,
                        const ExportImages& images) {
    Charts charts(messages, images);
    std::string text = "# " + title_of(thread) + "\n\n";
    for (const auto& file : files) {
        text += "- `" + file.path + "` (" + size_text(file.bytes) + ")\n";
    }
    for (const auto& message : messages) {
        const auto details = details_of(message);
        switch (message.role) {
            case core::MessageRole::User:
                text += "\n## Question " + std::to_string(message.turn) + "\n\n" + message.content +
                        "\n";
                break;
            case core::MessageRole::Assistant:
                if (!message.content.empty()) text += "\n" + message.content + "\n";
                break;
            case core::MessageRole::Tool:
                if (!details.run || !details.run->code) break;
                text += "\n" + fenced(*details.run->code, language_of(details.run->tool));
                if (!message.content.empty()) text += "\n" + fenced(message.content, "text");
                for (const auto& link : details.run->images) {
                    text += shown(link, charts.take(message, link.path));
                }
                break;
            case core::MessageRole::Note: text += "\n*" + message.content + "*\n"; break;
        }
    }
    return text;
}

std::string notebook_of(const core::ThreadRecord& thread, const std::vector<PromptFile>& files,
                        const std::vector<core::ThreadMessage>& messages,
                        const ExportImages& images) {
    Charts charts(messages, images);
    Notebook notebook;
    ExportResults results;
    notebook.text("# " + title_of(thread));
    notebook.code(preparation(files), "", false);
    for (const auto& message : messages) {
        const auto details = details_of(message);
        switch (message.role) {
            case core::MessageRole::User: notebook.text("**" + message.content + "**"); break;
            case core::MessageRole::Assistant:
                if (!message.content.empty()) notebook.text(message.content);
                break;
            case core::MessageRole::Tool:
                if (!details.run || !details.run->code) break;
                notebook.code(
                    (details.run->tool == "execute_shell" ? "%%bash\n" : "") + *details.run->code,
                    message.content, details.run->failed, charts.take_all(message, *details.run),
                    results.of(*details.run));
                break;
            case core::MessageRole::Note: notebook.text("*" + message.content + "*"); break;
        }
    }
    return notebook.finish();
}

}  // namespace atl::agent
