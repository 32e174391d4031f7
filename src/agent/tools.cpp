#include "agent/tools.hpp"

#include "agent/text.hpp"
#include "base/encoding.hpp"
#include "schema/describe.hpp"
#include "schema/document.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <stdexcept>

namespace atl::agent {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kSchemaBytesMax = 1u << 20;

}  // namespace

BOOST_DESCRIBE_STRUCT(ListedFile, (), (name, type, size))
ATOLL_TYPE(ListedFile) {
    return response("A file in a listing.", field<&T::name>("Relative to the folder."),
                    field<&T::type>("file, directory, symlink, …"), field<&T::size>("Bytes."));
}

BOOST_DESCRIBE_STRUCT(LeftOutFile, (), (path, reason))
ATOLL_TYPE(LeftOutFile) {
    return response("An artifact that was not copied to the host.",
                    field<&T::path>("Where, in the sandbox."), field<&T::reason>("Why not."));
}

BOOST_DESCRIBE_STRUCT(ToolResult, (),
                      (tool, output, failed, exec_ms, code, out, err, exit_code, reason, content,
                       files, images, table, artifact_map, artifacts_left_out, session_id, run_id))
ATOLL_TYPE(ToolResult) {
    return response(
        "What a tool did.", field<&T::tool>("Which one."),
        field<&T::output>("As a model reads it; long output is cut in the middle."),
        field<&T::failed>("The code, or the command, ended with an error."),
        field<&T::exec_ms>("How long it took."), field<&T::code>("What was run."),
        field<&T::out>("What it printed.", named("stdout")),
        field<&T::err>("What it printed as errors.", named("stderr")),
        field<&T::exit_code>("0 when all went well."),
        field<&T::reason>("exited, signalled, timeout, memory, disk, output or killed."),
        field<&T::content>("Of the file that was read."), field<&T::files>("Of the folder."),
        field<&T::images>("Images that it made."), field<&T::table>("A table it answered with."),
        field<&T::artifact_map>("Artifacts: path in the sandbox, and path on the host."),
        field<&T::artifacts_left_out>("Artifacts that were not copied, and why."),
        field<&T::session_id>("Where it ran."),
        field<&T::run_id>("Of a fresh sandbox: artifacts are at /v1/outputs/{run_id}/."));
}

std::string ToolEnvironment::href_of(const SessionId& session, std::string_view path) const {
    return "/v1/sessions/" + session.text() + "/files" + percent_encoded(path, "/");
}

asio::awaitable<sessions::Use*> ToolEnvironment::needed_session() {
    auto* use = co_await session();
    if (use == nullptr) {
        const schema::Issue missing{"session_id", "is needed: which session to work in"};
        throw schema::ValidationError({missing});
    }
    co_return use;
}

asio::awaitable<sessions::Use*> NamedSessionEnvironment::session() {
    return session_with(sessions_.options().limits);
}

asio::awaitable<sessions::Use*> NamedSessionEnvironment::session_with(core::Limits limits) {
    if (session_.empty()) co_return nullptr;
    if (use_) co_return &*use_;
    if (first_use_ == FirstUse::Makes) {
        sessions::NewSession wanted;
        wanted.owner = owner_;
        wanted.name = session_;
        wanted.limits = limits;
        use_.emplace(co_await sessions_.use_or_make(std::move(wanted), made_));
    } else {
        use_.emplace(co_await sessions_.use(core::Whose::of(owner_), SessionId(session_)));
    }
    co_await sessions_.check_disk(**use_);
    co_return &*use_;
}

Tools::Tools(sessions::Sessions& sessions, core::Outputs& outputs) : sessions_(sessions) {
    add_code_tools(*this);
    add_file_tools(*this);
    add_sandbox_tool(*this, outputs);
}

void Tools::add(Tool tool) {
    if (find(tool.name) != nullptr) throw std::logic_error("two tools are called " + tool.name);
    if (tool.for_models) {
        for_models_.push_back({tool.name, tool.description, schema_of(tool, false)});
    }
    tool.route = "/v1/tools/" + tool.name;
    tool.route_id = "tool_" + tool.name;
    tools_.push_back(std::move(tool));
}

const Tool* Tools::find(std::string_view name) const noexcept {
    const auto found = std::find_if(tools_.begin(), tools_.end(),
                                    [&](const Tool& tool) { return tool.name == name; });
    return found == tools_.end() ? nullptr : &*found;
}

std::string_view Tools::nearest(std::string_view name) const {
    std::vector<std::string_view> known;
    for (const auto& tool : tools_) known.emplace_back(tool.name);
    return schema::nearest(name, known);
}

std::string Tools::schema_of(const Tool& tool, bool with_session) {
    auto value = schema::parse_json(schema::json_schema(*tool.arguments), kSchemaBytesMax);
    auto& object = value.as_object();
    if (!with_session) {
        if (auto* properties = object.if_contains("properties")) {
            properties->as_object().erase("session_id");
        }
    } else if (tool.for_models) {  // it works in a session; in a thread that goes without saying
        auto& required = object["required"];
        if (!required.is_array()) required.emplace_array();
        required.as_array().emplace_back("session_id");
    }
    std::string text;
    schema::append_json(text, value);
    return text;
}

}  // namespace atl::agent
