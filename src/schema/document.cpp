#include "schema/document.hpp"

#include "schema/json_schema.hpp"
#include "schema/problem.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cctype>
#include <map>
#include <set>
#include <stdexcept>

namespace atl::schema {

namespace {

namespace json = boost::json;

json::string_view json_text(std::string_view text) { return {text.data(), text.size()}; }

struct PathName {
    std::string name;
    bool slashes;
};

// "/v1/sessions/{id}/files/{path...}": OpenAPI has no word for the dots.
struct PathPattern {
    std::string openapi;     // /v1/sessions/{id}/files/{path}
    std::string normalised;  // /v1/sessions/{}/files/{}
    std::vector<PathName> names;
};

[[noreturn]] void complain(const Route& route, const std::string& what) {
    throw std::logic_error(std::string(route.method) + " " + std::string(route.pattern) + ": " +
                           what);
}

PathPattern read_pattern(const Route& route) {
    if (!route.pattern.starts_with('/')) complain(route, "a path starts with /");
    PathPattern out;
    std::string_view rest = route.pattern;
    while (!rest.empty()) {
        const auto open = rest.find('{');
        out.openapi += rest.substr(0, open);
        out.normalised += rest.substr(0, open);
        if (open == std::string_view::npos) break;
        const auto close = rest.find('}', open);
        if (close == std::string_view::npos) complain(route, "a { without its }");
        auto name = rest.substr(open + 1, close - open - 1);
        const bool slashes = name.ends_with("...");
        if (slashes) name.remove_suffix(3);
        if (slashes && close + 1 != rest.size()) complain(route, "{…...} must come last");
        out.names.push_back({std::string(name), slashes});
        out.openapi.append("{").append(name).append("}");
        out.normalised += "{}";
        rest.remove_prefix(close + 1);
    }
    return out;
}

class DocumentWriter {
public:
    json::object paths(const std::vector<Route>& routes) {
        json::object out;
        for (const auto& route : routes) add(route, out);
        return out;
    }

