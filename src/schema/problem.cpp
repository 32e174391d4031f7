#include "schema/problem.hpp"

#include "schema/describe.hpp"

namespace atl::schema {

BOOST_DESCRIBE_STRUCT(Issue, (), (path, message))
ATOLL_TYPE(Issue) {
    return response(
        "One thing that is wrong with a request.",
        field<&T::path>("Where in the request; empty when all of it is meant.",
                        example("limits.memory_bytes_max")),
        field<&T::message>("What is wrong with it.", example("must be at least 33554432, not 5")));
}

BOOST_DESCRIBE_STRUCT(Problem, (), (type, title, status, code, detail, request_id, errors))
ATOLL_TYPE(Problem) {
    return response(
        "Why a request failed (RFC 9457).",
        field<&T::type>("A page about this kind of problem, or about:blank.",
                        format("uri-reference"), example("about:blank")),
        field<&T::title>("The status in words.", example("Bad Request")),
        field<&T::status>("The HTTP status once more.", range(400, 599), example(400)),
        field<&T::code>("What a program can do about it.", example("invalid_argument")),
        field<&T::detail>("What happened, from intent down to cause.",
                          example("limits.memory_bytes_max: must be at least 33554432, not 5")),
        field<&T::request_id>("Name this one when asking for help.", example("req_01hzy")),
        field<&T::errors>("Every finding, for a request that was not valid."));
}

}  // namespace atl::schema
