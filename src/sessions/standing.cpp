#include "sessions/standing.hpp"

#include "base/fields.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace atl::sessions {

namespace json = boost::json;

namespace {

constexpr std::string_view kStanding = "standing";
constexpr std::string_view kHeldAtEnd = "held_at_end";
constexpr std::string_view kHeld = "held";
constexpr std::string_view kNotes = "notes";

}  // namespace

Standing standing_in(std::string_view spec_text) {
    Standing standing;
    const auto spec = fields::parse_object(spec_text);
    if (!spec) return standing;
    const auto* kept = spec->if_contains(kStanding);
    if (kept == nullptr || !kept->is_object()) return standing;
    const auto& from = kept->get_object();
    standing.held_at_end = fields::flag_of(from, kHeldAtEnd);
    standing.held = fields::flag_of(from, kHeld);
    const auto* notes = from.if_contains(kNotes);
    if (notes == nullptr || !notes->is_object()) return standing;
    for (const auto& [name, value] : notes->get_object()) {
        if (value.is_string()) {
            standing.notes.emplace(std::string(name), std::string(value.get_string()));
        }
    }
    return standing;
}

std::string with_standing(std::string_view spec_text, const Standing& standing) {
    json::object spec;
    if (auto parsed = fields::parse_object(spec_text)) spec = std::move(*parsed);
    if (standing == Standing{}) {
        spec.erase(kStanding);
        return json::serialize(spec);
    }
    json::object notes;
    for (const auto& [name, value] : standing.notes) notes[name] = value;
    spec[kStanding] = json::object{
        {kHeldAtEnd, standing.held_at_end}, {kHeld, standing.held}, {kNotes, std::move(notes)}};
    return json::serialize(spec);
}

}  // namespace atl::sessions
