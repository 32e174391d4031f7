#pragma once
// Interface: which chat models an endpoint has, and one of them.
//
// Threads   one, the executor's.
// Trusts    nothing that an endpoint says: an implementation bounds its answers in bytes, in time
//           and in number.
// Throws    ErrorException, as chat.hpp has it.
#include "base/result.hpp"
#include "core/chat.hpp"

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace atl::core {

// The provider (ChatModelInfo) that is no language model.
inline constexpr std::string_view kOffline = "offline";

struct ChatEndpoint {
    // Whose word the address is. An operator's may be any; an administrator's, who need not have an
    // account on this host, is any but where clouds keep the credentials of their machines.
    enum class Said { Operator, Administrator };

    std::string base_url;
    std::string key;  // empty: none is sent
    Said said = Said::Administrator;
};

// A program on this machine that answers as a provider does.
struct LocalProvider {
    std::string name;  // "Ollama"; empty: not known
    std::string base_url;
    std::vector<std::string> models;
};

class ChatProvider {
public:
    virtual ~ChatProvider() = default;

    // Whether the endpoint can be used at all; a sentence for whoever wrote it.
    [[nodiscard]] virtual Result<void> check(const ChatEndpoint& endpoint) const = 0;
    [[nodiscard]] virtual std::shared_ptr<ChatModel> model(const ChatEndpoint& endpoint,
                                                           const std::string& name) = 0;
    // The names of what it has, in its order.
    virtual boost::asio::awaitable<std::vector<std::string>> list(ChatEndpoint endpoint) = 0;

    // Those that answer on loopback at their usual ports, except `not_these`: our own.
    virtual boost::asio::awaitable<std::vector<LocalProvider>> find_local(
        std::vector<std::uint16_t> not_these) = 0;
    // One at an address on loopback. Forbidden: any other address, or one of our own.
    virtual boost::asio::awaitable<LocalProvider> look_at_local(
        std::string base_url, std::vector<std::uint16_t> not_these) = 0;
};

}  // namespace atl::core
