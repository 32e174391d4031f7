// Goal: a link opens what it was made for and nothing else: not another file, not for somebody
// else, not after its time, and not as a token of another kind.
#include "api/openai/file_links.hpp"

#include <gtest/gtest.h>

namespace atl::api::openai {

namespace {

constexpr std::chrono::hours kLife{24};

const Signer& signer() {
    static const Signer kSigner("a secret of this test");
    return kSigner;
}
std::string made(const FileLink& link) { return signed_link(signer(), link); }
std::optional<FileLink> read(std::string_view token, core::Time now) {
    return read_link(signer(), token, now, kLife);
}

FileLink sample(core::Time now) {
    return {"ann \"x\"", "k-1", "tc-1", "/data/outputs/a b.png", now + kLife / 2};
}

TEST(FileLinks, ComeBackAsTheyWereMade) {
    const auto now = core::time_now();
    const auto link = sample(now);
    EXPECT_EQ(read(made(link), now), link);
}

TEST(FileLinks, EndWithTheirTimeAndNeverLastLonger) {
    const auto now = core::time_now();
    auto link = sample(now);
    const auto token = made(link);
    EXPECT_TRUE(read(token, link.until - std::chrono::milliseconds(1)));
    EXPECT_FALSE(read(token, link.until));
    EXPECT_FALSE(read(token, now - kLife));  // the clock was put back
    link.until = now + 2 * kLife;
    EXPECT_FALSE(read(made(link), now));
}

TEST(FileLinks, NothingInThemCanBeChanged) {
    const auto now = core::time_now();
    const auto link = sample(now);
    const auto token = made(link);
    for (std::size_t i = 0; i < token.size(); ++i) {
        auto changed = token;
        changed[i] = changed[i] == 'a' ? 'b' : 'a';
        EXPECT_FALSE(read(changed, now)) << i;
        EXPECT_FALSE(read(token.substr(0, i), now)) << i;
    }
    EXPECT_FALSE(read(token + "a", now));
    EXPECT_FALSE(read("", now));
    EXPECT_FALSE(read(".", now));
    EXPECT_FALSE(read(std::string(9000, 'a') + ".a", now));
    EXPECT_FALSE(read(signed_link(Signer("another secret"), link), now));
    // A proof of another kind over the same text.
    const auto text = token.substr(0, token.find('.'));
    EXPECT_FALSE(read(text + "." + signer().seal("e2b envd", text), now));
    EXPECT_FALSE(read(signer().sign({"", "ann", "k-1", {"files"}, now + kLife}), now));
}

}  // namespace

}  // namespace atl::api::openai