    json::object schemas() { return schemas_.definitions(); }

private:
    void add(const Route& route, json::object& paths) {
        const auto pattern = read_pattern(route);
        if (route.id.empty() || route.summary.empty() || route.tag.empty())
            complain(route, "id, tag and summary are needed");
        if (!ids_.insert(std::string(route.id)).second)
            complain(route, "the id " + std::string(route.id) + " is taken");
        // Two patterns that differ only in the names of their parameters are one path.
        const auto [known, fresh] = spelled_.emplace(pattern.normalised, pattern.openapi);
        if (!fresh && known->second != pattern.openapi)
            complain(route, "is the same path as " + known->second);

        std::string method(route.method);
        std::transform(method.begin(), method.end(), method.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        static const std::set<std::string> kMethods = {"get",   "put",     "post", "delete",
                                                       "patch", "options", "head"};
        if (!kMethods.contains(method)) complain(route, "OpenAPI has no such method");
        auto& item = paths[pattern.openapi];
        if (item.is_null()) item = json::object{};
        if (item.as_object().contains(method)) complain(route, "stands here twice");
        item.as_object()[method] = operation(route, pattern);
    }

    json::object operation(const Route& route, const PathPattern& pattern) {
        json::object out;
        out["operationId"] = json_text(route.id);
        out["tags"] = json::array{json_text(route.tag)};
        out["summary"] = json_text(route.summary);
        if (!route.description.empty()) out["description"] = json_text(route.description);
        if (route.deprecated) out["deprecated"] = true;
        out["security"] = route.security == Security::None
                              ? json::array{}
                              : json::array{json::object{{"key", json::array{}}}};
        if (!route.scope.empty()) out["x-atoll-scope"] = json_text(route.scope);
        json::array parameters;
        add_path_parameters(route, pattern, parameters);
        add_parameters(route.query, "query", parameters);
        add_parameters(route.headers, "header", parameters);
        if (!parameters.empty()) out["parameters"] = std::move(parameters);
        if (!route.bodies.empty()) out["requestBody"] = request_body(route);
        out["responses"] = responses(route);
        return out;
    }

    void add_path_parameters(const Route& route, const PathPattern& pattern, json::array& out) {
        const std::size_t fields = route.path != nullptr ? route.path->fields.size() : 0;
        if (fields != pattern.names.size())
            complain(route, "has " + std::to_string(pattern.names.size()) +
                                " parameters in its path and " + std::to_string(fields) +
                                " described");
        for (const auto& [name, slashes] : pattern.names) {
            const auto& all = route.path->fields;
            const auto field =
                std::find_if(all.begin(), all.end(),
                             [&wanted = name](const Field& f) { return f.name == wanted; });
            if (field == all.end()) complain(route, "the path's {" + name + "} is not described");
            auto parameter = make_parameter(*route.path, *field, "path", name);
            parameter["required"] = true;
            if (slashes) parameter["x-atoll-slashes"] = true;
            out.push_back(std::move(parameter));
        }
        if (route.path != nullptr) schemas_.definition(*route.path);  // checks its examples
    }

    void add_parameters(const Type* type, std::string_view in, json::array& out) {
        if (type == nullptr) return;
        for (const auto& field : type->fields) {
            const auto name = in == "header" ? header_name(field.name) : std::string(field.name);
            out.push_back(make_parameter(*type, field, in, name));
        }
        schemas_.definition(*type);  // checks its examples
    }

    json::object make_parameter(const Type& owner, const Field& field, std::string_view in,
                                const std::string& name) {
        json::object out;
        out["name"] = name;
        out["in"] = json_text(in);
        out["description"] = json_text(field.notes.description);
        if (field.notes.required) out["required"] = true;
        if (field.notes.deprecated) out["deprecated"] = true;
        auto schema = schemas_.use(owner, field);
        schema.erase("description");
        schema.erase("deprecated");
        if (in == "path") schema.erase("default");
        out["schema"] = std::move(schema);
        return out;
    }

    json::object request_body(const Route& route) {
        json::object content;
        std::string description;
        bool required = false;
        for (const auto& body : route.bodies) {
            if (content.contains(json_text(body.content_type)))
                complain(route, "two bodies of one content type");
            json::object media;
            if (body.content_type == kMultipart) {
                media["schema"] = form(body);
            } else if (body.type != nullptr) {
                media["schema"] = schemas_.use(*body.type, Notes{});
            } else {
                media["schema"] = bytes(body.content_type);
            }
            content[json_text(body.content_type)] = std::move(media);
            if (description.empty()) description = body.description;
            required = required || body.required;
        }
        json::object out;
        if (!description.empty()) out["description"] = description;
        out["required"] = required;
        out["content"] = std::move(content);
        return out;
    }

    static json::object bytes(std::string_view content_type) {
        json::object out;
        out["type"] = "string";
        if (content_type != kText) out["contentMediaType"] = json_text(content_type);
        return out;
    }

    json::object form(const Body& body) {
        json::object out;
        out["type"] = "object";
        json::object properties;
        json::array required;
        if (body.type != nullptr) {
            auto fields = schemas_.definition(*body.type);
            properties = std::move(fields["properties"].as_object());
            if (auto* names = fields.if_contains("required")) required = names->as_array();
        }
        for (const auto& file : body.files) {
            auto one = bytes(kOctetStream);
            json::object property;
            if (file.several) {
                property["type"] = "array";
                property["items"] = std::move(one);
            } else {
                property = std::move(one);
            }
            property["description"] = file.description;
            properties[file.name] = std::move(property);
            if (file.required) required.emplace_back(file.name);
        }
        out["properties"] = std::move(properties);
        if (!required.empty()) out["required"] = std::move(required);
        out["additionalProperties"] = false;
        return out;
    }

    json::object responses(const Route& route) {
        json::object out;
        for (const auto& answer : route.answers) {
            auto& slot = out[std::to_string(answer.status)];
            if (slot.is_null())
                slot = response(answer);
            else
                add_content(answer, slot.as_object());
        }
        if (out.empty()) complain(route, "has no answer");
        json::object problem;
        problem["description"] = "The request failed.";
        json::object media;
        media["schema"] = schemas_.use(*described<Problem>(), Notes{});
        json::object content;
        content[json_text(kProblemContentType)] = std::move(media);
        problem["content"] = std::move(content);
        out["default"] = std::move(problem);
        return out;
    }

    json::object response(const Answer& answer) {
        json::object out;
        out["description"] = answer.description;
        if (!answer.headers.empty()) {
            json::object headers;
            for (const auto& header : answer.headers) {
                json::object one;
                one["description"] = header.description;
                one["schema"] = json::object{{"type", "string"}};
                headers[header.name] = std::move(one);
            }
            out["headers"] = std::move(headers);
        }
        add_content(answer, out);
        return out;
    }

    void add_content(const Answer& answer, json::object& out) {
        if (answer.content_type.empty()) return;
        json::object media;
        if (!answer.events.empty()) {
            // No schema: OpenAPI 3.1 has none for a stream, and readers disagree on what it would
            // be of.
            json::array events;
            for (const auto& event : answer.events) {
                json::object one;
                one["name"] = event.name;
                one["description"] = event.description;
                one["schema"] = schemas_.use(*event.type, Notes{});
                events.push_back(std::move(one));
            }
            media["x-atoll-events"] = std::move(events);
        } else if (answer.type == nullptr) {
            media["schema"] = bytes(answer.content_type);
        } else if (answer.list) {
            json::object schema;
            schema["type"] = "array";
            schema["items"] = schemas_.use(*answer.type, Notes{});
            media["schema"] = std::move(schema);
        } else {
            media["schema"] = schemas_.use(*answer.type, Notes{});
        }
        auto& content = out["content"];
        if (content.is_null()) content = json::object{};
        content.as_object()[json_text(answer.content_type)] = std::move(media);
    }

    SchemaWriter schemas_;
    std::set<std::string> ids_;
    std::map<std::string, std::string> spelled_;
};

}  // namespace

Body file_body(std::vector<FilePart> files, std::string description) {
    return {kMultipart, nullptr, std::move(description), std::move(files)};
}
Body bytes_body(std::string description) {
    return {kOctetStream, nullptr, std::move(description), {}};
}
Answer event_answer(std::string description, std::vector<Event> events) {
    return {200, std::move(description), kEventStream, nullptr, false, std::move(events), {}};
}
Answer bytes_answer(std::string description) {
    return {200, std::move(description), kOctetStream, nullptr, false, {}, {}};
}
Answer text_answer(std::string description) {
    return {200, std::move(description), kText, nullptr, false, {}, {}};
}
Answer empty_answer(int status, std::string description) {
    return {status, std::move(description), {}, nullptr, false, {}, {}};
}

std::string openapi_document(const About& about, const std::vector<Route>& routes) {
    DocumentWriter writer;
    json::object document;
    document["openapi"] = "3.1.0";
    json::object info;
    info["title"] = about.title;
    info["version"] = about.version;
    if (!about.description.empty()) info["description"] = about.description;
    document["info"] = std::move(info);
    json::array tags;
    std::set<std::string_view> known;
    for (const auto& tag : about.tags) {
        tags.push_back(json::object{{"name", json_text(tag.name)},
                                    {"description", json_text(tag.description)}});
        known.insert(tag.name);
    }
    document["tags"] = std::move(tags);
    for (const auto& route : routes) {
        if (!known.contains(route.tag))
            complain(route, "the tag " + std::string(route.tag) + " is not described");
    }
    document["paths"] = writer.paths(routes);
    json::object key;
    key["type"] = "http";
    key["scheme"] = "bearer";
    key["description"] = "An API key.";
    json::object components;
    components["schemas"] = writer.schemas();
    components["securitySchemes"] = json::object{{"key", std::move(key)}};
    document["components"] = std::move(components);
    std::string out;
    append_json(out, json::value(std::move(document)));
    return out;
}

}  // namespace atl::schema
