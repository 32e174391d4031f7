// Goal: changes are told in envd's words, and an upload as what it means, not as how it is done.
#include "api/e2b/file_events.hpp"

#include <gtest/gtest.h>

namespace atl::api::e2b {
namespace {

using Changes = std::vector<guest_client::FileChange>;

std::string told(FileEvents& events, const Changes& changes) {
    std::string text;
    for (const auto& change : changes) {
        for (const auto& event : events.of(change)) {
            text += std::string(event.type.substr(11)) + " " + event.path + "\n";
        }
    }
    return text;
}

TEST(FileEvents, are_in_envds_words) {
    FileEvents events;
    EXPECT_EQ(told(events, {{"created", "/d/a"}, {"modified", "/d/a"}, {"written", "/d/a"}}),
              "CREATE /d/a\nWRITE /d/a\n");
    EXPECT_EQ(told(events, {{"attributes", "/d/a"}, {"removed", "/d/a"}}),
              "CHMOD /d/a\nREMOVE /d/a\n");
    EXPECT_EQ(told(events, {{"moved_from", "/d/a", false, 7}, {"moved_to", "/d/b", false, 7}}),
              "RENAME /d/a\nCREATE /d/b\n");
}

TEST(FileEvents, an_upload_is_a_file_that_is_created_and_written) {
    FileEvents events;
    EXPECT_EQ(told(events, {{"created", "/d/.atoll-1"},
                            {"modified", "/d/.atoll-1"},
                            {"attributes", "/d/.atoll-1"},
                            {"written", "/d/.atoll-1"},
                            {"moved_from", "/d/.atoll-1", false, 3},
                            {"moved_to", "/d/a", false, 3}}),
              "CREATE /d/a\nCHMOD /d/a\nWRITE /d/a\n");
    EXPECT_EQ(told(events, {{"moved_from", "/d/.atoll-replace-1", false, 4},
                            {"moved_to", "/d/a", false, 4}}),
              "CHMOD /d/a\nWRITE /d/a\n");
    // Its halves belong together by their number and by nothing else.
    EXPECT_EQ(told(events, {{"moved_from", "/d/.atoll-2", false, 5},
                            {"moved_to", "/d/b", false, 6},
                            {"moved_to", "/d/a", false, 5}}),
              "CREATE /d/b\nCREATE /d/a\nCHMOD /d/a\nWRITE /d/a\n");
}

TEST(FileEvents, an_upload_that_was_given_up_is_not_told) {
    FileEvents events;
    EXPECT_EQ(told(events, {{"created", "/d/.atoll-1"}, {"removed", "/d/.atoll-1"}}), "");
}

TEST(NameBelow, is_the_rest_of_a_path_in_the_folder_and_nothing_else) {
    struct Row {
        std::string_view folder, path;
        std::optional<std::string_view> name;
    };
    const Row rows[] = {
        {"/d", "/d/a", "a"},
        {"/d", "/d/a/b", "a/b"},
        {"/d", "/d", "."},
        {"/", "/a", "a"},
        {"/", "/", "."},
        // What no guest of ours says: shorter than the folder, beside it, and above it.
        {"/session", "", std::nullopt},
        {"/session", "/", std::nullopt},
        {"/session", "/sessio", std::nullopt},
        {"/session", "/session2", std::nullopt},
        {"/session", "x", std::nullopt},
        {"/", "", std::nullopt},
        {"/", "a", std::nullopt},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(name_below(row.folder, row.path), row.name) << row.folder << " " << row.path;
    }
}

}  // namespace
}  // namespace atl::api::e2b
