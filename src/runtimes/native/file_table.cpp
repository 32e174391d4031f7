#include "runtimes/native/file_table.hpp"

#include "sys/open_files.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <numeric>

namespace atl::native {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kPause{1};

}  // namespace

std::optional<std::size_t> greediest(const std::vector<std::uint64_t>& files, std::uint64_t most) {
    const auto all = std::accumulate(files.begin(), files.end(), std::uint64_t{0});
    if (all <= most) return std::nullopt;
    return static_cast<std::size_t>(std::max_element(files.begin(), files.end()) - files.begin());
}

asio::awaitable<void> FileTable::watch(std::shared_ptr<FileTable> self) {
    while (!self->over_ && self->files_max_ > 0) {
        self->pause_.expires_after(kPause);
        co_await self->pause_.async_wait(asio::as_tuple(asio::use_awaitable));
        if (self->over_) break;
        if (sys::machine_open_files_now() > self->files_max_) co_await self->look();
    }
}

asio::awaitable<void> FileTable::look() {
    std::vector<std::string> ids;
    std::vector<std::vector<pid_t>> processes;
    for (const auto& [id, sandbox] : live_) {
        ids.push_back(id);
        processes.push_back(sandbox->cgroup().processes());
    }
    // Beside the loop: on older kernels each descriptor is an entry to be read.
    if (!counting_) counting_.emplace(1, "atoll-files");
    const auto count = [&processes] {
        std::vector<std::uint64_t> files;
        for (const auto& one : processes) {
            std::uint64_t all = 0;
            for (const pid_t pid : one) all += sys::open_files_of(pid);
            files.push_back(all);
        }
        return files;
    };
    const auto files = co_await counting_->run(count);
    const auto which = greediest(files, files_max_);
    if (!which) co_return;
    const auto found = live_.find(ids[*which]);
    if (found == live_.end()) co_return;  // already gone
    found->second->end(
        "the sandbox was ended because it had the most files open while all of them "
        "together had more than limits.open_files_total");
    if (tell_) {
        tell_("the sandboxes have more than " + std::to_string(files_max_) +
              " files open together (limits.open_files_total); the one with most, " +
              std::to_string(files[*which]) + ", was ended");
    }
}

}  // namespace atl::native
