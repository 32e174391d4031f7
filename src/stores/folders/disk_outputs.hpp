#pragma once
// core::Outputs on disk: `<data>/sessions/<id>/artifacts/` and `<data>/outputs/<run>/`.
//
// Owns      the descriptors of both roots. One server a root.
// Threads   asked on the server's one; all but opening one file for reading is done by a thread of
//           its own, in slices.
// Trusts    nothing in a path: it is walked name by name, never through a link.
// Failure   Result; a full disk is DiskFull, and no half file has a name.
#include "base/workers.hpp"
#include "core/outputs.hpp"
#include "stores/folders/folder_thread.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace atl::folders {

class DiskOutputs : public core::Outputs {
public:
    // `sessions`: the root of DiskFolders. `outputs` is made if it is not there.
    static Result<std::unique_ptr<DiskOutputs>> open(const std::string& sessions,
                                                     const std::string& outputs);

    boost::asio::awaitable<UniqueFd> begin(core::OutputSource source, std::string path) override;
    boost::asio::awaitable<void> write(const UniqueFd& file, std::string bytes) override;
    boost::asio::awaitable<std::string> finish(core::OutputSource source, std::string path,
                                               UniqueFd written) override;
    boost::asio::awaitable<void> remove(core::OutputSource source,
                                        std::vector<std::string> paths) override;
    boost::asio::awaitable<std::uint64_t> use(core::OutputSource source) override;
    boost::asio::awaitable<std::uint64_t> use_of_runs(
        std::function<bool(const std::string& run)> theirs) override;
    [[nodiscard]] std::uint64_t removals() const noexcept override { return removals_; }
    Result<UniqueFd> open(const core::RunId& run, const std::string& path) const override;
    void remove_older(std::chrono::seconds age) override;

private:
    class RemoveFiles;
    class RemoveOlder;
    DiskOutputs(std::string sessions, std::string outputs, UniqueFd sessions_fd,
                UniqueFd outputs_fd);
    [[nodiscard]] std::string folder_of(const core::OutputSource& source) const;
    // The folder of the last part; made on the way when `make`.
    [[nodiscard]] Result<UniqueFd> walk(const core::OutputSource& source,
                                        const std::vector<std::string>& folders, bool make) const;

    [[nodiscard]] Result<UniqueFd> open_new(const core::OutputSource& source,
                                            const std::string& path) const;
    [[nodiscard]] Result<std::string> give_name(const core::OutputSource& source,
                                                const std::string& path, UniqueFd written) const;
    void remove_one(const core::OutputSource& source, const std::string& path) const;

    const std::string sessions_, outputs_;
    UniqueFd sessions_fd_, outputs_fd_;
    std::atomic<std::uint64_t> removals_ = 0;
    Workers bytes_{1, "atoll-outputs"};
    FolderThread worker_;  // last: it uses all of the above
};

}  // namespace atl::folders
