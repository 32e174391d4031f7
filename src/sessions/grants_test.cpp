#include "sessions/grants.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <stdlib.h>

namespace atl::sessions {

// Goal: what a client names is looked up among what the settings offer, and never taken for a path.
TEST(DataSetReview, GrantsWhatIsOfferedAndNothingElse) {
    std::string folder = (std::filesystem::temp_directory_path() / "grants-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    const std::map<std::string, std::string> offered{{"taxi", folder}, {"gone", folder + "/gone"}};
    const DataSetReview review(offered);
    const auto granted = review.mounts({"taxi"});
    ASSERT_EQ(granted.size(), 1u);
    const core::Mount expected{folder, "/data/taxi", false};
    EXPECT_EQ(granted[0].mount(), expected);
    for (const std::string name : {"other", "gone", "../etc", "/etc", "", "taxi/.."}) {
        SCOPED_TRACE(name);
        try {
            static_cast<void>(review.mounts({"taxi", name}));
            ADD_FAILURE() << "it was granted";
        } catch (const ErrorException& error) { EXPECT_EQ(error.error.code, Code::Unavailable); }
    }
    std::filesystem::remove(folder);
}

}  // namespace atl::sessions
