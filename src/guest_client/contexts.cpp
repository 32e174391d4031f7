#include "guest_client/contexts.hpp"

#include "base/fields.hpp"
#include "guest_client/bounded_call.hpp"

namespace atl::guest_client {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kVariablesMax = 1000;
constexpr std::size_t kDimensionsMax = 64;
constexpr std::size_t kTextBytesMax = 4096;
// A kernel can be stopped by other code of its sandbox; then it is ended.
constexpr std::chrono::milliseconds kTimeToCome{60'000};

std::string short_text(const json::object& about, std::string_view key) {
    std::string text = fields::text_of(about, key);
    if (text.size() > kTextBytesMax) text.resize(kTextBytesMax);
    return text;
}

std::uint64_t count_of(const json::object& about, std::string_view key) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, fields::number_of(about, key)));
}

Error not_there(const std::string& name) { return {Code::NotFound, "there is no context " + name}; }

Variable variable_of(const json::object& about) {
    Variable variable;
    variable.name = short_text(about, "name");
    variable.type = short_text(about, "type");
    variable.size_bytes = count_of(about, "size");
    variable.preview = short_text(about, "preview");
    const auto* shape = about.if_contains("shape");
    if (shape == nullptr || !shape->is_array()) return variable;
    variable.shape.emplace();
    for (const auto& length : shape->get_array()) {
        if (!length.is_int64() || variable.shape->size() == kDimensionsMax) break;
        variable.shape->push_back(length.get_int64());
    }
    return variable;
}

}  // namespace

asio::awaitable<std::vector<Context>> list_contexts(std::shared_ptr<GuestLink> link) {
    const json::object question{{"op", "kernel.list"}};
    const json::object answer = co_await link->call(question);
    std::vector<Context> contexts;
    const auto* kernels = answer.if_contains("kernels");
    if (kernels == nullptr || !kernels->is_array()) co_return contexts;
    for (const auto& kernel : kernels->get_array()) {
        if (!kernel.is_object() || contexts.size() == kContextsMax) continue;
        const auto& about = kernel.get_object();
        contexts.push_back({short_text(about, "context"),
                            fields::text_of(about, "language") == kJavaScript
                                ? std::string(kJavaScript)
                                : std::string(kPython),
                            short_text(about, "cwd"), fields::flag_of(about, "idle", true),
                            fields::number_of(about, "runs")});
    }
    co_return contexts;
}

asio::awaitable<Context> find_context(std::shared_ptr<GuestLink> link, std::string name) {
    const auto contexts = co_await list_contexts(std::move(link));
    for (const auto& context : contexts) {
        if (context.name == name) co_return context;
    }
    throw ErrorException(not_there(name));
}

asio::awaitable<Context> create_context(std::shared_ptr<GuestLink> link, std::string name,
                                        std::string language, std::string directory) {
    const auto contexts = co_await list_contexts(link);
    for (const auto& context : contexts) {
        if (context.name != name) continue;
        throw ErrorException({Code::Conflict, "there is a context " + name + " already"});
    }
    // Any call makes the kernel that it is for; this one does nothing else.
    const json::object question{{"op", "kernel.call"},
                                {"context", name},
                                {"language", language},
                                {"cwd", directory},
                                {"timeout_ms", kTimeToCome.count()},
                                {"request", {{"op", "ping"}}}};
    const json::object answer = co_await link->call(question);
    if (fields::flag_of(answer, "died") || fields::flag_of(answer, "timed_out")) {
        const json::object removal{{"op", "kernel.delete"}, {"context", name}};
        co_await link->call(removal);
        throw ErrorException({Code::Unavailable, "the kernel of " + name + " did not start"});
    }
    co_return co_await find_context(link, name);
}

asio::awaitable<bool> interrupt_context(std::shared_ptr<GuestLink> link, std::string name,
                                        std::chrono::milliseconds grace) {
    const json::object question{
        {"op", "kernel.interrupt"}, {"context", name}, {"grace_ms", grace.count()}};
    link->interrupted(name);
    const json::object answer = co_await link->call(question);
    co_return !fields::flag_of(answer, "was_idle", true);
}

asio::awaitable<Context> restart_context(std::shared_ptr<GuestLink> link, std::string name) {
    const json::object question{{"op", "kernel.restart"}, {"context", name}};
    co_await link->call(question);
    co_return co_await find_context(link, name);
}

asio::awaitable<void> delete_context(std::shared_ptr<GuestLink> link, std::string name) {
    const json::object question{{"op", "kernel.delete"}, {"context", name}};
    co_await link->call(question);
}

asio::awaitable<VariablePage> list_variables(std::shared_ptr<GuestLink> link, std::string name,
                                             std::uint64_t offset, std::uint32_t limit,
                                             std::chrono::milliseconds patience) {
    co_await find_context(link, name);  // a call would make it
    const json::object question{
        {"op", "kernel.call"},
        {"context", name},
        {"request", {{"op", "variables"}, {"offset", offset}, {"limit", limit}}}};
    const auto answer = co_await call_within(patience, link, question);
    if (!answer) {
        throw ErrorException(
            {Code::Conflict, "the context " + name + " is running something; ask again later"});
    }
    const auto* part = answer->if_contains("kernel");
    if (fields::flag_of(*answer, "died") || part == nullptr || !part->is_object()) {
        throw ErrorException(
            {Code::Unavailable, "the kernel of " + name + " ended before it could answer"});
    }
    const auto& kernel = part->get_object();
    VariablePage page;
    page.total = count_of(kernel, "total");
    const auto* list = kernel.if_contains("variables");
    if (list == nullptr || !list->is_array()) co_return page;
    for (const auto& one : list->get_array()) {
        if (!one.is_object() || page.variables.size() == kVariablesMax) continue;
        page.variables.push_back(variable_of(one.get_object()));
    }
    co_return page;
}

}  // namespace atl::guest_client
