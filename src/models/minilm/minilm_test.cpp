// Without the model's 90 MB: its parts one by one, and damaged files. With ATOLL_TEST_MINILM, the
// folder of the model, also what it is for: texts that mean the same are near.
#include "models/minilm/embeddings.hpp"
#include "models/minilm/encoder.hpp"
#include "models/minilm/multiply.hpp"
#include "models/minilm/weights.hpp"
#include "models/minilm/word_pieces.hpp"

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

namespace atl::minilm {

namespace {

namespace asio = boost::asio;

constexpr std::string_view kVocabulary =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\nbudget\nmarket\n##ing\nnaive\n,\n预\n4\n##71\n##1\n";

std::string joined(const std::vector<std::uint32_t>& ids) {
    std::string text;
    for (const auto id : ids) text += (text.empty() ? "" : " ") + std::to_string(id);
    return text;
}

class File {
public:
    explicit File(const std::string& bytes)
        : path_((std::filesystem::temp_directory_path() /
                 ("atoll-minilm-" + std::to_string(::getpid())))
                    .string()) {
        std::ofstream(path_, std::ios::binary) << bytes;
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { std::filesystem::remove(path_); }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

std::string safetensors(const std::string& header, std::size_t numbers) {
    std::string bytes(8, '\0');
    const std::uint64_t length = header.size();
    std::memcpy(bytes.data(), &length, 8);
    bytes += header;
    for (std::size_t i = 0; i < numbers; ++i) {
        const auto one = static_cast<float>(i);
        bytes.append(reinterpret_cast<const char*>(&one), sizeof one);
    }
    return bytes;
}

}  // namespace

TEST(WordPieces, AreTheLongestThatFit) {
    const auto pieces = WordPieces::from_text(kVocabulary).value();
    struct Row {
        const char* text;
        const char* expected;
    };
    const Row rows[] = {
        {"", "2 3"},
        {"Budget, MARKETING", "2 4 8 5 6 3"},
        {"na\u00efve NAI\u0308VE", "2 7 7 3"},
        {"预算", "2 9 1 3"},
        {"4711", "2 10 11 12 3"},
        {"zebra budget", "2 1 4 3"},
        {"budget\xff\xfe \x01market", "2 4 5 3"},
    };
    for (const auto& row : rows)
        EXPECT_EQ(joined(pieces.pieces_of(row.text, 128)), row.expected) << row.text;
    EXPECT_EQ(joined(pieces.pieces_of("budget budget budget budget", 4)), "2 4 4 3");
    EXPECT_EQ(joined(pieces.pieces_of(std::string(100'000, 'x'), 128)), "2 1 3");
    EXPECT_FALSE(WordPieces::from_text("budget\n"));
}

TEST(Weights, AreCheckedBeforeTheyAreUsed) {
    const std::string good = R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})";
    // Padded with spaces, as such files are: the numbers lie at a multiple of four.
    const auto header = [](std::string text) {
        while (text.size() % 8 != 0) text += ' ';
        return text;
    };
    const File file(safetensors(header(good), 4));
    const auto weights = Weights::open(file.path()).value();
    EXPECT_EQ(weights.tensor("a", {2, 2}).value()[3], 3.0F);
    EXPECT_FALSE(weights.tensor("a", {4}));
    EXPECT_FALSE(weights.tensor("b", {2, 2}));
    const std::string bad[] = {
        "",
        "1234567",
        safetensors(header(good), 3),
        safetensors("{", 4),
        safetensors(header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,16]}})"), 4),
        safetensors(header(R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[16,0]}})"), 4),
        safetensors(header(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})"), 4),
        safetensors(header(R"({"a":{"dtype":"F32","shape":[2,2]}})"), 4),
        safetensors(
            header(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})"),
            4),
        std::string(8, '\xff') + good,
    };
    for (const auto& bytes : bad) {
        const File broken(bytes);
        EXPECT_FALSE(Weights::open(broken.path())) << bytes.substr(0, 90);
    }
    EXPECT_FALSE(Weights::open("/nowhere/model.safetensors"));
    EXPECT_FALSE(Encoder::open("/nowhere"));
}

