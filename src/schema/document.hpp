#pragma once
// The OpenAPI 3.1 document, made from routes that are plain values:
//
//     Route{.method = "POST", .pattern = "/v1/sessions", .id = "create_session",
//           .tag = "Sessions", .summary = "Create a session",
//           .bodies = {json_body<CreateSession>()},
//           .answers = {json_answer<Session>(201, "The new session.")}}
//
// Types that are named by a route, and all that they contain, end up in components/schemas. Every
// route also gets `default`: the problem that any request can end with.
//
// Threads   build it once at start; the text is then shared.
// Trusts    the program. A route that contradicts itself or another (a path parameter without a
//           description, one id twice, two types of one name, an example that its own type refuses)
//           throws std::logic_error, so that a test finds it and no client does.
#include "schema/json.hpp"
#include "schema/type.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace atl::schema {

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kEventStream = "text/event-stream";
inline constexpr std::string_view kOctetStream = "application/octet-stream";
inline constexpr std::string_view kMultipart = "multipart/form-data";
inline constexpr std::string_view kText = "text/plain";

// One kind of server-sent event: its name and what stands in its data.
struct Event {
    std::string name;
    std::string description;
    const Type* type = nullptr;
};

// A file in a multipart form.
struct FilePart {
    std::string name;
    std::string description;
    bool required = true;
    bool several = false;  // the name may stand more than once
};

struct Body {
    std::string_view content_type = kJson;
    const Type* type = nullptr;  // null: bytes or text
    std::string description;
    std::vector<FilePart> files;
    bool required = true;
};

struct ResponseHeader {
    std::string name;
    std::string description;
};

struct Answer {
    int status = 200;
    std::string description;
    std::string_view content_type;  // empty: no content
    const Type* type = nullptr;
    bool list = false;  // an array of `type`
    std::vector<Event> events;
    std::vector<ResponseHeader> headers;
};

enum class Security : std::uint8_t { Key, None };

struct Route {
    std::string_view method;   // "GET"
    std::string_view pattern;  // "/v1/sessions/{id}/files/{path...}": the last may contain slashes
    std::string_view id;       // create_session: what a generated client calls it
    std::string_view tag;
    std::string_view summary;
    std::string_view description = {};
    // Structs whose fields are the parameters; from_parameters reads what they describe.
    const Type* path = nullptr;
    const Type* query = nullptr;
    const Type* headers = nullptr;  // idempotency_key is the header Idempotency-Key
    std::vector<Body> bodies = {};  // of different content types
    std::vector<Answer> answers = {};
    Security security = Security::Key;
    bool deprecated = false;
    std::string_view scope = {};  // what a key must allow; empty: whoever takes the route says
    bool stores = true;           // false: whatever its method, it changes nothing
    bool listed = true;  // false: it is another project's API, which has a document of its own
};

struct Tag {
    std::string_view name;
    std::string_view description;
};

struct About {
    std::string title;
    std::string version;
    std::string description;
    std::vector<Tag> tags;  // in the order in which people should read them
};

template <Described T>
[[nodiscard]] const Type* described() {
    return &schema_of(static_cast<const T*>(nullptr));
}

template <Described T>
[[nodiscard]] Body json_body(std::string description = {}) {
    return {kJson, described<T>(), std::move(description), {}};
}
// The other fields of the form are those of T.
template <Described T>
[[nodiscard]] Body form_body(std::vector<FilePart> files, std::string description = {}) {
    return {kMultipart, described<T>(), std::move(description), std::move(files)};
}
[[nodiscard]] Body file_body(std::vector<FilePart> files, std::string description = {});
[[nodiscard]] Body bytes_body(std::string description);

template <Described T>
[[nodiscard]] Answer json_answer(int status, std::string description) {
    return {status, std::move(description), kJson, described<T>(), false, {}, {}};
}
template <Described T>
[[nodiscard]] Answer list_answer(int status, std::string description) {
    return {status, std::move(description), kJson, described<T>(), true, {}, {}};
}
template <Described T>
[[nodiscard]] Event event(std::string name, std::string description) {
    return {std::move(name), std::move(description), described<T>()};
}
[[nodiscard]] Answer event_answer(std::string description, std::vector<Event> events);
[[nodiscard]] Answer bytes_answer(std::string description);
[[nodiscard]] Answer text_answer(std::string description);
[[nodiscard]] Answer empty_answer(int status, std::string description);

// The whole document as JSON text.
[[nodiscard]] std::string openapi_document(const About& about, const std::vector<Route>& routes);

// The JSON Schema of one type, as it stands in the document. References are kept as they are there.
[[nodiscard]] std::string json_schema(const Type& type);

}  // namespace atl::schema
