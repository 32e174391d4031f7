#include "schema/document.hpp"
#include "schema/describe.hpp"
#include "schema/sample.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>

namespace atl::broken {

struct BadExample {
    int count = 0;
};
ATOLL_DESCRIBED(BadExample);
BOOST_DESCRIBE_STRUCT(BadExample, (), (count))
ATOLL_TYPE(BadExample) {
    return request("Its example breaks its own rule.",
                   field<&T::count>("A number.", max(3), example(4)));
}

struct NoExample {
    std::string name;
};
ATOLL_DESCRIBED(NoExample);
BOOST_DESCRIBE_STRUCT(NoExample, (), (name))
ATOLL_TYPE(NoExample) {
    return request("Nobody can try it.", field<&T::name>("A name.", required));
}

struct Session {};
ATOLL_DESCRIBED(Session);
BOOST_DESCRIBE_STRUCT(Session, (), ())
ATOLL_TYPE(Session) { return response("Has the name of another type."); }

}  // namespace atl::broken

namespace atl::rare {

// The words and members that sample.hpp has no use for.
struct ChangeKey {
    std::string password;
    std::optional<std::string> note;
    boost::json::object extra;
};
ATOLL_DESCRIBED(ChangeKey);
BOOST_DESCRIBE_STRUCT(ChangeKey, (), (password, note, extra))
ATOLL_TYPE(ChangeKey) {
    return request("A new key.",
                   field<&T::password>("The old one.", required, secret, example("p")),
                   field<&T::note>("For people.", deprecated), field<&T::extra>("Anything."));
}

}  // namespace atl::rare

