#include "cli/completion.hpp"

#include "cli/server.hpp"

#include <algorithm>
#include <vector>

namespace atl::cli {

namespace {

// What a word that is no option stands for.
enum class Word { Files, OneSession, Sessions, Copy, Choice };

struct Option {
    std::vector<std::string> names;  // with their dashes
    bool takes_value = false;
    std::string says;
};

struct Command {
    std::string path;  // "template build"
    std::string says;
    std::vector<Option> options;
    Word word = Word::Files;
    std::vector<std::string> choices;  // subcommands, or words
};

bool is_hidden(const CLI::Option& option) { return option.get_group().empty(); }

Command describe(const CLI::App& app, const std::string& path) {
    Command command{path, app.get_description(), {}, Word::Files, {}};
    for (const CLI::Option* one : app.get_options()) {
        if (one->get_positional() && !one->nonpositional()) {
            const std::string name = one->get_single_name();
            if (name == "session") command.word = Word::OneSession;
            if (name == "sessions") command.word = Word::Sessions;
            if (name == "shell") {
                command.word = Word::Choice;
                command.choices = {"bash", "zsh", "fish"};
            }
            continue;
        }
        if (is_hidden(*one)) continue;
        Option option{{}, one->get_items_expected_max() > 0, one->get_description()};
        for (const auto& name : one->get_snames()) option.names.push_back("-" + name);
        for (const auto& name : one->get_lnames()) option.names.push_back("--" + name);
        command.options.push_back(std::move(option));
    }
    for (const CLI::App* one : app.get_subcommands({})) {
        if (!one->get_group().empty()) command.choices.push_back(one->get_name());
    }
    if (!app.get_subcommands({}).empty()) command.word = Word::Choice;
    if (path == "cp") command.word = Word::Copy;
    return command;
}

void collect(const CLI::App& app, const std::string& path, std::vector<Command>& all) {
    all.push_back(describe(app, path));
    for (const CLI::App* one : app.get_subcommands({})) {
        collect(*one, path.empty() ? one->get_name() : path + " " + one->get_name(), all);
    }
}

std::vector<Command> commands_of(const CLI::App& app) {
    std::vector<Command> all;
    collect(app, "", all);
    return all;
}

std::string joined(const std::vector<std::string>& words, const char* between = " ") {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : between) + word;
    return text;
}

std::string names_of(const Command& command, bool with_value_only) {
    std::vector<std::string> names;
    for (const auto& option : command.options) {
        if (with_value_only && !option.takes_value) continue;
        names.insert(names.end(), option.names.begin(), option.names.end());
    }
    return joined(names);
}

const char* bash_kind(Word word) {
    switch (word) {
        case Word::Files: return "files";
        case Word::OneSession: return "session";
        case Word::Sessions: return "sessions";
        case Word::Copy: return "copy";
        case Word::Choice: return "choice";
    }
    return "files";
}

constexpr const char* kBashFunction = R"sh(
    local word=${COMP_WORDS[COMP_CWORD]} command= count=0 i value=
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; ++i)); do
        local one=${COMP_WORDS[i]}
        if [[ -n $value ]]; then value=; continue; fi
        if [[ $one == -* ]]; then
            _atoll_about "$command"
            [[ " $valued " == *" $one "* ]] && value=1
            continue
        fi
        _atoll_about "$command"
        if [[ $kind == choice && " $choices " == *" $one "* ]]; then
            command=${command:+$command }$one
        else
            count=$((count + 1))
        fi
    done
    _atoll_about "$command"
    if [[ -n $value ]]; then
        COMPREPLY=($(compgen -f -- "$word"))
    elif [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    elif [[ $kind == choice ]]; then
        COMPREPLY=($(compgen -W "$choices" -- "$word"))
    elif [[ $kind == sessions || ($kind == session && $count == 0) ]]; then
        COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" completion sessions 2>/dev/null)" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
        [[ $kind == copy ]] && COMPREPLY+=($(compgen -S : \
            -W "$("${COMP_WORDS[0]}" completion sessions 2>/dev/null)" -- "$word"))
    fi
}
)sh";

std::string quoted_for_fish(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') quoted.push_back('\\');
        quoted.push_back(c == '\n' ? ' ' : c);
    }
    return quoted + "'";
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
    std::string text =
        "# Completion for atoll. To use it: source <(atoll completion bash)\n"
        "_atoll_about() {\n    case $1 in\n";
    for (const auto& command : commands_of(app)) {
        text += "        " + quoted(command.path) + ") kind=" + bash_kind(command.word) +
                " choices=" + quoted(joined(command.choices)) +
                " valued=" + quoted(names_of(command, true)) +
                " options=" + quoted(names_of(command, false)) + " ;;\n";
    }
    text += "        *) kind=files choices= valued= options= ;;\n    esac\n}\n";
    text += "_atoll() {\n    local kind choices valued options";
    text += kBashFunction;
    return text + "complete -o filenames -F _atoll atoll\n";
}

std::string zsh_completion(const CLI::App& app) {
    return "#compdef atoll\n# Completion for atoll. To use it: source <(atoll completion zsh)\n"
           "autoload -U +X compinit && compinit\n"
           "autoload -U +X bashcompinit && bashcompinit\n" +
           bash_completion(app);
}

std::string fish_completion(const CLI::App& app) {
    std::string text =
        "# Completion for atoll. To use it: atoll completion fish | source\n"
        "complete -c atoll -e\n";
    for (const auto& command : commands_of(app)) {
        const auto space = command.path.find(' ');
        const std::string top = command.path.substr(0, space);
        std::string when = "__fish_use_subcommand";
        if (!command.path.empty()) when = "__fish_seen_subcommand_from " + top;
        if (space != std::string::npos) {
            when += "; and __fish_seen_subcommand_from " + command.path.substr(space + 1);
        }
        const std::string begin = "complete -c atoll -n " + quoted_for_fish(when);
        const bool files = command.word == Word::Files || command.word == Word::Copy;
        if (!files) text += begin + " -f\n";
        for (const auto& choice : command.choices) {
            text += begin + " -a " + quoted_for_fish(choice) + "\n";
        }
        if (command.word == Word::OneSession || command.word == Word::Sessions) {
            text += begin + " -a '(atoll completion sessions 2>/dev/null)'\n";
        }
        if (command.word == Word::Copy) {
            text += begin +
                    " -a '(for id in (atoll completion sessions 2>/dev/null); echo $id:; end)'\n";
        }
        for (const auto& option : command.options) {
            text += begin;
            for (const auto& name : option.names) {
                const bool is_long = name.starts_with("--");
                text += (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1);
            }
            text += (option.takes_value ? " -r -d " : " -d ") + quoted_for_fish(option.says) + "\n";
        }
    }
    return text;
}

}  // namespace atl::cli
