// What is found, in which order, and that no file and no text can do harm.
#include "stores/recall/recall.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::recall {

namespace {

namespace asio = boost::asio;
using core::RecallEntry;
using core::RecallHit;

class Folder {
public:
    Folder() {
        std::string name =
            (std::filesystem::temp_directory_path() / "atoll-recall-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
        path_ = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string file() const { return path_ + "/recall.db"; }
    [[nodiscard]] RecallOptions options() const {
        RecallOptions options;
        options.path = file();
        options.model = "test";
        return options;
    }

private:
    std::string path_;
};

template <class T>
T await(asio::awaitable<T> what) {
    asio::io_context loop;
    std::exception_ptr failed;
    const auto ended = [&](std::exception_ptr thrown) { failed = thrown; };
    if constexpr (std::is_void_v<T>) {
        asio::co_spawn(loop, std::move(what), ended);
        loop.run();
        if (failed) std::rethrow_exception(failed);
    } else {
        std::optional<T> value;
        auto hold = [](asio::awaitable<T> inner, std::optional<T>* out) -> asio::awaitable<void> {
            out->emplace(co_await std::move(inner));
        };
        asio::co_spawn(loop, hold(std::move(what), &value), ended);
        loop.run();
        if (failed) std::rethrow_exception(failed);
        return std::move(*value);
    }
}

RecallEntry entry(std::uint64_t sequence, std::string text, std::vector<float> vector = {}) {
    return {sequence, std::move(text), std::move(vector)};
}

void add(SqliteRecall& recall, const std::string& id, std::vector<RecallEntry> entries) {
    await(recall.add(ThreadId(id), std::move(entries)));
}

std::vector<std::uint64_t> find(SqliteRecall& recall, const std::string& id,
                                const std::string& words, std::vector<float> vector = {},
                                std::uint64_t before = ~0ull, std::size_t limit = 10) {
    std::vector<std::uint64_t> found;
    double last = 1e9;
    for (const auto& hit :
         await(recall.find(ThreadId(id), words, std::move(vector), before, limit))) {
        EXPECT_LE(hit.score, last);
        last = hit.score;
        found.push_back(hit.sequence);
    }
    return found;
}

using Sequences = std::vector<std::uint64_t>;

TEST(Recall, FindsByWords) {
    Folder folder;
    SqliteRecall recall(folder.options());
    EXPECT_EQ(await(recall.indexed(ThreadId("t1"))), 0u);
    EXPECT_TRUE(find(recall, "t1", "anything").empty());
    add(recall, "t1",
        {entry(1, "The harbour project is called Bluefin."), entry(2, "Sales rose in May."),
         entry(3, "我们的预算是五十万元，项目代号是蓝鳍。"), entry(4, "Nothing of interest here."),
         entry(5, "Die Größe der Lieferung: naïve Schätzung"), entry(6, "个人所得税")});
    EXPECT_EQ(await(recall.indexed(ThreadId("t1"))), 6u);
    EXPECT_EQ(find(recall, "t1", "What was the name of our harbours' projects?").at(0), 1u);
    EXPECT_EQ(find(recall, "t1", "SALE").at(0), 2u);
    EXPECT_EQ(find(recall, "t1", "项目的代号叫什么？").at(0), 3u);
    EXPECT_EQ(find(recall, "t1", "预算"), Sequences{3});
    EXPECT_EQ(find(recall, "t1", "税"), Sequences{6});
    EXPECT_EQ(find(recall, "t1", "元"), Sequences{3});
    EXPECT_EQ(find(recall, "t1", "grosse naive"), Sequences{5});
    EXPECT_TRUE(find(recall, "t1", "unheard").empty());
    EXPECT_TRUE(find(recall, "t1", "").empty());
    // Only what stands before, and no more than asked for.
    EXPECT_TRUE(find(recall, "t1", "预算", {}, 3).empty());
    EXPECT_EQ(find(recall, "t1", "预算", {}, 4), Sequences{3});
    EXPECT_EQ(find(recall, "t1", "harbour sales 预算 nothing", {}, ~0ull, 2).size(), 2u);
    EXPECT_TRUE(find(recall, "t1", "harbour", {}, ~0ull, 0).empty());
}

TEST(Recall, ThreadsAreApart) {
    Folder folder;
    SqliteRecall recall(folder.options());
    add(recall, "t1", {entry(1, "Bluefin"), entry(2, "shared")});
    add(recall, "t2", {entry(1, "Marlin"), entry(7, "shared")});
    EXPECT_TRUE(find(recall, "t2", "Bluefin").empty());
    EXPECT_EQ(find(recall, "t2", "shared"), Sequences{7});
    // Nor by a word that is written as another thread's are inside.
    EXPECT_TRUE(find(recall, "t2", "1qBluefin").empty());
    await(recall.forget(ThreadId("t1")));
    await(recall.forget(ThreadId("t1")));
    EXPECT_EQ(await(recall.indexed(ThreadId("t1"))), 0u);
    EXPECT_TRUE(find(recall, "t1", "Bluefin").empty());
    EXPECT_EQ(find(recall, "t2", "Marlin"), Sequences{1});
    add(recall, "t1", {entry(1, "Sailfish")});
    EXPECT_TRUE(find(recall, "t1", "Bluefin").empty());
    EXPECT_EQ(find(recall, "t1", "Sailfish"), Sequences{1});
}

TEST(Recall, AddedTwiceIsThereOnce) {
    Folder folder;
    SqliteRecall recall(folder.options());
    add(recall, "t1", {entry(1, "first words", {1, 0}), entry(2, "second", {0, 1})});
    EXPECT_EQ(find(recall, "t1", "", {1, 0.1f}).at(0), 1u);
    add(recall, "t1", {entry(1, "other words", {0, 1}), entry(2, "second", {1, 0})});
    EXPECT_TRUE(find(recall, "t1", "first").empty());
    EXPECT_EQ(find(recall, "t1", "words"), Sequences{1});
    EXPECT_EQ(find(recall, "t1", "", {1, 0.1f}), (Sequences{2, 1}));
    EXPECT_EQ(await(recall.indexed(ThreadId("t1"))), 2u);
}

TEST(Recall, WordsAndMeaningTogether) {
    Folder folder;
    SqliteRecall recall(folder.options());
    // 2 has the words, 3 the meaning, 1 both but neither best.
    add(recall, "t1",
        {entry(1, "a boat, not only a harbour", {0.8f, 0.6f, 0}), entry(2, "harbour", {0, 0, 1}),
         entry(3, "where ships sleep", {1, 0, 0}), entry(4, "lunch", {0, 1, 0}),
         entry(5, "no vector at all")});
    EXPECT_EQ(find(recall, "t1", "harbour", {1, 0, 0}, ~0ull, 1), Sequences{1});
    EXPECT_EQ(find(recall, "t1", "nowhere", {1, 0, 0}, ~0ull, 1), Sequences{3});
    EXPECT_EQ(find(recall, "t1", "nowhere", {1, 0, 0}, 3, 1), Sequences{1});
    // Vectors that cannot be compared are left out, and words still count.
    EXPECT_EQ(find(recall, "t1", "lunch", {1, 0}), Sequences{4});
    EXPECT_EQ(find(recall, "t1", "lunch", {0, 0, 0}), Sequences{4});
    EXPECT_EQ(find(recall, "t1", "lunch", {NAN, 0, 0}), Sequences{4});
    // Of another length: another model's. The old ones go, the words stay.
    add(recall, "t1", {entry(6, "dinner", {1, 0})});
    EXPECT_EQ(find(recall, "t1", "", {1, 0}), Sequences{6});
    EXPECT_EQ(find(recall, "t1", "lunch"), Sequences{4});
}

TEST(Recall, OutlivesItsProcess) {
    Folder folder;
    {
        SqliteRecall recall(folder.options());
        add(recall, "t1", {entry(1, "Bluefin", {1, 0}), entry(2, "Marlin", {0, 1})});
    }
    struct stat file {};
    ASSERT_EQ(::stat(folder.file().c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777, 0600u);
    {
        SqliteRecall recall(folder.options());
        EXPECT_EQ(await(recall.indexed(ThreadId("t1"))), 2u);
        EXPECT_EQ(find(recall, "t1", "bluefin"), Sequences{1});
        EXPECT_EQ(find(recall, "t1", "", {0.1f, 1}).at(0), 2u);
    }
    // Another model: its vectors are worth nothing, so all is to be added again.
    auto options = folder.options();
    options.model = "another";
    SqliteRecall recall(options);
    EXPECT_EQ(await(recall.indexed(ThreadId("t1"))), 0u);
}

// Goal: whatever is in the file, a turn goes on; and then the index works again.
TEST(Recall, ADamagedFileIsMadeAnew) {
    Folder folder;
    {
        SqliteRecall recall(folder.options());
        std::vector<RecallEntry> entries;
        for (std::uint64_t i = 1; i <= 500; ++i) {
            entries.push_back(entry(i, "message " + std::to_string(i), {1, static_cast<float>(i)}));
        }
        add(recall, "t1", entries);
    }
    std::string good;
    {
        std::ifstream in(folder.file(), std::ios::binary);
        good.assign(std::istreambuf_iterator<char>(in), {});
    }
    ASSERT_GT(good.size(), 40000u);
    std::vector<std::string> files{"", "garbage", std::string(20000, 'x'), good.substr(0, 5000),
                                   good.substr(0, good.size() / 2)};
    std::mt19937 random(7);
    for (int i = 0; i < 20; ++i) {
        std::string bad = good;
        const std::size_t at = random() % bad.size();
        for (std::size_t j = at; j < std::min(bad.size(), at + 3000); ++j) {
            bad[j] = static_cast<char>(random());
        }
        files.push_back(std::move(bad));
    }
    for (const auto& content : files) {
        for (const char* ending : {"-wal", "-shm"}) std::filesystem::remove(folder.file() + ending);
        std::ofstream(folder.file(), std::ios::binary | std::ios::trunc) << content;
        SqliteRecall recall(folder.options());
        EXPECT_NO_THROW({
            (void)await(recall.indexed(ThreadId("t1")));
            (void)find(recall, "t1", "message 7", {1, 7});
            add(recall, "t1", {entry(1000, "Bluefin", {1, 2})});
            (void)find(recall, "t1", "message 7", {1, 7});
            await(recall.forget(ThreadId("t1")));
            add(recall, "t2", {entry(1, "Marlin", {1, 2})});
        });
        EXPECT_EQ(find(recall, "t2", "marlin"), Sequences{1});
    }
}

TEST(Recall, WhatIsNotItsOwnIsLeftAlone) {
    Folder folder;
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(folder.file().c_str(), &other), SQLITE_OK);
    sqlite3_exec(other, "CREATE TABLE precious (x); INSERT INTO precious VALUES (1)", nullptr,
                 nullptr, nullptr);
    sqlite3_close(other);
    SqliteRecall recall(folder.options());
    try {
        add(recall, "t1", {entry(1, "x")});
        FAIL() << "it wrote into somebody else's database";
    } catch (const ErrorException& refused) { EXPECT_EQ(refused.error.code, Code::Unavailable); }
    ASSERT_EQ(sqlite3_open(folder.file().c_str(), &other), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(other, "SELECT x FROM precious", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(other);
}

TEST(Recall, WithoutAFolderItSaysSoAndGoesOnLater) {
    Folder folder;
    auto options = folder.options();
    const std::string inner = folder.file() + ".d";
    options.path = inner + "/recall.db";
    SqliteRecall recall(options);
    try {
        (void)await(recall.indexed(ThreadId("t1")));
        FAIL() << "there is no such folder";
    } catch (const ErrorException& refused) {
        EXPECT_EQ(refused.error.code, Code::Unavailable);
        EXPECT_NE(refused.error.message.find(options.path), std::string::npos);
    }
    std::filesystem::create_directory(inner);
    EXPECT_EQ(await(recall.indexed(ThreadId("t1"))), 0u);
}

// Goal: no text is taken for the language of queries, and none is an error.
TEST(Recall, AnyTextIsAQuestion) {
    Folder folder;
    SqliteRecall recall(folder.options());
    add(recall, "t1", {entry(1, "NEAR the harbour AND OR NOT"), entry(2, "\"quoted\" 'text'")});
    for (const char* text : {"\"",
                             "'",
                             "*",
                             "NEAR(",
                             "a AND",
                             "NOT",
                             "text:x",
                             "^x",
                             "x*",
                             "(((",
                             "{text}",
                             "-x",
                             "a + b",
                             "; DROP TABLE words; --",
                             "words MATCH 'x'",
                             "\\",
                             "%s%n",
                             "\xf0\x9f\x98\x80",
                             "\xed\xa0\x80",
                             "\xff",
                             "a\"b\"c",
                             "税\"",
                             "e\xcc\x81",
                             "\xe2\x80\x8b",
                             "١٢٣",
                             "ｱｲｳ"}) {
        EXPECT_NO_THROW((void)find(recall, "t1", text)) << text;
        EXPECT_NO_THROW(add(recall, "t1", {entry(3, text)})) << text;
    }
    std::mt19937 random(3);
    for (int i = 0; i < 300; ++i) {
        std::string text(random() % 60, '\0');
        for (auto& c : text) c = static_cast<char>(random());
        EXPECT_NO_THROW((void)find(recall, "t1", text));
        EXPECT_NO_THROW(add(recall, "t1", {entry(4, text)}));
    }
    EXPECT_EQ(find(recall, "t1", "NEAR").at(0), 1u);
    EXPECT_EQ(find(recall, "t1", "quoted").at(0), 2u);
}

TEST(Recall, TheGraphFindsWhatLookingThroughFinds) {
    constexpr std::size_t kDimension = 32;
    std::mt19937 random(11);
    std::normal_distribution<float> normal;
    const auto make = [&] {
        std::vector<float> vector(kDimension);
        for (auto& value : vector) value = normal(random);
        EXPECT_TRUE(normalise(vector));
        return vector;
    };
    Vectors::Limits graph;
    graph.graph_min = 100;
    graph.graph_time = std::chrono::seconds(60);
    Vectors::Limits plain;
    plain.graph_min = 1u << 30;
    Vectors with(kDimension, graph);
    Vectors without(kDimension, plain);
    for (std::uint64_t i = 1; i <= 800; ++i) {
        const auto vector = make();
        with.add(i * 2, vector);
        without.add(i * 2, vector);
    }
    std::size_t same = 0;
    std::size_t all = 0;
    for (int i = 0; i < 60; ++i) {
        const auto vector = make();
        const std::uint64_t before = i % 3 == 0 ? ~0ull : i % 3 == 1 ? 1500 : 500;
        const auto found = with.nearest(vector, before, 10);
        const auto expected = without.nearest(vector, before, 10);
        ASSERT_EQ(found.size(), 10u);
        for (const auto sequence : found) EXPECT_LT(sequence, before);
        for (const auto sequence : expected) {
            ++all;
            same += std::count(found.begin(), found.end(), sequence) == 1 ? 1u : 0u;
        }
    }
    EXPECT_EQ(with.in_graph(), 800u);
    EXPECT_EQ(without.in_graph(), 0u);
    EXPECT_GT(static_cast<double>(same) / static_cast<double>(all), 0.9);
}

TEST(Recall, MemoryIsBounded) {
    Folder folder;
    auto options = folder.options();
    options.loaded_bytes_max = 1000;
    options.vectors_max = 10;
    SqliteRecall recall(options);
    for (int t = 0; t < 5; ++t) {
        std::vector<RecallEntry> entries;
        for (std::uint64_t i = 1; i <= 30; ++i) {
            entries.push_back(entry(i, "", {1, static_cast<float>(i)}));
        }
        add(recall, std::to_string(t), entries);
    }
    for (int t = 0; t < 10; ++t) {
        const auto found = find(recall, std::to_string(t % 5), "", {1, 30}, ~0ull, 30);
        EXPECT_EQ(found.size(), 10u);  // the latest; the older ones are found by words
        EXPECT_EQ(found.at(0), 30u);
    }
    add(recall, "0", {entry(31, "", {1, 31})});
    EXPECT_EQ(find(recall, "0", "", {1, 31}, ~0ull, 1), Sequences{31});
}

// Goal: words that all messages have neither hide what is rare nor cost what all of them would.
TEST(Recall, WordsThatAllMessagesHaveDoNotCount) {
    Folder folder;
    SqliteRecall recall(folder.options());
    std::vector<RecallEntry> entries;
    for (std::uint64_t i = 1; i <= 2000; ++i) {
        entries.push_back(entry(i, "Entry number " + std::to_string(i) + " of the list is fine."));
    }
    entries[4].text = "The list says of the budget: 4711.";
    entries[9].text = "Entry number ten of the list is green and fine.";
    add(recall, "long", std::move(entries));
    EXPECT_EQ(find(recall, "long", "Which entry number of the list has the budget?").at(0), 5u);
    EXPECT_EQ(find(recall, "long", "entry number 77").at(0), 77u);
    EXPECT_EQ(find(recall, "long", "fine list, entry number?").at(0), 2000u) << "the latest";
    EXPECT_EQ(find(recall, "long", "zebra entry").at(0), 2000u) << "no message has the rare one";
    EXPECT_EQ(find(recall, "long", "green entry", {}, 2001).at(0), 10u);
    EXPECT_TRUE(find(recall, "long", "zebra").empty());
}

TEST(Recall, TellsItsThreadsOneAfterTheOther) {
    Folder folder;
    SqliteRecall recall(folder.options());
    EXPECT_FALSE(await(recall.thread_after(ThreadId(""))));
    add(recall, "b", {entry(1, "x")});
    add(recall, "a", {entry(1, "x")});
    EXPECT_EQ(await(recall.thread_after(ThreadId("")))->text(), "a");
    EXPECT_EQ(await(recall.thread_after(ThreadId("a")))->text(), "b");
    EXPECT_FALSE(await(recall.thread_after(ThreadId("b"))));
}

// Goal: a fact of turn 3 is found among 10,000 messages, by a question in other words; the time is
// printed, not judged. Other threads are there as well: they must cost nothing.
TEST(Recall, ANeedleInTenThousandMessages) {
    constexpr std::size_t kDimension = 64;
    Folder folder;
    SqliteRecall recall(folder.options());
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    const char* nouns[] = {"revenue",  "region",   "invoice",   "customer", "forecast", "margin",
                           "shipment", "discount", "warehouse", "quarter",  "product",  "refund"};
    const char* verbs[] = {"rose", "fell", "changed", "was checked", "was plotted", "is missing"};
    const auto chatter = [&](std::uint64_t i) {
        return std::string("The ") + nouns[random() % 12] + " of the " + nouns[random() % 12] +
               " " + verbs[random() % 6] + " in what was said of the " + nouns[random() % 12] +
               "; value " + std::to_string(i * 37 % 1001) + " 收入和地区的数据第" +
               std::to_string(i) + "行";
    };
    const auto vector = [&] {
        std::vector<float> made(kDimension);
        for (auto& value : made) value = normal(random);
        return made;
    };
    const auto needle_vector = vector();
    const auto started = std::chrono::steady_clock::now();
    for (const std::string id : {"long", "other"}) {
        std::vector<RecallEntry> entries;
        for (std::uint64_t i = 1; i <= 10000; ++i) {
            auto made = entry(i, chatter(i), id == "long" ? vector() : std::vector<float>());
            if (id == "long" && i == 5) {
                made.text =
                    "For the record: our accountant Marguerite keeps the spare keys in the blue "
                    "cabinet. 备用钥匙在蓝色柜子里。";
                made.vector = needle_vector;
            }
            entries.push_back(std::move(made));
            if (entries.size() == 500) {
                add(recall, id, std::move(entries));
                entries.clear();
            }
        }
    }
    const auto added = std::chrono::steady_clock::now();
    const auto ms = [](auto from, auto to) {
        return std::chrono::duration<double, std::milli>(to - from).count();
    };
    EXPECT_EQ(find(recall, "long", "Where did I say that the keys are kept?").at(0), 5u);
    EXPECT_EQ(find(recall, "long", "钥匙放在哪里？").at(0), 5u);
    EXPECT_TRUE(find(recall, "long", "cabinet", {}, 5).empty());
    EXPECT_TRUE(find(recall, "other", "cabinet").empty());
    auto near = needle_vector;
    for (auto& value : near) value += 0.2f * normal(random);
    EXPECT_EQ(find(recall, "long", "", near).at(0), 5u);

    const auto measure = [&](const char* what, const std::string& words,
                             const std::vector<float>& meaning) {
        std::vector<double> times;
        for (int i = 0; i < 20; ++i) {
            const auto from = std::chrono::steady_clock::now();
            const auto found = find(recall, "long", words, meaning);
            times.push_back(ms(from, std::chrono::steady_clock::now()));
            EXPECT_EQ(found.at(0), 5u);
        }
        std::sort(times.begin(), times.end());
        std::printf("%s: p50 %.2f ms, p95 %.2f ms\n", what, times[10], times[18]);
    };
    std::printf("20,000 messages added in %.0f ms\n", ms(started, added));
    measure("find by rare words", "spare keys cabinet", {});
    measure("find by a question", "Where did I say that the keys are kept?", {});
    measure("find by both (the graph grows)", "Where did I say that the keys are kept?", near);
    // In a release build this is about what the graph takes to be whole.
    for (int i = 0; i < 60; ++i) (void)find(recall, "long", "", near);
    measure("find by both", "Where did I say that the keys are kept?", near);
}

}  // namespace

}  // namespace atl::recall
