#pragma once
// The contexts of a sandbox: its kernels by name, and their variables.
//
// Owns      nothing: the guest keeps the kernels. The link must be a session's that is in use.
// Threads   the executor's.
// Trusts    nothing that the guest says: what it lists is counted and cut to size here.
// All throw ErrorException; NotFound when there is no context of the name.
#include "guest_client/guest_link.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::guest_client {

inline constexpr std::size_t kContextsMax = 64;  // as many as a guest holds
// The languages of kernels, in the guest's words.
inline constexpr std::string_view kPython = "python";
inline constexpr std::string_view kJavaScript = "javascript";  // and TypeScript

struct Context {
    std::string name;
    std::string language;
    std::string directory;
    bool idle = true;
    std::int64_t runs = 0;
};

struct Variable {
    std::string name;
    std::string type;
    std::uint64_t size_bytes = 0;
    std::string preview;
    std::optional<std::vector<std::int64_t>> shape;  // of arrays and frames
};

struct VariablePage {
    std::vector<Variable> variables;
    std::uint64_t total = 0;
};

boost::asio::awaitable<std::vector<Context>> list_contexts(std::shared_ptr<GuestLink> link);
boost::asio::awaitable<Context> find_context(std::shared_ptr<GuestLink> link, std::string name);

// Starts a kernel for it. Conflict when there is one already, Exhausted when there are too many.
boost::asio::awaitable<Context> create_context(std::shared_ptr<GuestLink> link, std::string name,
                                               std::string language, std::string directory);

// Asks what runs there to stop; what has not done so after the grace is ended with its kernel. The
// run's own end says what became of it. True when something ran.
boost::asio::awaitable<bool> interrupt_context(std::shared_ptr<GuestLink> link, std::string name,
                                               std::chrono::milliseconds grace);

// Both fail whatever runs or waits there. A restarted one is fresh, in the same directory.
boost::asio::awaitable<Context> restart_context(std::shared_ptr<GuestLink> link, std::string name);
boost::asio::awaitable<void> delete_context(std::shared_ptr<GuestLink> link, std::string name);

// Looks without running anything of the user's. A context that runs something is waited for so
// long, then Conflict.
boost::asio::awaitable<VariablePage> list_variables(std::shared_ptr<GuestLink> link,
                                                    std::string name, std::uint64_t offset,
                                                    std::uint32_t limit,
                                                    std::chrono::milliseconds patience);

}  // namespace atl::guest_client
