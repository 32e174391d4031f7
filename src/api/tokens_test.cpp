#include "api/tokens.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sys/stat.h>

namespace atl::api {

namespace {

core::Time at(std::int64_t ms) { return core::Time(std::chrono::milliseconds(ms)); }

Grant some_grant() { return {"s-abc", "ann \"x\" ü", "k1", {"terminal", "files"}, at(1000)}; }

}  // namespace

TEST(Tokens, SayWhatWasSigned) {
    const Signer signer(std::string(32, 'k'));
    const auto token = signer.sign(some_grant());
    EXPECT_EQ(signer.read(token, at(999)), some_grant());
    EXPECT_FALSE(signer.read(token, at(1000))) << "past its end";
    EXPECT_FALSE(Signer(std::string(32, 'l')).read(token, at(0))) << "another server's";
}

// Goal: a clock that was put back does not make tokens of yesterday good again for as long as it
// jumped.
TEST(Tokens, NoneLastsLongerThanAnyIsGiven) {
    const Signer signer(std::string(32, 'k'));
    const auto day = std::chrono::hours{24};
    auto grant = some_grant();
    grant.until = at(0) + day * 400;
    const auto token = signer.sign(grant);
    EXPECT_TRUE(signer.read(token, grant.until - day));
    EXPECT_FALSE(signer.read(token, grant.until - day - std::chrono::seconds{1}));
    EXPECT_FALSE(signer.read(token, at(0)));
}

// Goal: the bound of a page's tokens is in each of them, and one that would be renewed for ever
// is none.
TEST(Tokens, OfAPageSayUntilWhenTheyAreRenewed) {
    const Signer signer(std::string(32, 'k'));
    Grant grant{"", "ann", "k1", {"run"}, at(1000), at(5000), "mark"};
    EXPECT_EQ(signer.read(signer.sign(grant), at(999)), grant);
    EXPECT_FALSE(signer.read(signer.sign(grant), at(1000)));
    grant.renewable_until = at(999);
    EXPECT_FALSE(signer.read(signer.sign(grant), at(0))) << "it ends before itself";
    grant.renewable_until = at(0) + std::chrono::hours{25};
    EXPECT_FALSE(signer.read(signer.sign(grant), at(0)));
    grant.renewable_until.reset();
    EXPECT_EQ(signer.read(signer.sign(grant), at(0))->key_mark, "") << "of no page";
}

TEST(Tokens, MarksOfKeysDiffer) {
    const Signer signer(std::string(32, 'k')), other(std::string(32, 'l'));
    core::KeyRecord one;
    one.id = KeyId("settings");
    one.secret_sha256 = sha256("one");
    auto two = one;
    two.secret_sha256 = sha256("two");
    EXPECT_EQ(mark_of(signer, one), mark_of(signer, one));
    EXPECT_NE(mark_of(signer, one), mark_of(signer, two));
    EXPECT_NE(mark_of(signer, one), mark_of(other, one));
}

TEST(Tokens, AnyChangeBreaksThem) {
    const Signer signer(std::string(32, 'k'));
    const auto token = signer.sign(some_grant());
    for (std::size_t i = 0; i < token.size(); ++i) {
        for (const char other : std::string_view("a7_.\x00", 5)) {
            if (token[i] == other) continue;
            auto changed = token;
            changed[i] = other;
            EXPECT_FALSE(signer.read(changed, at(0))) << i;
        }
        EXPECT_FALSE(signer.read(token.substr(0, i), at(0)));
    }
    EXPECT_FALSE(signer.read(token + "a", at(0)));
    EXPECT_FALSE(signer.read("att_" + std::string(100'000, 'a'), at(0)));
}

TEST(Secrets, LettersComeBack) {
    std::mt19937 random(7);
    for (std::size_t length = 0; length < 70; ++length) {
        std::string bytes(length, '\0');
        for (auto& byte : bytes) byte = static_cast<char>(random());
        EXPECT_EQ(bytes_of_letters(letters_of(bytes)), bytes);
    }
    EXPECT_FALSE(bytes_of_letters("a1"));
    EXPECT_FALSE(bytes_of_letters("ab")) << "bits are left over";
    EXPECT_FALSE(bytes_of_letters("a"));
}

TEST(Secrets, OfAFolderIsMadeOnceAndKeptFromOthers) {
    char folder[] = "/tmp/atoll-secret-XXXXXX";
    ASSERT_NE(::mkdtemp(folder), nullptr);
    const std::string path = std::string(folder) + "/token.key";
    const auto made = folder_secret(path);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->size(), 32u);
    struct stat there {};
    ASSERT_EQ(::stat(path.c_str(), &there), 0);
    EXPECT_EQ(there.st_mode & 0777, 0600u);
    EXPECT_EQ(*folder_secret(path), *made);
    ::chmod(path.c_str(), 0644);
    EXPECT_FALSE(folder_secret(path)) << "others could read it";
    std::filesystem::remove(path);
    std::filesystem::create_symlink("/etc/passwd", path);
    EXPECT_FALSE(folder_secret(path)) << "a link is not followed";
    std::filesystem::remove(path);
    std::ofstream(path) << "short";
    ::chmod(path.c_str(), 0600);
    EXPECT_FALSE(folder_secret(path));
    std::filesystem::remove_all(folder);
}

}  // namespace atl::api
