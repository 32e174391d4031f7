#pragma once
// What is left in the trash by a removal that wanted for descriptors or memory, until it is tried
// again; and who hears of what cannot be removed at all.
//
// Threads   any: the folder thread adds, tidy() takes.
// Dies with the server: the next open() finds the same names in the trash.
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace atl::folders {

class Leftovers {
public:
    explicit Leftovers(std::function<void(const std::string&)> tell) : tell_(std::move(tell)) {}

    void add(std::string name) {
        const std::lock_guard lock(mutex_);
        names_.push_back(std::move(name));
    }
    [[nodiscard]] std::vector<std::string> take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(names_, {});
    }
    void tell(const std::string& sentence) const {
        if (tell_) tell_(sentence);
    }

private:
    const std::function<void(const std::string&)> tell_;
    std::mutex mutex_;
    std::vector<std::string> names_;
};

}  // namespace atl::folders
