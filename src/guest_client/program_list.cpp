#include "guest_client/program_list.hpp"

#include "base/fields.hpp"
#include "guest_client/bounded_call.hpp"

#include <boost/json/array.hpp>

namespace atl::guest_client {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kProgramsMax = 256;  // as many as a guest lists
constexpr std::size_t kCommandBytesMax = 1000;

}  // namespace

asio::awaitable<std::vector<RunningProgram>> list_programs(std::shared_ptr<GuestLink> link,
                                                           std::chrono::milliseconds patience) {
    const json::object question{{"op", "process.list"}};
    std::optional<json::object> listed;
    try {
        listed = co_await call_within(patience, link, question);
    } catch (const ErrorException&) {
        if (!link->alive()) throw;
    }
    std::vector<RunningProgram> programs;
    if (!listed) co_return programs;
    const auto* processes = listed->if_contains("processes");
    if (processes == nullptr || !processes->is_array()) co_return programs;
    for (const auto& one : processes->get_array()) {
        if (!one.is_object() || programs.size() == kProgramsMax) continue;
        const auto& about = one.get_object();
        std::string command = fields::text_of(about, "command");
        if (command.empty()) command = "a program without a name";
        if (command.size() > kCommandBytesMax) command.resize(kCommandBytesMax);
        programs.push_back({fields::number_of(about, "pid"), std::move(command)});
    }
    co_return programs;
}

}  // namespace atl::guest_client
