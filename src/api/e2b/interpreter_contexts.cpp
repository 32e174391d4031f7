#include "api/e2b/interpreter_contexts.hpp"

#include "api/e2b/envd_path.hpp"
#include "api/e2b/sandbox_entry.hpp"
#include "api/secrets.hpp"
#include "base/encoding.hpp"

#include <algorithm>

namespace atl::api::e2b {

namespace asio = boost::asio;

namespace {

constexpr std::string_view kBash = "bash";
constexpr std::string_view kTypeScript = "typescript";
constexpr std::string_view kDefaultId = "default";
constexpr std::size_t kContextsMax = guest_client::kContextsMax;

struct Default {
    std::string_view id, language;
};
constexpr Default kDefaults[] = {
    {kDefaultId, guest_client::kPython},
    {guest_client::kJavaScript, guest_client::kJavaScript},
};
// Shared with others, so not listed beside them.
constexpr Default kHiddenDefaults[] = {{"default-typescript", kTypeScript},
                                       {"default-bash", kBash}};

InterpreterContexts::ContextPtr context_of(std::string_view id, std::string_view language,
                                           std::string_view directory) {
    return std::make_shared<InterpreterContext>(
        InterpreterContext{std::string(id), std::string(language), std::string(directory), 0});
}

ErrorException unknown_context(const std::string& id) {
    return ErrorException(
        {Code::NotFound, "Context " + shown_path(id.substr(0, 64)) + " not found"});
}

bool is_default(std::string_view id) {
    return id == kDefaultId || id == guest_client::kJavaScript || id.starts_with("default-");
}

bool has_kernel(const InterpreterContext& context) { return context.language != kBash; }

std::string_view kernel_language(std::string_view language) {
    return language == guest_client::kPython ? guest_client::kPython : guest_client::kJavaScript;
}

}  // namespace

std::string interpreter_language(std::string_view name) {
    const auto wanted = ascii_lower(name);
    if (wanted.empty() || wanted == "python" || wanted == "py" || wanted == "python3") {
        return std::string(guest_client::kPython);
    }
    if (wanted == "javascript" || wanted == "js") return std::string(guest_client::kJavaScript);
    if (wanted == "typescript" || wanted == "ts") return std::string(kTypeScript);
    if (wanted == "bash" || wanted == "sh" || wanted == "shell") return std::string(kBash);
    throw ErrorException({Code::InvalidArgument,
                          "language: " + shown_path(wanted.substr(0, 64)) +
                              " is not supported; there are python, javascript, typescript and "
                              "bash"});
}

guest_client::Language language_of(std::string_view language) {
    if (language == guest_client::kJavaScript) return guest_client::Language::JavaScript;
    if (language == kTypeScript) return guest_client::Language::TypeScript;
    if (language == kBash) return guest_client::Language::Shell;
    return guest_client::Language::Python;
}

InterpreterContexts::Table& InterpreterContexts::table_of(const SessionId& session) {
    Table& table = tables_[session.text()];
    if (!table.empty()) return table;
    for (const auto& [id, language] : kDefaults) {
        table.emplace(id, context_of(id, language, kUser.home));
    }
    for (const auto& [id, language] : kHiddenDefaults) {
        table.emplace(id, context_of(id, language, kUser.home));
    }
    return table;
}

InterpreterContexts::ContextPtr InterpreterContexts::default_of(const SessionId& session,
                                                                std::string_view language) {
    auto& table = table_of(session);
    for (const auto& [id, one] : kDefaults) {
        if (one == language) return table.at(std::string(id));
    }
    for (const auto& [id, one] : kHiddenDefaults) {
        if (one == language) return table.at(std::string(id));
    }
    return table.at(std::string(kDefaultId));
}

asio::awaitable<std::vector<InterpreterContext>> InterpreterContexts::list(SessionId session,
                                                                           Link link) {
    const auto kernels = co_await guest_client::list_contexts(std::move(link));
    auto& table = table_of(session);
    // A kernel that ended with its sandbox is a context no more.
    const auto is_left = [&](const auto& one) {
        const auto& context = *one.second;
        return !is_default(context.id) && has_kernel(context) &&
               std::none_of(kernels.begin(), kernels.end(),
                            [&](const auto& kernel) { return kernel.name == context.id; });
    };
    std::erase_if(table, is_left);
    std::vector<InterpreterContext> all;
    for (const auto& one : kDefaults) all.push_back(*table.at(std::string(one.id)));
    for (const auto& kernel : kernels) {
        // No kernel has the name of a default that is not its own; a PID 1 that was taken over may
        // say so, each time another, and what is a default is never forgotten.
        if (table.count(kernel.name) > 0 || is_default(kernel.name)) continue;
        auto found = context_of(kernel.name, kernel.language, kernel.directory);
        found->runs = kernel.runs;
        table.emplace(kernel.name, std::move(found));
    }
    for (const auto& [id, context] : table) {
        if (!is_default(id)) all.push_back(*context);
    }
    co_return all;
}

asio::awaitable<InterpreterContexts::ContextPtr> InterpreterContexts::make(SessionId session,
                                                                           Link link,
                                                                           std::string language,
                                                                           std::string directory) {
    if (table_of(session).size() > kContextsMax) {
        throw ErrorException({Code::Exhausted, "a sandbox holds at most 64 contexts"});
    }
    const auto id = letters_of(random_bytes(20));
    auto made = context_of(id, language, directory);
    if (has_kernel(*made)) {
        co_await guest_client::create_context(std::move(link), id,
                                              std::string(kernel_language(language)), directory);
    }
    table_of(session).emplace(id, made);
    co_return made;
}

asio::awaitable<InterpreterContexts::ContextPtr> InterpreterContexts::find(SessionId session,
                                                                           Link link,
                                                                           std::string id) {
    if (table_of(session).count(id) == 0) co_await list(session, std::move(link));
    auto& table = table_of(session);
    const auto found = table.find(id);
    if (found == table.end()) throw unknown_context(id);
    co_return found->second;
}

asio::awaitable<void> InterpreterContexts::restart(SessionId session, Link link, std::string id) {
    const auto context = co_await find(session, link, id);
    context->runs = 0;
    if (!has_kernel(*context)) co_return;
    const auto kernel =
        guest_client::kernel_for(language_of(context->language), std::string(kDefaultId));
    const auto name = id.starts_with("default-") ? kernel : id;
    try {
        co_await guest_client::restart_context(std::move(link), name);
    } catch (const ErrorException& error) {
        if (error.error.code != Code::NotFound) throw;
    }
}

asio::awaitable<void> InterpreterContexts::remove(SessionId session, Link link, std::string id) {
    const auto context = co_await find(session, link, id);
    if (has_kernel(*context)) {
        const auto name = id.starts_with("default-") ? std::string(guest_client::kJavaScript) : id;
        try {
            co_await guest_client::delete_context(std::move(link), name);
        } catch (const ErrorException& error) {
            if (error.error.code != Code::NotFound) throw;
        }
    }
    context->runs = 0;
    // Default ones are there again with their next run.
    if (is_default(id)) co_return;
    table_of(session).erase(id);
}

}  // namespace atl::api::e2b
