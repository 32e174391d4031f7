#include "runtimes/native/template.hpp"

#include "runtimes/native/template_child.hpp"
#include "runtimes/native/template_folder.hpp"

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

namespace atl::native {

namespace fs = std::filesystem;

// Goal: a template file is checked whole before anything is downloaded, and each complaint names
// the field.
TEST(TemplateFile, RefusesWhatCannotBeBuilt) {
    struct Row {
        const char* name;
        const char* text;
        const char* complaint;
    };
    const Row rows[] = {
        {"no JSON", "{\n\"python\": [1,\n", "no valid JSON, line 3"},
        {"two values", "{} {}", "text after the end"},
        {"a list", "[]", "the file: must be an object, not a list"},
        {"unknown key", R"({"pyton": {}})", "pyton: unknown key; known here: description, python"},
        {"unknown inner key", R"({"python": {"package": []}})", "python.package: unknown key"},
        {"packages is text", R"({"python": {"packages": "numpy"}})",
         "python.packages: must be a list of strings, not a string"},
        {"a number among packages", R"({"python": {"packages": ["numpy", 3]}})",
         "python.packages[1]: must be a string, not a number"},
        {"empty package", R"({"python": {"packages": [" "]}})", "python.packages[0]: is empty"},
        {"an option", R"({"python": {"packages": ["--index-url=x"]}})", "looks like an option"},
        {"a relative path", R"({"python": {"packages": ["./x.whl"]}})", "is no package"},
        {"two lines", R"({"python": {"packages": ["a\n-r b"]}})", "control character"},
        {"no module", R"({"python": {"preload": ["os; x"]}})", "python.preload[0]"},
        {"half a module", R"({"python": {"preload": ["a..b"]}})", "is no module name"},
        {"builds is text", R"({"python": {"source_builds": "yes"}})", "must be true or false"},
        {"tree without target", R"({"trees": [{"source": "/a"}]})", "trees[0].target: is missing"},
        {"relative source", R"({"trees": [{"source": "a", "target": "/srv/a"}]})",
         "trees[0].source"},
        {"over /usr", R"({"trees": [{"source": "/a", "target": "/usr/x"}]})", "is not free"},
        {"over ours", R"({"trees": [{"source": "/a", "target": "/opt/atoll/x"}]})", "is not free"},
        {"hidden by /data", R"({"trees": [{"source": "/a", "target": "/data/x"}]})", "is not free"},
        {"dots", R"({"trees": [{"source": "/a", "target": "/srv/../usr"}]})",
         "plain absolute path"},
        {"twice",
         R"({"trees": [{"source": "/a", "target": "/srv"}, {"source": "/b", "target": "/srv"}]})",
         "named twice"},
        {"a variable's name", R"({"env": {"A B": "1"}})", "env.A B"},
        {"ours", R"({"env": {"ATOLL_FONT_CACHE": "1"}})", "are taken"},
        {"a variable's value", R"({"env": {"A": 1}})", "env.A: must be a string"},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        const auto parsed = Template::parse("mine", row.text);
        ASSERT_FALSE(parsed.has_value());
        EXPECT_EQ(parsed.error().code, Code::InvalidArgument);
        EXPECT_NE(parsed.error().message.find(row.complaint), std::string::npos)
            << parsed.error().message;
    }
    EXPECT_FALSE(Template::parse("../mine", "{}").has_value());
}

TEST(TemplateFile, ReadsEveryField) {
    const auto parsed = Template::parse("mine", R"({
        "description": "d",
        "python": {"packages": ["numpy==2", "x @ file:///x.whl"], "constraints": ["six<2"],
                   "preload": ["numpy", "matplotlib.pyplot"], "source_builds": true},
        "trees": [{"source": "/data/sets", "target": "/srv/sets"},
                  {"source": "/m", "target": "/opt/models"}],
        "env": {"MODE": "fast"}})");
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
    EXPECT_EQ(parsed->description, "d");
    EXPECT_EQ(parsed->packages.size(), 2u);
    EXPECT_EQ(parsed->constraints, std::vector<std::string>{"six<2"});
    EXPECT_EQ(parsed->preload.back(), "matplotlib.pyplot");
    EXPECT_TRUE(parsed->source_builds);
    EXPECT_EQ(parsed->trees.at(1).target, "/opt/models");
    EXPECT_EQ(parsed->environment.at("MODE"), "fast");
}

TEST(TemplateFile, DefaultIsValidAndPinned) {
    const auto parsed = Template::parse("default", "");
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
    for (const auto* list : {&parsed->packages, &parsed->constraints}) {
        for (const auto& package : *list) {
            EXPECT_NE(package.find("=="), std::string::npos) << package << " has no version";
        }
    }
    EXPECT_FALSE(parsed->preload.empty());
    EXPECT_FALSE(parsed->source_builds);
}

