// Goal: the sheets of a workbook are told, and no archive of a stranger does any harm.
#include "agent/workbook.hpp"

#include "base/fd.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace atl::agent {
namespace {

using Names = std::vector<std::string>;

std::string number(std::size_t value, int width) {
    std::string bytes;
    for (int i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
    return bytes;
}

struct Archive {
    std::string part = "<workbook><sheets><sheet name=\"Jan\"/></sheets></workbook>";
    std::size_t method = 0;
    std::size_t says_bytes = 0;  // 0: as many as there are
    std::size_t offset = 0;      // of the part

    [[nodiscard]] std::string bytes() const {
        const std::string name = "xl/workbook.xml";
        const std::size_t size = says_bytes > 0 ? says_bytes : part.size();
        const std::string sizes = number(size, 4) + number(size, 4) + number(name.size(), 2);
        std::string out = "PK\x03\x04" + number(20, 2) + number(0, 2) + number(method, 2) +
                          number(0, 8) + sizes + number(0, 2) + name + part;
        const std::size_t at = out.size();
        out += "PK\x01\x02" + number(20, 2) + number(20, 2) + number(0, 2) + number(method, 2) +
               number(0, 8) + sizes + number(0, 8) + number(0, 4) + number(offset, 4) + name;
        return out + "PK\x05\x06" + number(0, 4) + number(1, 2) + number(1, 2) +
               number(out.size() - at, 4) + number(at, 4) + number(0, 2);
    }
};

Names sheets_of(const std::string& bytes) {
    const UniqueFd file(::memfd_create("workbook", MFD_CLOEXEC));
    EXPECT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    return sheets_in(file.get());
}

TEST(Workbook, TellsItsSheets) {
    EXPECT_EQ(sheets_of(Archive{}.bytes()), Names{"Jan"});
    EXPECT_EQ(sheet_names("<x:sheet state=\"hidden\" name=\"A &amp; B\"/><sheet name=\"费用\"/>"),
              (Names{"A & B", "费用"}));
    EXPECT_EQ(sheet_names("<sheetView name=\"x\"/><sheet id=\"1\"/>"), Names{});
}

TEST(Workbook, TagsWithoutAnEndCostLittle) {
    std::string tags;
    while (tags.size() < 1u << 20) tags += "<sheet ";
    EXPECT_EQ(sheet_names(tags), Names{});  // minutes, were each looked for to the very end
}

TEST(Workbook, NamesAreOneShortLineOfText) {
    EXPECT_EQ(sheet_names("<sheet name=\"a\nb\"/>"), Names{"a b"});
    EXPECT_EQ(sheet_names("<sheet name=\"\xff\"/>"), Names{});
    EXPECT_EQ(sheet_names("<sheet name=\"" + std::string(100, 'x') + "\"/>")[0].size(), 80u);
    std::string many;
    for (int i = 0; i < 200; ++i) many += "<sheet name=\"s\"/>";
    EXPECT_EQ(sheet_names(many).size(), 50u);
}

TEST(Workbook, OddArchivesAreNone) {
    const auto good = Archive{}.bytes();
    for (std::size_t size = 0; size < good.size(); ++size) {
        EXPECT_EQ(sheets_of(good.substr(0, size)), Names{}) << size;
    }
    EXPECT_EQ(sheets_of(Archive{.says_bytes = 0xffffffff}.bytes()), Names{});
    EXPECT_EQ(sheets_of(Archive{.offset = 0xfffffff0}.bytes()), Names{});
    EXPECT_EQ(sheets_of(Archive{.method = 8}.bytes()), Names{});  // it is not packed
    EXPECT_EQ(sheets_of(Archive{.method = 99}.bytes()), Names{});
    for (std::size_t at = 4; at < good.size(); ++at) {  // whatever byte is wrong: no harm
        auto bad = good;
        bad[at] = static_cast<char>(0xff);
        EXPECT_LE(sheets_of(bad).size(), 1u);
    }
}

}  // namespace
}  // namespace atl::agent
