// Goal: a file is described in the words that clients of envd parse.
#include "api/e2b/entry_info.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace atl::api::e2b {
namespace {

using guest_client::FileEntry;
using guest_client::FileType;

TEST(EntryInfo, permissions_are_as_ls_shows_them) {
    EXPECT_EQ(permissions_text(FileType::File, 0644), "-rw-r--r--");
    EXPECT_EQ(permissions_text(FileType::Directory, 0750), "drwxr-x---");
    EXPECT_EQ(permissions_text(FileType::Symlink, 0777), "Lrwxrwxrwx");
    EXPECT_EQ(permissions_text(FileType::File, 0), "----------");
}

TEST(EntryInfo, times_have_all_their_digits) {
    EXPECT_EQ(timestamp_text(0), "1970-01-01T00:00:00.000000000Z");
    EXPECT_EQ(timestamp_text(1'763'000'000'000'000'001), "2025-11-13T02:13:20.000000001Z");
    EXPECT_EQ(timestamp_text(-1), "1969-12-31T23:59:59.999999999Z");
}

TEST(EntryInfo, a_link_has_the_type_of_what_it_leads_to) {
    FileEntry link;
    link.type = FileType::Symlink;
    link.target = "../a";
    link.mode = 0777;
    auto info = entry_info("/tmp/x/link", link);
    EXPECT_EQ(info["type"].as_string(), "FILE_TYPE_SYMLINK");
    EXPECT_EQ(info["symlinkTarget"].as_string(), "../a");
    link.resolved = "/tmp/a";
    link.resolved_type = FileType::Directory;
    info = entry_info("/tmp/x/link", link);
    EXPECT_EQ(info["type"].as_string(), "FILE_TYPE_DIRECTORY");
    EXPECT_EQ(info["symlinkTarget"].as_string(), "/tmp/a");
    EXPECT_EQ(info["permissions"].as_string(), "Lrwxrwxrwx");
}

TEST(EntryInfo, says_who_owns_it_and_how_large_it_is) {
    FileEntry file;
    file.size = 5'000'000'000;
    file.mode = 04644;
    file.uid = 1000;
    file.gid = 7;
    file.attributes = {{"author", "ann"}};
    auto info = entry_info("/home/user/a\xff", file);
    EXPECT_EQ(info["size"].as_string(), "5000000000");  // 64 bits are text in protobuf's JSON
    EXPECT_EQ(info["mode"].to_number<int>(), 0644);
    EXPECT_EQ(info["owner"].as_string(), "user");
    EXPECT_EQ(info["group"].as_string(), "7");
    EXPECT_EQ(info["name"].as_string(), "a\xef\xbf\xbd");
    EXPECT_EQ(boost::json::serialize(info["metadata"]), R"({"author":"ann"})");
}

}  // namespace
}  // namespace atl::api::e2b
