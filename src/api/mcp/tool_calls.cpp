#include "api/mcp/tool_calls.hpp"

#include "api/content_type.hpp"
#include "api/file_paths.hpp"
#include "api/mcp/resources.hpp"
#include "base/encoding.hpp"
#include "base/workers.hpp"
#include "core/host_paths.hpp"

#include <boost/asio/this_coro.hpp>
#include <boost/json/array.hpp>

namespace atl::api::mcp {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kNameBytesMax = 128;
constexpr std::size_t kLinksMax = 32;
constexpr std::size_t kSchemaBytesMax = 1u << 20;
// Bytes of memory for each byte of an image: itself, in base64, and in the text of the answer.
constexpr std::uint64_t kMemoryOfImage = 4;
constexpr std::string_view kFreshArtifacts = "/work/artifacts/";

json::object text_of(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

json::object failed_with(std::string_view sentence) {
    return {{"content", json::array{text_of(sentence)}}, {"isError", true}};
}

std::string sentence_of(const schema::ValidationError& error) {
    std::string sentence = "these arguments are not good";
    for (const auto& issue : error.issues) {
        sentence += "\n" + (issue.path.empty() ? "" : issue.path + ": ") + issue.message;
    }
    return sentence;
}

void add_link(json::array& content, std::string uri, std::string_view path) {
    const auto name = last_part(path);
    content.push_back(json::object{{"type", "resource_link"},
                                   {"uri", std::move(uri)},
                                   {"name", name},
                                   {"mimeType", content_type_of(name)}});
}

void add_links(json::array& content, const agent::ToolResult& result, const Place& place) {
    std::size_t links = 0;
    if (result.session_id) {
        for (const auto& image : result.images) {
            if (++links > kLinksMax) return;
            add_link(content, resource_uri(*result.session_id, image.path), image.path);
        }
    }
    if (!result.artifact_map) return;
    for (const auto& [path, host] : *result.artifact_map) {
        if (++links > kLinksMax) return;
        if (result.session_id) {
            add_link(content, resource_uri(*result.session_id, path), path);
        } else if (result.run_id && path.starts_with(kFreshArtifacts)) {
            const auto name = path.substr(kFreshArtifacts.size());
            add_link(
                content,
                place.base_url + "/v1/outputs/" + *result.run_id + "/" + percent_encoded(name, "/"),
                path);
        }
    }
}

json::object content_of(const agent::ToolResult& result, const Place& place) {
    json::array content;
    content.push_back(text_of(result.output.empty() ? "[no output]" : result.output));
    for (const auto& image : result.seen) {
        content.push_back(json::object{{"type", "image"},
                                       {"data", base64_encoded(image.bytes)},
                                       {"mimeType", image.media_type}});
    }
    add_links(content, result, place);
    return {{"content", std::move(content)}, {"isError", result.failed}};
}

json::value token_in(const json::object& params) {
    const auto* meta = params.if_contains("_meta");
    if (meta == nullptr || !meta->is_object()) return nullptr;
    const auto* token = meta->get_object().if_contains("progressToken");
    if (token == nullptr) return nullptr;
    const bool good = token->is_int64() || token->is_uint64() ||
                      (token->is_string() && token->get_string().size() <= kNameBytesMax);
    if (!good) {
        throw Refused(kInvalidParams, "_meta.progressToken must be an integer or a short string");
    }
    return *token;
}

// As the registry has it, but that a session need not be named.
json::object described(const agent::Tool& tool) {
    auto schema = schema::parse_json(agent::Tools::schema_of(tool, true), kSchemaBytesMax);
    auto& object = schema.as_object();
    if (tool.for_models) {
        if (auto* required = object.if_contains("required"); required && required->is_array()) {
            auto& names = required->get_array();
            for (auto name = names.begin(); name != names.end();) {
                const bool session = name->is_string() && name->get_string() == "session_id";
                name = session ? names.erase(name) : std::next(name);
            }
            if (names.empty()) object.erase("required");
        }
    }
    return {
        {"name", tool.name}, {"description", tool.description}, {"inputSchema", std::move(schema)}};
}

}  // namespace

json::object tool_list(const agent::Tools& tools) {
    json::array all;
    for (const auto& tool : tools.all()) all.push_back(described(tool));
    return {{"tools", std::move(all)}};
}

ToolRequest read_call(const agent::Tools& tools, const Place& place, const json::object& params) {
    ToolRequest request;
    const auto name = needed_text(params, "name", kNameBytesMax);
    request.tool = tools.find(name);
    if (request.tool == nullptr) {
        const auto meant = tools.nearest(name);
        throw Refused(kInvalidParams,
                      "there is no tool " + schema::quoted(name) +
                          (meant.empty() ? "" : "; did you mean " + std::string(meant) + "?"));
    }
    const auto* arguments = params.if_contains("arguments");
    if (arguments != nullptr && !arguments->is_object()) {
        throw Refused(kInvalidParams, "arguments must be an object");
    }
    request.arguments = arguments == nullptr ? json::value(json::object{}) : *arguments;
    request.session = text_in(request.arguments.as_object(), "session_id").value_or(std::string());
    if (request.session.empty() && request.tool->for_models) request.session = place.session;
    request.progress_token = token_in(params);
    return request;
}

asio::awaitable<json::object> carry_out(ToolRequest request, CallEnvironment& environment,
                                        const Place& place, AnswerBudget::Share& share) {
    std::string failed;
    agent::ToolResult result;
    try {
        result = co_await request.tool->call(environment, std::move(request.arguments));
    } catch (const schema::ValidationError& error) {
        failed = sentence_of(error);
    } catch (const ErrorException& error) {
        failed = core::without_host_paths(error.error).message;
    }
    if (!failed.empty()) co_return failed_with(failed);
    std::uint64_t bytes = result.output.size();
    for (const auto& image : result.seen) bytes += image.bytes.size() * kMemoryOfImage;
    if (!share.take(bytes)) {
        result.seen.clear();
        result.output += "\n[images are left out: the server's memory for answers is used up]";
    }
    if (result.seen.empty()) co_return content_of(result, place);
    const auto make = [&] { return content_of(result, place); };
    co_return co_await workers_of(co_await asio::this_coro::executor).run(make);
}

}  // namespace atl::api::mcp
