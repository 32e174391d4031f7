// When an import fails, and the module stands next to the script.
#include "cli/import_hint.hpp"

#include <gtest/gtest.h>
#include <set>

namespace atl::cli {
namespace {

std::string hint(const std::string& script, const std::string& err) {
    const std::set<std::string> files{"pkg/helper.py", "pkg/tools", "beside.py"};
    return import_hint(script, err, [&](const std::string& path) { return files.contains(path); });
}

std::string missing(const std::string& module) {
    return "Traceback (most recent call last):\n  File \"main.py\", line 1\n"
           "ModuleNotFoundError: No module named '" +
           module + "'\n";
}

TEST(ImportHint, NamesTheFolderToTakeAlong) {
    EXPECT_EQ(hint("pkg/main.py", missing("helper")),
              "helper.py is next to the script, but a run copies the script only; to take its "
              "folder along: atoll run -C pkg main.py");
    EXPECT_NE(hint("pkg/main.py", missing("tools.io")).find("-C pkg main.py"), std::string::npos);
    EXPECT_NE(hint("main.py", missing("beside")).find("-C . main.py"), std::string::npos);
}

TEST(ImportHint, IsSilentAboutAnythingElse) {
    EXPECT_EQ(hint("pkg/main.py", missing("torch")), "");
    EXPECT_EQ(hint("pkg/main.py", missing("../../etc/passwd")), "");
    EXPECT_EQ(hint("pkg/main.py", missing("")), "");
    EXPECT_EQ(hint("pkg/main.py", "ModuleNotFoundError: No module named '"), "");
    EXPECT_EQ(hint("pkg/main.py", "helper"), "");
    EXPECT_EQ(hint("pkg/main.py", ""), "");
}

}  // namespace
}  // namespace atl::cli