namespace atl::schema {

namespace {

namespace json = boost::json;
constexpr std::size_t kDocumentBytesMax = 1 << 20;

void find_references(const json::value& value, std::vector<std::string>& found) {
    if (const auto* array = value.if_array()) {
        for (const auto& inner : *array) find_references(inner, found);
    } else if (const auto* object = value.if_object()) {
        for (const auto& [key, inner] : *object) {
            if (key == "$ref") found.emplace_back(inner.as_string().c_str());
            find_references(inner, found);
        }
    }
}

}  // namespace

TEST(Document, HasEveryRouteAndEveryType) {
    const auto text = sample::sample_document();
    // For a validator of OpenAPI documents, when somebody has one at hand.
    if (const char* file = std::getenv("ATOLL_WRITE_SAMPLE")) std::ofstream(file) << text;
    const auto document = parse_json(text, kDocumentBytesMax);
    EXPECT_EQ(document.at("openapi").as_string(), "3.1.0");
    const auto& paths = document.at("paths").as_object();
    EXPECT_EQ(paths.size(), 6u);
    EXPECT_TRUE(paths.at("/v1/sessions").as_object().contains("post"));

    const auto& file = paths.at("/v1/sessions/{id}/files/{path}").as_object();
    EXPECT_EQ(file.size(), 2u);
    const auto& path = file.at("get").at("parameters").at(1);
    EXPECT_EQ(path.at("name").as_string(), "path");
    EXPECT_TRUE(path.at("required").as_bool());
    EXPECT_TRUE(path.at("x-atoll-slashes").as_bool());

    const auto& events = paths.at("/v1/sessions/{id}/events")
                             .at("get")
                             .at("responses")
                             .at("200")
                             .at("content")
                             .at("text/event-stream")
                             .at("x-atoll-events")
                             .as_array();
    EXPECT_EQ(events.at(0).at("name").as_string(), "output");

    const auto& form = paths.at("/v1/sessions/{id}/files")
                           .at("post")
                           .at("requestBody")
                           .at("content")
                           .at("multipart/form-data")
                           .at("schema");
    EXPECT_EQ(form.at("properties").at("file").at("items").at("contentMediaType").as_string(),
              "application/octet-stream");
    EXPECT_EQ(form.at("properties").at("overwrite").at("type").as_string(), "boolean");

    EXPECT_TRUE(paths.at("/healthz").at("get").at("security").as_array().empty());
    EXPECT_EQ(paths.at("/v1/sessions")
                  .at("get")
                  .at("responses")
                  .at("default")
                  .at("content")
                  .at("application/problem+json")
                  .at("schema")
                  .at("$ref")
                  .as_string(),
              "#/components/schemas/Problem");

    // Every reference leads somewhere, and nothing is there that nobody names.
    const auto& schemas = document.at("components").at("schemas").as_object();
    std::vector<std::string> references;
    find_references(document, references);
    for (const auto& reference : references) {
        const std::string_view start = "#/components/schemas/";
        ASSERT_TRUE(reference.starts_with(start));
        EXPECT_TRUE(schemas.contains(reference.substr(start.size()))) << reference;
    }
    for (const auto& [name, schema] : schemas) {
        const auto reference = "#/components/schemas/" + std::string(name);
        EXPECT_NE(std::find(references.begin(), references.end(), reference), references.end())
            << reference;
    }
}

TEST(Document, ASchemaSaysWhatTheValidatorChecks) {
    const auto document = parse_json(sample::sample_document(), kDocumentBytesMax);
    const auto& schemas = document.at("components").at("schemas");
    const auto& create = schemas.at("CreateSession");
    EXPECT_EQ(create.at("required"), (json::array{"name"}));
    EXPECT_FALSE(create.at("additionalProperties").as_bool());
    const auto& fields = create.at("properties");
    EXPECT_EQ(fields.at("name").at("maxLength").to_number<int>(), 64);
    EXPECT_FALSE(fields.at("name").as_object().contains("default"));
    EXPECT_EQ(fields.at("template").at("default").as_string(), "default");
    EXPECT_EQ(fields.at("template").at("pattern").as_string(), R"(^[A-Za-z0-9_][A-Za-z0-9._\-]*$)");
    EXPECT_EQ(fields.at("limits").at("$ref").as_string(), "#/components/schemas/Limits");
    EXPECT_EQ(fields.at("network").at("default").as_string(), "none");
    EXPECT_EQ(fields.at("allow").at("maxItems").to_number<int>(), 4);
    EXPECT_EQ(fields.at("allow").at("items").at("minLength").to_number<int>(), 1);
    EXPECT_EQ(fields.at("environment").at("propertyNames").at("maxLength").to_number<int>(), 16);
    EXPECT_EQ(fields.at("seed").at("minimum").to_number<int>(), -5);
    EXPECT_EQ(fields.at("seed").at("examples").at(0).to_number<int>(), 42);
    EXPECT_EQ(fields.at("idle_time").at("default").as_string(), "10m");
    EXPECT_EQ(fields.at("command").at("oneOf").as_array().size(), 2u);

    const auto& limits = schemas.at("Limits").at("properties");
    EXPECT_EQ(limits.at("nice").at("minimum").to_number<int>(), -128);
    EXPECT_EQ(limits.at("memory_bytes_max").at("default").to_number<std::uint64_t>(), 2ull << 30);

    const auto& session = schemas.at("Session");  // an answer: whole, and free to grow
    EXPECT_EQ(session.at("required"), (json::array{"id", "network", "children"}));
    EXPECT_FALSE(session.as_object().contains("additionalProperties"));
    EXPECT_EQ(schemas.at("Network").at("enum"), (json::array{"none", "allow_list", "open"}));
}

TEST(Document, RefusesRoutesThatContradictThemselves) {
    const About about{.title = "t", .version = "1", .description = "", .tags = {{"T", "t"}}};
    const Route good{.method = "GET",
                     .pattern = "/a/{id}",
                     .id = "get_a",
                     .tag = "T",
                     .summary = "s",
                     .path = described<sample::SessionPath>(),
                     .answers = {empty_answer(204, "done")}};
    EXPECT_NO_THROW((void)openapi_document(about, {good}));
    struct Row {
        const char* complaint;
        void (*spoil)(std::vector<Route>& routes);
    };
    const Row rows[] = {
        {"starts with /", [](auto& r) { r[0].pattern = "a/{id}"; }},
        {"a { without its }", [](auto& r) { r[0].pattern = "/a/{id"; }},
        {"must come last", [](auto& r) { r[0].pattern = "/a/{id...}/b"; }},
        {"is not described", [](auto& r) { r[0].pattern = "/a/{other}"; }},
        {"0 described", [](auto& r) { r[0].path = nullptr; }},
        {"no such method", [](auto& r) { r[0].method = "BREW"; }},
        {"summary are needed", [](auto& r) { r[0].summary = ""; }},
        {"tag Nope is not described", [](auto& r) { r[0].tag = "Nope"; }},
        {"has no answer", [](auto& r) { r[0].answers.clear(); }},
        {"is taken", [](auto& r) { r.push_back(r[0]); }},
        {"stands here twice",
         [](auto& r) {
             r.push_back(r[0]);
             r[1].id = "b";
         }},
        {"is the same path as /a/{id}",
         [](auto& r) {
             r.push_back(r[0]);
             r[1].id = "b";
             r[1].method = "PUT";
             r[1].pattern = "/a/{path}";
         }},
        {"two bodies",
         [](auto& r) {
             r[0].bodies = {bytes_body("a"), bytes_body("b")};
         }},
        {"the examples of BadExample are no valid request: count: must be at most 3",
         [](auto& r) { r[0].query = described<broken::BadExample>(); }},
        {"the examples of NoExample are no valid request: name: is missing",
         [](auto& r) { r[0].bodies = {json_body<broken::NoExample>()}; }},
        {"two types of the API are called Session",
         [](auto& r) {
             r[0].answers = {json_answer<broken::Session>(200, "a"),
                             json_answer<sample::Session>(201, "b")};
         }},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.complaint);
        std::vector<Route> routes = {good};
        row.spoil(routes);
        try {
            (void)openapi_document(about, routes);
            ADD_FAILURE() << "was accepted";
        } catch (const std::logic_error& e) {
            EXPECT_NE(std::string(e.what()).find(row.complaint), std::string::npos) << e.what();
        }
    }
}