// Row T2: as much of everything as a file may name. All packages go on one command line.
TEST(Template, BoundsItsListsAndWhatTheyAddUpTo) {
    const auto list = [](const std::string& key, std::size_t count, std::size_t bytes) {
        std::string text = R"({"python": {")" + key + R"(": [)";
        for (std::size_t i = 0; i < count; ++i) {
            const auto number = std::to_string(i);
            text += (i == 0 ? "\"p" : ", \"p") + number + std::string(bytes - number.size(), 'x') +
                    "\"";
        }
        return text + "]}}";
    };
    const auto trees = [](std::size_t count) {
        std::string text = R"({"trees": [)";
        for (std::size_t i = 0; i < count; ++i) {
            text += (i == 0 ? "" : ", ") +
                    (R"({"source": "/a", "target": "/srv/)" + std::to_string(i)) + "\"}";
        }
        return text + "]}";
    };
    for (const char* key : {"packages", "constraints", "preload"}) {
        SCOPED_TRACE(key);
        const auto most = Template::parse("t", list(key, 1000, 1000));
        ASSERT_TRUE(most.has_value()) << most.error().message;
        std::size_t bytes = 0;
        for (const auto& one : most->packages) bytes += one.size() + 1 + sizeof(char*);
        EXPECT_LT(bytes + (256u << 10), static_cast<std::size_t>(::sysconf(_SC_ARG_MAX)));
        for (const auto& text : {list(key, 1001, 10), list(key, 1, 5000), list(key, 1000, 1100)}) {
            const auto refused = Template::parse("t", text);
            ASSERT_FALSE(refused.has_value()) << text.size();
            EXPECT_EQ(refused.error().code, Code::InvalidArgument);
        }
    }
    EXPECT_TRUE(Template::parse("t", trees(100)).has_value());
    EXPECT_FALSE(Template::parse("t", trees(101)).has_value());
}

// A zygote is told its environment in one message.
TEST(Template, BoundsItsEnvironmentAsAWhole) {
    const auto file = [](std::size_t count) {
        std::string text = R"({"env": {)";
        for (std::size_t i = 0; i < count; ++i) {
            text += (i == 0 ? "\"" : ", \"") + ("V" + std::to_string(i)) + "\": \"" +
                    std::string(4000, 'x') + "\"";
        }
        return text + "}}";
    };
    EXPECT_TRUE(Template::parse("t", file(16)).has_value());
    const auto large = Template::parse("t", file(17));
    ASSERT_FALSE(large.has_value());
    EXPECT_NE(large.error().message.find("65536"), std::string::npos) << large.error().message;
}

class TemplateFolder : public testing::Test {
protected:
    void SetUp() override {
        char name[] = "/tmp/atoll-template-test-XXXXXX";
        ASSERT_NE(::mkdtemp(name), nullptr);
        paths_.data = name;
        paths_.run = paths_.data + "/run";
        fs::create_directories(paths_.run);
        fs::create_directories(paths_.templates());
    }
    void TearDown() override { fs::remove_all(paths_.data); }

    // A build as it is on disk, with this host's Python.
    void make_build(const std::string& name) {
        const std::string folder = partial_folder(paths_, name);
        for (const char* part : {"/env/bin", "/cache", "/etc"}) {
            fs::create_directories(folder + part);
        }
        fs::create_symlink("/proc/self/exe", folder + "/env/bin/python");
        std::ofstream(folder + "/template.json") << R"({"description": "mine"})";
        const auto python = fs::canonical("/proc/self/exe").string();
        std::ofstream(folder + "/built.json")
            << boost::json::serialize(boost::json::object{{"python", python}, {"bytes", 7}});
        ASSERT_TRUE(publish(paths_, name).has_value());
    }
    std::string complaint(const std::string& name) {
        const auto made = Template::load(paths_, name);
        return made ? "" : made.error().message;
    }
    std::size_t entries() {
        const fs::directory_iterator all(paths_.templates());
        return static_cast<std::size_t>(std::distance(begin(all), end(all)));
    }

    Paths paths_;
};

TEST_F(TemplateFolder, UnknownNamesWhatThereIs) {
    EXPECT_NE(complaint("default").find("none is built"), std::string::npos);
    EXPECT_NE(complaint("default").find("atoll template build default"), std::string::npos);
    make_build("mine");
    EXPECT_NE(complaint("other").find("built: mine"), std::string::npos) << complaint("other");
    EXPECT_NE(complaint("other").find("template build other FILE"), std::string::npos);
}

// Goal: what is broken is said to be so, and never half used.
TEST_F(TemplateFolder, BrokenOnesAskToBeBuiltAgain) {
    struct Row {
        const char* file;
        const char* complaint;
    };
    for (const Row& row : {Row{"built.json", "half-built"}, Row{"template.json", "template.json"},
                           Row{"cache", "cache"}, Row{"env/bin/python", "lost its Python"}}) {
        SCOPED_TRACE(row.file);
        make_build("mine");
        ASSERT_EQ(complaint("mine"), "");
        fs::remove_all(current_build(paths_, "mine") + "/" + row.file);
        EXPECT_NE(complaint("mine").find(row.complaint), std::string::npos) << complaint("mine");
        EXPECT_NE(complaint("mine").find("build it again"), std::string::npos);
        const auto listed = list_templates(paths_);
        ASSERT_EQ(listed.size(), 1u);
        EXPECT_FALSE(listed[0].built);
    }
    make_build("mine");
    std::ofstream(current_build(paths_, "mine") + "/built.json") << R"({"python": "/python2"})";
    EXPECT_NE(complaint("mine").find("another Python"), std::string::npos);
}

