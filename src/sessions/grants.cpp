#include "sessions/grants.hpp"

#include <sys/stat.h>

namespace atl::sessions {

std::vector<core::GrantedMount> DataSetReview::mounts(const std::vector<std::string>& names) const {
    std::vector<core::GrantedMount> mounts;
    for (const auto& name : names) {
        const auto found = offered_.find(name);
        if (found == offered_.end()) {
            throw ErrorException(
                {Code::Unavailable, "this server does not offer the data set " + name +
                                        " any more; its administrator can name it again"});
        }
        struct stat info {};
        if (::stat(found->second.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
            throw ErrorException(
                {Code::Unavailable, "the data set " + name +
                                        " is not there: its folder on the server is missing; its "
                                        "administrator can put it back"});
        }
        mounts.push_back(core::GrantedMount({found->second, "/data/" + name, false}));
    }
    return mounts;
}

}  // namespace atl::sessions