TEST(Multiply, IsWhatItSays) {
    std::mt19937 dice(3);
    std::normal_distribution<float> normal;
    for (const std::size_t rows : {1u, 4u, 7u, 33u}) {
        constexpr std::size_t kInner = 24, kOuter = 6;
        const auto made = [&](std::size_t count) {
            std::vector<float> numbers(count);
            for (auto& one : numbers) one = normal(dice);
            return numbers;
        };
        const auto from = made(padded_rows(rows) * kInner), weight = made(kOuter * kInner);
        const auto bias = made(kOuter);
        std::vector<float> to(padded_rows(rows) * kOuter);
        multiply(from.data(), padded_rows(rows), kInner, weight.data(), bias.data(), kOuter,
                 to.data());
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t o = 0; o < kOuter; ++o) {
                double sum = static_cast<double>(bias[o]);
                for (std::size_t i = 0; i < kInner; ++i) {
                    sum += static_cast<double>(from[r * kInner + i]) *
                           static_cast<double>(weight[o * kInner + i]);
                }
                EXPECT_NEAR(static_cast<double>(to[r * kOuter + o]), sum, 1e-4);
            }
        }
    }
}

// Goal: a question passes a long list of turns, and what nobody waits for is not computed.
TEST(LocalEmbeddings, AQuestionDoesNotWaitForAList) {
    std::atomic<int> encoded = 0;
    std::vector<std::string> order;
    asio::io_context loop;
    {
        LocalEmbeddings embeddings("test", [&](std::string_view) {
            ++encoded;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            return std::vector<float>{1, 2};
        });
        const auto ended = [&](const char* what) {
            return [&order, what](std::exception_ptr failed, std::vector<std::vector<float>> all) {
                order.push_back(what + std::string(failed ? " failed" : " ") +
                                std::to_string(all.size()));
            };
        };
        asio::co_spawn(loop, embeddings.embed(std::vector<std::string>(50, "turn")), ended("list"));
        asio::cancellation_signal cancel;
        asio::co_spawn(loop, embeddings.embed(std::vector<std::string>(2000, "given up")),
                       asio::bind_cancellation_slot(cancel.slot(), ended("cancelled")));
        loop.run_for(std::chrono::milliseconds(10));
        asio::co_spawn(loop, embeddings.embed({"question"}), ended("question"));
        cancel.emit(asio::cancellation_type::terminal);
        loop.run();
    }
    ASSERT_EQ(order.size(), 3u);
    EXPECT_EQ(order[0], "question 1");
    EXPECT_EQ(std::count(order.begin(), order.end(), "list 50"), 1);
    EXPECT_EQ(std::count(order.begin(), order.end(), "cancelled failed0"), 1);
    EXPECT_LT(encoded, 100);
}

TEST(LocalEmbeddings, FailuresAreSaid) {
    asio::io_context loop;
    LocalEmbeddings embeddings("test", [](std::string_view) -> std::vector<float> {
        throw std::runtime_error("no memory");
    });
    std::string said;
    asio::co_spawn(loop, embeddings.embed({"x"}),
                   [&](std::exception_ptr failed, const std::vector<std::vector<float>>&) {
                       try {
                           std::rethrow_exception(failed);
                       } catch (const ErrorException& error) { said = error.error.message; }
                   });
    loop.run();
    EXPECT_EQ(said, "no vector: no memory");
}

// The figures are those that the model's authors show for these sentences.
TEST(Encoder, TextsThatMeanTheSameAreNear) {
    const char* folder = std::getenv("ATOLL_TEST_MINILM");
    if (folder == nullptr) GTEST_SKIP() << "ATOLL_TEST_MINILM names no folder";
    const auto encoder = Encoder::open(folder).value();
    const auto near = [&](const char* a, const char* b) {
        const auto one = encoder.encode(a), other = encoder.encode(b);
        return static_cast<double>(product(one.data(), other.data(), Encoder::kDimension));
    };
    EXPECT_NEAR(near("That is a happy person", "That is a happy dog"), 0.695, 0.001);
    EXPECT_NEAR(near("That is a happy person", "That is a very happy person"), 0.943, 0.001);
    EXPECT_NEAR(near("That is a happy person", "Today is a sunny day"), 0.257, 0.001);
    const char* fact = "Remember that the budget for marketing is 4711.";
    EXPECT_GT(near("How much may I spend on ads?", fact),
              near("How much may I spend on ads?", "What about entry number 7 of the list?") + 0.1);
    EXPECT_NEAR(near("", ""), 1, 0.001);
}

}  // namespace atl::minilm