TEST(Document, KnowsTheRarerWordsAndMembers) {
    const auto schema = parse_json(json_schema(*described<rare::ChangeKey>()), kDocumentBytesMax);
    const auto& fields = schema.at("properties");
    EXPECT_EQ(fields.at("password").at("format").as_string(), "password");
    EXPECT_TRUE(fields.at("password").at("writeOnly").as_bool());
    EXPECT_TRUE(fields.at("note").at("deprecated").as_bool());
    EXPECT_EQ(fields.at("extra").at("type").as_string(), "object");
    const std::string text = R"({"password":"x","extra":{"a":[1,{}]}})";
    EXPECT_EQ(to_json(from_json<rare::ChangeKey>(text, 99)), text);
    EXPECT_THROW((void)from_json<rare::ChangeKey>(R"({"password":"x","extra":[]})", 99),
                 ValidationError);
}

// Goal: the check and the expression that clients are told agree, on every ASCII character alone
// and on mixtures of the awkward ones.
TEST(Pattern, ChecksWhatItsExpressionSays) {
    const Pattern patterns[] = {
        {"", "A-Za-z0-9_", "A-Za-z0-9._-", ""}, {"ses_", "a-z", "", ""},
        {"/", "", R"(^\x00-\x1f)", ""},         {"a.b", "", "", ""},
        {"", "^/", R"(]^[\x5c-)", ""},
    };
    const std::string_view parts[] = {"",  "a", "Z",  "0",    "_",   "-",   ".",  "/",   "]",
                                      "^", "[", "\\", "ses_", "a.b", "axb", "\n", "\x7f"};
    for (const auto& pattern : patterns) {
        const std::regex expression(pattern.expression());
        for (int c = 1; c < 128; ++c) {
            const auto text = std::string(pattern.prefix) + static_cast<char>(c);
            ASSERT_EQ(pattern.matches(text), std::regex_search(text, expression))
                << pattern.expression() << " on character " << c;
        }
        for (const auto a : parts) {
            for (const auto b : parts) {
                for (const auto c : parts) {
                    const auto text = std::string(a) + std::string(b) + std::string(c);
                    ASSERT_EQ(pattern.matches(text), std::regex_search(text, expression))
                        << pattern.expression() << " on " << text;
                }
            }
        }
    }
}

// Beyond what std::regex reads: characters that are no bytes.
TEST(Pattern, OneLineHasNothingThatSteersATerminalOrAnEye) {
    const Pattern one_line{"", "", R"(^\x00-\x1f\x7f)", ""};
    for (const std::string_view text :
         {"", "taxi data", "\xe6\x97\xa5\xe6\x9c\xac", "it's; [ok]"}) {
        EXPECT_TRUE(one_line.matches(text)) << text;
    }
    for (const std::string_view text : {"a\nb", "\x1b[2J", "\x7f",
                                        "\xc2\x9b"
                                        "2J",
                                        "\xe2\x80\xae"
                                        "fdp",
                                        "\xe2\x81\xa6", "\xff"}) {
        EXPECT_FALSE(one_line.matches(text)) << text;
    }
    EXPECT_NE(one_line.expression().find(R"(\u2028-\u202e)"), std::string::npos);
}

}  // namespace atl::schema
