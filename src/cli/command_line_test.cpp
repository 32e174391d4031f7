// A wrong command line: what is said about it, in the order it was written.
#include "cli/command_line.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <gtest/gtest.h>

namespace atl::cli {
namespace {

struct Case {
    std::vector<std::string> words;
    std::string sentence;
    std::string advice;
};

std::string sentence_about(CLI::App& app, const std::vector<std::string>& words,
                           std::string& advice) {
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError& wrong) {
        auto [sentence, more] = complaint_about(app, words, wrong.what());
        advice = more;
        return sentence;
    }
    return "parsed";
}

TEST(CommandLine, SaysWhatIsWrongAndWhatWasMeant) {
    const Case cases[] = {
        {{"exce", "x"},
         "there is no command \"exce\"; did you mean exec?",
         "`atoll --help` lists them."},
        {{"zzzzzz"}, "there is no command \"zzzzzz\"", "`atoll --help` lists them."},
        {{"template", "bild"},
         "there is no command \"template bild\"; did you mean build?",
         "`atoll template --help` lists them."},
        {{"exec", "id", "--timout", "3s"},
         "there is no option --timout; did you mean --timeout?",
         "`atoll exec --help` shows its options."},
        {{"exec", "id", "--timout=3s"},
         "there is no option --timout; did you mean --timeout?",
         "`atoll exec --help` shows its options."},
        {{"exec", "-x", "id", "--", "ls", "-it"},
         "there is no option -x",
         "`atoll exec --help` shows its options."},
        {{"one", "a", "b", "c"},
         "\"b\", \"c\" were not expected",
         "`atoll one --help` shows its options."},
        {{"one", "a", "b"}, "\"b\" was not expected", "`atoll one --help` shows its options."},
        {{"--jsn"}, "there is no option --jsn", "Run `atoll --help` for a list of commands."},
        {{"one", "a"}, "parsed", ""},
    };
    for (const auto& one : cases) {
        CLI::App app{"", "atoll"};
        app.require_subcommand(1);
        std::string session, timeout, name;
        std::vector<std::string> rest;
        auto* exec = app.add_subcommand("exec");
        exec->add_option("session", session)->required();
        exec->add_option("--timeout", timeout);
        exec->add_option("words", rest);
        auto* templates = app.add_subcommand("template");
        templates->require_subcommand(1);
        templates->add_subcommand("build");
        app.add_subcommand("one")->add_option("name", name);
        std::string advice;
        EXPECT_EQ(sentence_about(app, one.words, advice), one.sentence);
        EXPECT_EQ(advice, one.advice);
    }
}

}  // namespace
}  // namespace atl::cli
