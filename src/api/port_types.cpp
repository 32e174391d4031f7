#include "api/port_types.hpp"

#include "schema/describe.hpp"

namespace atl::api {

BOOST_DESCRIBE_STRUCT(PortPath, (), (id, port))
ATOLL_TYPE(PortPath) {
    return request("",
                   field<&T::id>("The session.", required, length(1, 128),
                                 example("s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk")),
                   field<&T::port>("Where the server listens, on 127.0.0.1 of the sandbox.",
                                   required, range(1, 65535), example(8080)));
}

BOOST_DESCRIBE_STRUCT(PortFilePath, (), (id, port, path))
ATOLL_TYPE(PortFilePath) {
    return request(
        "",
        field<&T::id>("The session.", required, length(1, 128),
                      example("s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk")),
        field<&T::port>("Where the server listens, on 127.0.0.1 of the sandbox.", required,
                        range(1, 65535), example(8080)),
        field<&T::path>("What to ask it for.", required, length(0, 8192), example("index.html")));
}

BOOST_DESCRIBE_STRUCT(ListeningPort, (), (port, href))
ATOLL_TYPE(ListeningPort) {
    return response("A port that a program in the sandbox listens on.",
                    field<&T::port>("Its number.", example(8080)),
                    field<&T::href>("Where a browser opens it: an origin of its own if the "
                                    "request came by a name that leads to one, else a path here.",
                                    example("http://8080-s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk"
                                            ".localhost:8000/")));
}

BOOST_DESCRIBE_STRUCT(PortList, (), (ports))
ATOLL_TYPE(PortList) {
    return response("What listens in a session.", field<&T::ports>("By their numbers."));
}

}  // namespace atl::api
