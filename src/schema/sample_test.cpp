// The tables of sample.hpp; also how one would write them.
#include "schema/sample.hpp"

#include "schema/describe.hpp"
#include "schema/document.hpp"

namespace atl::sample {

BOOST_DESCRIBE_ENUM(Network, None, AllowList, Open)
ATOLL_TYPE(Network) {
    return choices("Where a session may connect.", choice<Network::None>("nowhere but to itself"),
                   choice<Network::AllowList>("to the hosts in `allow`"),
                   choice<Network::Open>("anywhere but to private addresses"));
}

BOOST_DESCRIBE_STRUCT(Limits, (), (memory_bytes_max, processes_max, cpus_max, nice))
ATOLL_TYPE(Limits) {
    return request(
        "What a session may use.",
        field<&T::memory_bytes_max>("Memory of all its processes together.",
                                    range(32 << 20, 1ull << 46), example(512 << 20)),
        field<&T::processes_max>("Processes and threads at one time.", range(4, 4'000'000)),
        field<&T::cpus_max>("Processors; 0 is all of them.", range(0, 4096), example(1.5)),
        field<&T::nice>("Larger gives way to others."));
}

BOOST_DESCRIBE_STRUCT(Mount, (), (source, target, writable))
ATOLL_TYPE(Mount) {
    return request(
        "A tree that shows inside.",
        field<&T::source>("Where it is.", required, length(1, 255), example("/srv/data")),
        field<&T::target>("Where it shows.", required, length(1, 255),
                          prefixed("/", R"(^\x00-\x1f\x7f)", "an absolute path on one line"),
                          example("/data")),
        field<&T::writable>("Whether it can be changed from inside."));
}

BOOST_DESCRIBE_STRUCT(CreateSession, (),
                      (name, template_name, limits, network, allow, environment, mounts, seed,
                       idle_time, command, metadata))
ATOLL_TYPE(CreateSession) {
    return request(
        "What a new session is made of.",
        field<&T::name>("What people call it.", required, length(1, 64), one_line(),
                        example("taxi data")),
        field<&T::template_name>(
            "The template that it starts from.", named("template"), length(1, 64),
            pattern("A-Za-z0-9_", "A-Za-z0-9._-", "letters, digits, dot, dash and underscore"),
            example("default")),
        field<&T::limits>("What it may use."),
        field<&T::network>("Where it may connect.", example("allow_list")),
        field<&T::allow>("Hosts, for the network allow_list.", items(0, 4), each(length(1, 253)),
                         example_json(R"(["example.org"])")),
        field<&T::environment>("Variables of its programs.", items(0, 3),
                               keys(length(1, 16), pattern("A-Z_", "A-Z0-9_", "capitals")),
                               each(length(0, 32)), example_json(R"({"LANG":"C.UTF-8"})")),
        field<&T::mounts>("Trees of the host that show inside.", items(0, 8)),
        field<&T::seed>("For random numbers that are the same each time.", min(-5), example(42)),
        field<&T::idle_time>("After this long without a request it is put to sleep.",
                             range(1, 86'400), example("10m")),
        field<&T::command>("A line for the shell, or a program and its arguments."),
        field<&T::metadata>("Anything; it is given back as it came.",
                            example_json(R"({"team":"blue"})")),
        rule([](const CreateSession& session, Findings& findings) {
            if (session.network != Network::AllowList && !session.allow.empty())
                findings.add("allow", "needs the network allow_list");
        }));
}

BOOST_DESCRIBE_STRUCT(Session, (), (id, network, error, children))
ATOLL_TYPE(Session) {
    return response(
        "A session as it is now.", field<&T::id>("Its name in paths.", example("ses_01hzy")),
        field<&T::network>("Where it may connect."), field<&T::error>("Why it could not start."),
        field<&T::children>("Sessions that were forked from it."));
}

BOOST_DESCRIBE_STRUCT(ListQuery, (), (limit, all, network, tag, port, wait, ratio))
ATOLL_TYPE(ListQuery) {
    return request(
        "Which sessions.", field<&T::limit>("At most this many.", range(1, 200), example(20)),
        field<&T::all>("Those of others too."), field<&T::network>("Only those with this one."),
        field<&T::tag>("Only those with all of these.", items(0, 2), each(length(1, 8))),
        field<&T::port>("Only those that listen here.", each(range(1, 65'535))),
        field<&T::wait>("Wait for a change.", max(60), example("30s")),
        field<&T::ratio>("A number.", range(0, 1)));
}

BOOST_DESCRIBE_STRUCT(SessionPath, (), (id))
ATOLL_TYPE(SessionPath) {
    return request("Which session.",
                   field<&T::id>("Its id.", required, length(1, 64), example("ses_01hzy")));
}

BOOST_DESCRIBE_STRUCT(FilePath, (), (id, path))
ATOLL_TYPE(FilePath) {
    return request(
        "Which file.",
        field<&T::id>("The session's id.", required, length(1, 64), example("ses_01hzy")),
        field<&T::path>("From the session's folder.", required, length(1, 4096),
                        example("data/taxi.csv")));
}

BOOST_DESCRIBE_STRUCT(Headers, (), (idempotency_key, last_event_id))
ATOLL_TYPE(Headers) {
    return request("Headers.",
                   field<&T::idempotency_key>("A request with the same key is carried out once.",
                                              length(1, 64), one_line(), example("7f3a")),
                   field<&T::last_event_id>("Go on behind this event.", named("Last-Event-ID")));
}

BOOST_DESCRIBE_STRUCT(UploadForm, (), (overwrite))
ATOLL_TYPE(UploadForm) {
    return request("Beside the files.", field<&T::overwrite>("Whether files may be replaced."));
}

BOOST_DESCRIBE_STRUCT(Output, (), (text))
ATOLL_TYPE(Output) {
    return response("Something that the program printed.",
                    field<&T::text>("As it came.", example("hello\n")));
}

std::string sample_document() {
    using namespace schema;
    const About about{.title = "Atoll",
                      .version = "0.1.0",
                      .description = "A safe place for agents to work.",
                      .tags = {{"Sessions", "Places to work."}, {"Files", "What is in them."}}};
    return openapi_document(
        about,
        {
            Route{.method = "GET",
                  .pattern = "/v1/sessions",
                  .id = "list_sessions",
                  .tag = "Sessions",
                  .summary = "List sessions",
                  .query = described<ListQuery>(),
                  .answers = {list_answer<Session>(200, "The newest first.")}},
            Route{.method = "POST",
                  .pattern = "/v1/sessions",
                  .id = "create_session",
                  .tag = "Sessions",
                  .summary = "Create a session",
                  .description = "It is ready to run code when this returns.",
                  .headers = described<Headers>(),
                  .bodies = {json_body<CreateSession>()},
                  .answers = {json_answer<Session>(201, "The new session.")}},
            Route{.method = "DELETE",
                  .pattern = "/v1/sessions/{id}",
                  .id = "delete_session",
                  .tag = "Sessions",
                  .summary = "Delete a session",
                  .path = described<SessionPath>(),
                  .answers = {empty_answer(204, "It is gone.")}},
            Route{.method = "GET",
                  .pattern = "/v1/sessions/{id}/events",
                  .id = "watch_session",
                  .tag = "Sessions",
                  .summary = "Watch a session",
                  .path = described<SessionPath>(),
                  .answers = {event_answer("Until it ends.",
                                           {event<Output>("output", "It printed something."),
                                            event<Session>("state", "It changed its state.")})}},
            Route{.method = "PUT",
                  .pattern = "/v1/sessions/{id}/files/{path...}",
                  .id = "write_file",
                  .tag = "Files",
                  .summary = "Write a file",
                  .path = described<FilePath>(),
                  .bodies = {bytes_body("The file's bytes.")},
                  .answers = {empty_answer(204, "Written.")}},
            Route{.method = "GET",
                  .pattern = "/v1/sessions/{id}/files/{path...}",
                  .id = "read_file",
                  .tag = "Files",
                  .summary = "Read a file",
                  .path = described<FilePath>(),
                  .answers = {bytes_answer("The file's bytes.")}},
            Route{.method = "POST",
                  .pattern = "/v1/sessions/{id}/files",
                  .id = "upload_files",
                  .tag = "Files",
                  .summary = "Upload files",
                  .path = described<SessionPath>(),
                  .bodies = {form_body<UploadForm>(
                      {{.name = "file", .description = "The files.", .several = true}})},
                  .answers = {empty_answer(204, "Written.")}},
            Route{.method = "GET",
                  .pattern = "/healthz",
                  .id = "health",
                  .tag = "Sessions",
                  .summary = "Whether the server is well",
                  .answers = {empty_answer(204, "It is.")},
                  .security = Security::None},
        });
}

}  // namespace atl::sample