// Goal: no files go away from below running sandboxes, and none stay when nobody needs them.
TEST_F(TemplateFolder, InUseIsKeptAndThenSwept) {
    make_build("mine");
    auto used = Template::load(paths_, "mine");
    ASSERT_TRUE(used.has_value());
    EXPECT_EQ(remove_template(paths_, "mine").error().code, Code::Conflict);

    make_build("mine");  // a rebuild
    sweep(paths_, "mine");
    EXPECT_TRUE(fs::exists(used->folder + "/template.json"));
    EXPECT_NE(current_build(paths_, "mine"), used->folder);

    const auto copy = *used;
    used = Error{Code::Internal, "let go"};
    sweep(paths_, "mine");
    EXPECT_TRUE(fs::exists(copy.folder)) << "a copy is a use too";
    const_cast<Template&>(copy).in_use.reset();
    sweep(paths_, "mine");
    EXPECT_FALSE(fs::exists(copy.folder));

    EXPECT_TRUE(remove_template(paths_, "mine").has_value());
    EXPECT_EQ(entries(), 0u);
}

TEST_F(TemplateFolder, NamesThatBeginAlikeAreNotSweptTogether) {
    make_build("a");
    make_build("a-1");
    EXPECT_TRUE(remove_template(paths_, "a").has_value());
    EXPECT_EQ(complaint("a-1"), "");
}

TEST_F(TemplateFolder, TwoBuildersDoNotMeet) {
    const auto first = lock_build(paths_, "mine");
    ASSERT_TRUE(first.has_value());
    const auto second = lock_build(paths_, "mine");
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, Code::Conflict);
    EXPECT_TRUE(lock_build(paths_, "other").has_value());
}

TEST_F(TemplateFolder, AFailedBuildLeavesNothing) {
    Template wanted;
    wanted.name = "mine";
    wanted.trees.push_back({paths_.data + "/nowhere", "/srv/x"});
    const auto made = build_template(paths_, wanted, "{}", {[](const std::string&) {}});
    ASSERT_FALSE(made.has_value());
    EXPECT_NE(made.error().message.find("nowhere does not exist"), std::string::npos);
    EXPECT_EQ(entries(), 0u);
}

// Goal: a default that is there stays as it is, also one that is broken: it may be the user's own.
TEST_F(TemplateFolder, OnlyAMissingDefaultIsBuilt) {
    std::vector<std::string> steps;
    const BuildListener listener{[&](const std::string& step) { steps.push_back(step); }};
    ::setenv("ATOLL_UV", "/nonexistent/uv", 1);

    make_build("default");
    EXPECT_TRUE(build_missing_default(paths_, listener).has_value());
    fs::remove(current_build(paths_, "default") + "/template.json");
    EXPECT_TRUE(build_missing_default(paths_, listener).has_value());
    EXPECT_TRUE(steps.empty());

    fs::remove(paths_.templates() + "/default");
    const auto made = build_missing_default(paths_, listener);
    ::unsetenv("ATOLL_UV");
    ASSERT_FALSE(made.has_value());
    for (const char* part :
         {"build the missing template default", "ATOLL_UV names", "atoll template build default"}) {
        EXPECT_NE(made.error().message.find(part), std::string::npos) << made.error().message;
    }
    EXPECT_EQ(steps.size(), 1u);
    EXPECT_EQ(entries(), 0u);
}

TEST(TemplateChild, TellsHowItEnded) {
    const auto run = [](std::string script, std::chrono::seconds time_max) {
        Child child;
        child.argv = {"/bin/sh", "-c", std::move(script)};
        child.folder = "/";
        child.time_max = time_max;
        return run_child(child);
    };
    using std::chrono::seconds;
    const auto good = run("echo out; echo err >&2", seconds(20));
    ASSERT_TRUE(good.has_value());
    EXPECT_TRUE(good->succeeded);
    EXPECT_EQ(good->output, "out\n");
    EXPECT_EQ(good->errors, "err\n");
    EXPECT_FALSE(run("exit 3", seconds(20))->succeeded);
    EXPECT_NE(run("kill -9 $$", seconds(20))->errors.find("Killed"), std::string::npos);
    const auto late = run("sleep 60 & sleep 60", seconds(1));
    ASSERT_FALSE(late.has_value());
    EXPECT_NE(late.error().message.find("longer than 1 s"), std::string::npos);
    const auto loud = run("yes", seconds(20));
    ASSERT_FALSE(loud.has_value());
    EXPECT_NE(loud.error().message.find("16 MiB"), std::string::npos);
}

}  // namespace atl::native
