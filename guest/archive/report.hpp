#pragma once
// The one JSON line at the end of unpacking.
#include "guest/archive/options.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atl::archive {

class Report {
public:
    void unpacked(std::string_view path);
    void add_bytes(std::uint64_t count) { bytes_ += count; }
    // As the caller asked (--keep, --strip): listed, but no loss.
    void left_out(std::string_view name, std::string why);
    void refused(std::string_view name, std::string why);
    void failed(Status status, std::string error);

    [[nodiscard]] Status status() const;
    [[nodiscard]] std::string json() const;

private:
    struct Skipped {
        std::string name, why;
    };

    std::uint64_t entries_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t refused_ = 0;
    std::vector<Skipped> skipped_;
    std::vector<std::string> unpacked_;
    Status failure_ = Status::Ok;
    std::string error_;
};

}  // namespace atl::archive
