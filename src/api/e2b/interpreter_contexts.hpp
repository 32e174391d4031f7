#pragma once
// The contexts of the code interpreter: what a client calls `id` is a kernel of the sandbox.
//
//     default, javascript      kernels that any run makes; TypeScript runs in that of JavaScript
//     bash                     no kernel: each run is a program, in the context's folder
//     others                   made by the client, in a language and a folder
//
// The guest knows the kernels. Kept here is what it does not know: that a context is one of bash or
// TypeScript, and how many runs it had. It is forgotten with this server; kernels that are found
// without it count by what the guest says of them.
// Owns      those notes, by sandbox.  Threads  one, the executor's.
#include "base/id.hpp"
#include "guest_client/contexts.hpp"
#include "guest_client/run.hpp"

#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace atl::api::e2b {

struct InterpreterContext {
    std::string id;
    std::string language;  // python, javascript, typescript, bash
    std::string directory;
    std::int64_t runs = 0;
};

// By any of its names and in any case. InvalidArgument for a language that is not there.
[[nodiscard]] std::string interpreter_language(std::string_view name);
[[nodiscard]] guest_client::Language language_of(std::string_view language);

class InterpreterContexts {
public:
    using ContextPtr = std::shared_ptr<InterpreterContext>;
    using Link = std::shared_ptr<guest_client::GuestLink>;

    // The default ones, then those that were made.
    boost::asio::awaitable<std::vector<InterpreterContext>> list(SessionId session, Link link);
    boost::asio::awaitable<ContextPtr> make(SessionId session, Link link, std::string language,
                                            std::string directory);
    // NotFound.
    boost::asio::awaitable<ContextPtr> find(SessionId session, Link link, std::string id);
    [[nodiscard]] ContextPtr default_of(const SessionId& session, std::string_view language);
    // A fresh kernel; nothing for one that has not run yet.
    boost::asio::awaitable<void> restart(SessionId session, Link link, std::string id);
    boost::asio::awaitable<void> remove(SessionId session, Link link, std::string id);

    void forget(const SessionId& session) { tables_.erase(session.text()); }

private:
    using Table = std::map<std::string, ContextPtr>;  // by id
    [[nodiscard]] Table& table_of(const SessionId& session);
    std::map<std::string, Table> tables_;  // by session
};

}  // namespace atl::api::e2b
