#pragma once
// Removes a hostile tree, whatever is in it.
//
// At most 9 descriptors are open. What lies deeper is not walked to but lifted: the folder is
// renamed up into the top one and is an entry of its own there, so a tree of any depth falls apart
// into pieces of 8 levels. Paths never grow, memory does not depend on the tree, and a crash in
// between leaves a tree that the next attempt removes.
//
// Never follows a link and never enters a mount; a mount point stays, and all folders above it.
// Everything else goes even when something stays: the first reason is kept.
//
// Nothing of the session should run any more: a program that goes on making files makes this go on.
// Owns its descriptors, borrows the folder that the tree lies in. One thread.
#include "stores/folders/hostile.hpp"
#include "stores/folders/slice.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace atl::folders {

class RemoveTree {
public:
    // The tree is the entry `name` of the folder `parent`.
    RemoveTree(int parent, std::string name);

    // True when there is nothing more that it can do.
    [[nodiscard]] bool step(const Slice& slice);
    // Then: is it gone? If not, why the first thing that stayed did.
    [[nodiscard]] bool gone() const { return gone_; }
    [[nodiscard]] int cause() const { return cause_; }
    [[nodiscard]] const std::string& obstacle() const { return obstacle_; }

private:
    struct Level {
        Level(UniqueFd opened, std::string its_name)
            : fd(std::move(opened)), names(fd.get()), name(std::move(its_name)) {}
        UniqueFd fd;
        Names names;
        std::string name;
        std::uint64_t removed = 0;  // in this pass
        unsigned passes = 1;
    };

    void begin();
    void take(Level& here, const Names::Entry& entry);
    void descend(Level& here, const char* name);
    void lift(Level& here, const char* name);
    void end_pass();
    void note(const std::string& what, int cause);

    const int parent_;
    const std::string name_;
    bool begun_ = false;
    bool gone_ = false;
    std::uint64_t lifted_ = 0;
    int cause_ = 0;
    std::string obstacle_;
    std::vector<Level> levels_;
};

}  // namespace atl::folders
