#include "api/context_types.hpp"

#include "schema/describe.hpp"

namespace atl::api {

ContextView view_of(const guest_client::Context& context) {
    return {context.name, context.language, context.directory, context.idle ? "idle" : "running",
            context.runs};
}

BOOST_DESCRIBE_ENUM(ContextLanguage, Python, Javascript)
ATOLL_TYPE(ContextLanguage) {
    return choices("What a kernel runs.", choice<ContextLanguage::Python>("Python"),
                   choice<ContextLanguage::Javascript>("JavaScript and TypeScript"));
}

BOOST_DESCRIBE_STRUCT(CreateContext, (), (name, language, cwd))
ATOLL_TYPE(CreateContext) {
    return request("A new context: a kernel of its own, with variables of its own.",
                   field<&T::name>("What runs call it.", required, length(1, 100),
                                   pattern("A-Za-z0-9._-", "A-Za-z0-9._-",
                                           "letters, digits, dot, dash and underscore"),
                                   example("analysis")),
                   field<&T::language>("What it runs."),
                   field<&T::cwd>("The directory that it starts in.", length(1, 4096), one_line()));
}

BOOST_DESCRIBE_STRUCT(ContextView, (), (name, language, cwd, state, runs))
ATOLL_TYPE(ContextView) {
    return response("A context.", field<&T::name>("Its name."),
                    field<&T::language>("python or javascript.", example("python")),
                    field<&T::cwd>("The directory that it started in."),
                    field<&T::state>("idle or running.", example("idle")),
                    field<&T::runs>("How many runs it has seen."));
}

BOOST_DESCRIBE_STRUCT(ContextList, (), (contexts))
ATOLL_TYPE(ContextList) {
    return response("A session's contexts.", field<&T::contexts>("All of them, at most 64."));
}

BOOST_DESCRIBE_STRUCT(ContextPath, (), (id, context))
ATOLL_TYPE(ContextPath) {
    return request("",
                   field<&T::id>("The session.", required, length(1, 128),
                                 example("s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk")),
                   field<&T::context>("The context's name.", required, length(1, 128), one_line(),
                                      example("default")));
}

BOOST_DESCRIBE_STRUCT(InterruptContext, (), (grace))
ATOLL_TYPE(InterruptContext) {
    return request("How long to be patient.",
                   field<&T::grace>("What has not stopped by then is ended with its kernel, and "
                                    "its variables are lost.",
                                    range(0, 60), example("2s")));
}

BOOST_DESCRIBE_STRUCT(InterruptAnswer, (), (was_running))
ATOLL_TYPE(InterruptAnswer) {
    return response("What there was to interrupt.",
                    field<&T::was_running>("Something ran. Its own answer tells how it ended."));
}

BOOST_DESCRIBE_STRUCT(ListVariables, (), (offset, limit, patience))
ATOLL_TYPE(ListVariables) {
    return request("", field<&T::offset>("How many to leave out.", range(0, 1u << 30)),
                   field<&T::limit>("How many at most.", range(1, 500)),
                   field<&T::patience>("How long to wait for a context that is running something.",
                                       range(0, 60)));
}

BOOST_DESCRIBE_STRUCT(VariableView, (), (name, type, size_bytes, preview, shape))
ATOLL_TYPE(VariableView) {
    return response("A variable.", field<&T::name>("Its name."),
                    field<&T::type>("Its type, with the module.", example("pandas.DataFrame")),
                    field<&T::size_bytes>("Of the object, without what it refers to."),
                    field<&T::preview>("Some of it, made without running the user's code."),
                    field<&T::shape>("Of an array or a frame."));
}

BOOST_DESCRIBE_STRUCT(VariableList, (), (variables, total, next_offset))
ATOLL_TYPE(VariableList) {
    return response(
        "Variables: of Python in the order in which they came to be, of JavaScript by name.",
        field<&T::variables>("This page."), field<&T::total>("How many there are."),
        field<&T::next_offset>("For the next page; left out at the end."));
}

}  // namespace atl::api
