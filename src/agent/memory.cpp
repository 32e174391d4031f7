#include "agent/memory.hpp"

#include "base/result.hpp"
#include "schema/describe.hpp"

namespace atl::agent {

namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kSummariesMax = 64;

bool is_sound(const Memory& memory, std::uint64_t messages) {
    if (memory.version != kVersion || memory.summaries.size() > kSummariesMax) return false;
    std::uint64_t covered = 0, turn = 0;
    for (const auto& one : memory.summaries) {
        if (one.first != covered + 1 || one.last < one.first || one.last > messages) return false;
        if (one.first_turn <= turn || one.last_turn < one.first_turn) return false;
        if (one.text.size() > kSummaryBytesMax || one.layer > kSummariesMax) return false;
        covered = one.last;
        turn = one.last_turn;
    }
    return true;
}

}  // namespace

std::optional<std::size_t> Memory::due() const noexcept {
    std::size_t from = 0;
    for (std::size_t i = 0; i < summaries.size(); ++i) {
        if (summaries[i].layer != summaries[from].layer) from = i;
        if (i + 1 - from >= kFold) return from;
    }
    return std::nullopt;
}

void Memory::fold(std::size_t from, Summary folded) {
    const auto begin = summaries.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = begin + static_cast<std::ptrdiff_t>(kFold);
    folded.layer = begin->layer + 1;
    folded.first = begin->first;
    folded.first_turn = begin->first_turn;
    folded.last = std::prev(end)->last;
    folded.last_turn = std::prev(end)->last_turn;
    *begin = std::move(folded);
    summaries.erase(std::next(begin), end);
}

std::string text_of(const Memory& memory) { return schema::to_json(memory); }

Memory memory_in(std::string_view json, std::uint64_t messages) {
    try {
        auto memory = schema::from_json<Memory>(json, kMemoryBytesMax);
        if (is_sound(memory, messages)) return memory;
    } catch (const ErrorException&) {
        // Of a newer server, or damaged: made anew.
    }
    return {};
}

BOOST_DESCRIBE_STRUCT(Summary, (), (layer, first, last, first_turn, last_turn, by_model, text))
ATOLL_TYPE(Summary) {
    return response("What was said in some turns.", field<&T::layer>("How often it was folded."),
                    field<&T::first>("Its first message."), field<&T::last>("Its last message."),
                    field<&T::first_turn>("Its first turn."),
                    field<&T::last_turn>("Its last turn."),
                    field<&T::by_model>("Written by the model, not taken out of the text."),
                    field<&T::text>("Its lines."));
}

BOOST_DESCRIBE_STRUCT(Memory, (), (version, summaries))
ATOLL_TYPE(Memory) {
    return response("What a thread remembers of turns that are no longer sent.",
                    field<&T::version>("Of this form."),
                    field<&T::summaries>("The oldest first, without a gap."));
}

}  // namespace atl::agent
