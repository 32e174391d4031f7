#pragma once
// The chat model for who has no key: no language model at all, but an analyst of tables that knows
// common questions. Implements core::ChatModel; stateless, so one serves all threads.
//
// Threads   any; it holds nothing.
// Trusts    nothing in the messages: sizes are bounded, names are quoted before they enter code.
// Failure   none of its own: what it does not understand it says as an answer.
#include "core/chat.hpp"

namespace atl::offline {

class OfflineModel : public core::ChatModel {
public:
    [[nodiscard]] core::ChatModelInfo info() const override;
    boost::asio::awaitable<core::ChatReply> chat(core::ChatRequest request,
                                                 core::ChatListener& listener) override;
};

}  // namespace atl::offline
