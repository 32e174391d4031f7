#include "guest/archive/report.hpp"

#include "guest/archive/entry_name.hpp"

#include <boost/json.hpp>

namespace atl::archive {

namespace {

constexpr std::size_t kNamesMax = 100;  // an archive of a million bad names gets a short answer

}  // namespace

void Report::unpacked(std::string_view path) {
    ++entries_;
    if (unpacked_.size() < kNamesMax) unpacked_.push_back(printable(path));
}

void Report::left_out(std::string_view name, std::string why) {
    if (skipped_.size() < kNamesMax) skipped_.push_back({printable(name), std::move(why)});
}

void Report::refused(std::string_view name, std::string why) {
    ++refused_;
    left_out(name, std::move(why));
}

void Report::failed(Status status, std::string error) {
    failure_ = status;
    error_ = std::move(error);
}

Status Report::status() const {
    if (failure_ != Status::Ok) return failure_;
    return refused_ > 0 ? Status::Incomplete : Status::Ok;
}

std::string Report::json() const {
    boost::json::array skipped;
    for (const auto& entry : skipped_) {
        skipped.push_back({{"name", entry.name}, {"why", entry.why}});
    }
    boost::json::object line{{"entries", entries_},
                             {"bytes", bytes_},
                             {"skipped", std::move(skipped)},
                             {"ok", status() == Status::Ok},
                             {"error", nullptr}};
    if (failure_ != Status::Ok) {
        line["error"] = printable(error_);
        line["unpacked"] = boost::json::array(unpacked_.begin(), unpacked_.end());
    } else if (refused_ > 0) {
        line["error"] = std::to_string(refused_) + " entries were refused";
    }
    return boost::json::serialize(line) + "\n";
}

}  // namespace atl::archive
