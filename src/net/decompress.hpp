#pragma once
// A body that a client has packed with gzip, unpacked while it comes in.
//
//     Gunzip gunzip;
//     gunzip.add(bytes);                                  // only when take() gave nothing
//     while ((n = gunzip.take(buffer).value()) > 0) …     // at most as much as the buffer has
//     gunzip.finish().value();                            // at the end of the body
//
// Pure computation.
// Trusts    nobody. A few packed bytes can stand for gigabytes: no more is unpacked than is asked
//           for, so the caller's limit on what it stores is the limit. A body that is cut, or has
//           anything behind its end, is a failure.
#include "base/result.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace atl::net {

class Gunzip {
public:
    Gunzip();
    Gunzip(const Gunzip&) = delete;
    Gunzip& operator=(const Gunzip&) = delete;
    ~Gunzip();

    void add(std::string_view bytes);
    // 0: it needs more. InvalidArgument.
    [[nodiscard]] Result<std::size_t> take(std::span<char> into);
    [[nodiscard]] Result<void> finish() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace atl::net
