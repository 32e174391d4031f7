#pragma once
// What the folder thread does for each call of core::Folders, in steps.
//
// All refer to the layout of their DiskFolders, which outlives the thread.
#include "base/id.hpp"
#include "core/folders.hpp"
#include "stores/folders/copy_tree.hpp"
#include "stores/folders/folder_thread.hpp"
#include "stores/folders/layout.hpp"
#include "stores/folders/leftovers.hpp"
#include "stores/folders/measure_tree.hpp"
#include "stores/folders/ready_made.hpp"
#include "stores/folders/remove_tree.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace atl::folders {

// Gives a session the folders made ahead under this name: one rename, on whatever thread.
[[nodiscard]] Result<void> give_folders(const Layout& layout, Leftovers& leftovers,
                                        ReadyMade& ready, const SessionId& id, std::string name);

// When none are ready.
class MakeSession final : public Work<void> {
public:
    MakeSession(const Layout& layout, Leftovers& leftovers, ReadyMade& ready, SessionId id)
        : layout_(layout), leftovers_(leftovers), ready_(ready), id_(std::move(id)) {}
    std::optional<Result<void>> step(const Slice& slice) override;

private:
    const Layout& layout_;
    Leftovers& leftovers_;
    ReadyMade& ready_;
    const SessionId id_;
};

// Removes names in the trash, one after another. What stays for want of descriptors or memory stays
// in the trash, among the leftovers; what stays for good goes to .broken, and the log is told.
class EmptyTrash final : public Work<void> {
public:
    EmptyTrash(const Layout& layout, Leftovers& leftovers, std::vector<std::string> names);
    std::optional<Result<void>> step(const Slice& slice) override;

private:
    const Layout& layout_;
    Leftovers& leftovers_;
    std::vector<std::string> names_;
    std::size_t at_ = 0;
    std::optional<RemoveTree> tree_;
};

// The first step frees the id; the rest takes the time that it takes.
class RemoveSession final : public Work<void> {
public:
    RemoveSession(const Layout& layout, Leftovers& leftovers, SessionId id)
        : layout_(layout), leftovers_(leftovers), id_(std::move(id)) {}
    std::optional<Result<void>> step(const Slice& slice) override;

private:
    [[nodiscard]] Result<std::string> throw_away();
    [[nodiscard]] int rename_loosened(const std::string& name, const std::string& new_name, int to);

    const Layout& layout_;
    Leftovers& leftovers_;
    const SessionId id_;
    std::optional<EmptyTrash> rest_;
};

// Copies into .making, and renames the copy once it is complete.
class CopySession final : public Work<void> {
public:
    CopySession(const Layout& layout, Leftovers& leftovers, SessionId from, SessionId to,
                std::string temporary, CopyLimits limits, std::optional<Ids> owner);
    std::optional<Result<void>> step(const Slice& slice) override;

private:
    [[nodiscard]] Result<void> begin();
    [[nodiscard]] Result<void> put_in_place();

    const Layout& layout_;
    Leftovers& leftovers_;
    const SessionId from_, to_;
    const std::string temporary_;  // in .making: files/, the copy, and links/ (copy_tree.hpp)
    const CopyLimits limits_;
    const std::optional<Ids> owner_;
    ino_t source_ = 0;
    UniqueFd folder_, links_;
    bool begun_ = false;
    std::optional<CopyTree> tree_;
    std::optional<RemoveTree> clearing_;
    Result<void> outcome_;
};

class MeasureSession final : public Work<core::FolderUse> {
public:
    MeasureSession(const Layout& layout, SessionId id, MeasureLimits limits);
    std::optional<Result<core::FolderUse>> step(const Slice& slice) override;

private:
    const Layout& layout_;
    const SessionId id_;
    const MeasureLimits limits_;
    std::optional<MeasureTree> tree_;
};

class ListSessions final : public Work<std::vector<SessionId>> {
public:
    explicit ListSessions(const Layout& layout) : layout_(layout) {}
    std::optional<Result<std::vector<SessionId>>> step(const Slice& slice) override;

private:
    const Layout& layout_;
};

class AskRoom final : public Work<std::uint64_t> {
public:
    explicit AskRoom(const Layout& layout) : layout_(layout) {}
    std::optional<Result<std::uint64_t>> step(const Slice& slice) override;

private:
    const Layout& layout_;
};

class FillReady final : public Work<void> {
public:
    explicit FillReady(ReadyMade& ready) : ready_(ready) {}
    std::optional<Result<void>> step(const Slice& slice) override;

private:
    ReadyMade& ready_;
};

}  // namespace atl::folders
