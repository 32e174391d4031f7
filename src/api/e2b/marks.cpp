#include "api/e2b/marks.hpp"

namespace atl::api::e2b {

namespace {

constexpr const char* kTemplateNote = "e2b.template";
constexpr const char* kKeyNote = "e2b.key";
constexpr const char* kAutoResumeNote = "e2b.auto_resume";
constexpr const char* kPrivatePortsNote = "e2b.private_ports";
constexpr const char* kHostMaskNote = "e2b.host_mask";
constexpr const char* kSnapshotOfNote = "e2b.snapshot_of";
constexpr const char* kSnapshotNameNote = "e2b.snapshot_name";
constexpr const char* kYes = "yes";

std::string note_in(const sessions::Standing& standing, const char* name) {
    const auto found = standing.notes.find(name);
    return found == standing.notes.end() ? std::string() : found->second;
}

void put(sessions::Standing& standing, const char* name, const std::string& value) {
    if (value.empty()) {
        standing.notes.erase(name);
    } else {
        standing.notes[name] = value;
    }
}

}  // namespace

Marks marks_in(const sessions::Standing& standing) {
    Marks marks;
    marks.template_id = note_in(standing, kTemplateNote);
    marks.key_id = note_in(standing, kKeyNote);
    marks.auto_resume = note_in(standing, kAutoResumeNote) == kYes;
    marks.private_ports = note_in(standing, kPrivatePortsNote) == kYes;
    marks.host_mask = note_in(standing, kHostMaskNote);
    marks.snapshot_of = note_in(standing, kSnapshotOfNote);
    marks.snapshot_name = note_in(standing, kSnapshotNameNote);
    return marks;
}

Marks marks_of(const core::SessionRecord& record) {
    return marks_in(sessions::standing_in(record.spec_json));
}

void note(const Marks& marks, sessions::Standing& standing) {
    put(standing, kTemplateNote, marks.template_id);
    put(standing, kKeyNote, marks.key_id);
    put(standing, kAutoResumeNote, marks.auto_resume ? kYes : "");
    put(standing, kPrivatePortsNote, marks.private_ports ? kYes : "");
    put(standing, kHostMaskNote, marks.host_mask);
    put(standing, kSnapshotOfNote, marks.snapshot_of);
    put(standing, kSnapshotNameNote, marks.snapshot_name);
}

bool is_snapshot(const core::SessionRecord& record) {
    return !marks_of(record).snapshot_of.empty();
}

bool is_paused(const core::SessionRecord& record) {
    return record.state != core::SessionState::Hot &&
           record.state != core::SessionState::Starting &&
           sessions::standing_in(record.spec_json).held;
}

bool is_over(const core::SessionRecord& record) {
    return record.expires_at && *record.expires_at <= core::time_now() &&
           !sessions::standing_in(record.spec_json).held_at_end;
}

}  // namespace atl::api::e2b
