#include "api/openai/types.hpp"

#include "schema/describe.hpp"

namespace atl::api::openai {

BOOST_DESCRIBE_STRUCT(ChatCompletionMessage, (), (role, content))
ATOLL_TYPE(ChatCompletionMessage) {
    return response("One message of a conversation.",
                    field<&T::role>("system, developer, user, assistant or tool."),
                    field<&T::content>("Text, or a list of parts: text, image_url with a data: "
                                       "URL, file with file_data or with the file_id of an "
                                       "upload."));
}

BOOST_DESCRIBE_STRUCT(ChatCompletionBody, (),
                      (model, messages, stream, stream_options, user, metadata))
ATOLL_TYPE(ChatCompletionBody) {
    return response(
        "A conversation whose last message is to be answered. Other fields are ignored, or "
        "refused where ignoring them would show (docs/openai.md).",
        field<&T::model>("atoll, atoll-quiet (shows no code), or either with /name for one of the "
                         "models behind it.",
                         example("atoll")),
        field<&T::messages>("All of it, the oldest first; the last is the user's.",
                            example_json(R"([{"role": "user", "content": "What is 6 * 7?"}])")),
        field<&T::stream>("Whether the answer comes in chunks."),
        field<&T::stream_options>("include_usage: true for a last chunk with the usage."),
        field<&T::user>("Who asks, as the client calls them; keeps their conversations apart."),
        field<&T::metadata>("thread_id: the thread that answers. chat_id: the client's own name "
                            "for the conversation."));
}

BOOST_DESCRIBE_STRUCT(CompletionUsage, (), (prompt_tokens, completion_tokens, total_tokens))
ATOLL_TYPE(CompletionUsage) {
    return response(
        "Of all requests to the language model that the answer took; zero where there "
        "is none.",
        field<&T::prompt_tokens>("What was sent."),
        field<&T::completion_tokens>("What it answered."), field<&T::total_tokens>("Both."));
}

BOOST_DESCRIBE_STRUCT(AnswerMessage, (), (role, content, reasoning_content))
ATOLL_TYPE(AnswerMessage) {
    return response("The answer.", field<&T::role>("assistant"),
                    field<&T::content>("Markdown, with the code that ran, what it printed, and "
                                       "links to files."),
                    field<&T::reasoning_content>("What the model thought aloud."));
}

BOOST_DESCRIBE_STRUCT(CompletionChoice, (), (index, message, finish_reason))
ATOLL_TYPE(CompletionChoice) {
    return response("The one choice.", field<&T::index>("0"), field<&T::message>("The answer."),
                    field<&T::finish_reason>("stop, length or content_filter."));
}

BOOST_DESCRIBE_STRUCT(ChatCompletion, (), (id, object, created, model, choices, usage))
ATOLL_TYPE(ChatCompletion) {
    return response("The answer to a conversation.", field<&T::id>("Of this answer."),
                    field<&T::object>("chat.completion"), field<&T::created>("Seconds since 1970."),
                    field<&T::model>("As it was asked for."), field<&T::choices>("One."),
                    field<&T::usage>("Tokens."));
}

BOOST_DESCRIBE_STRUCT(AnswerDelta, (), (role, content, reasoning_content))
ATOLL_TYPE(AnswerDelta) {
    return response("What comes to the answer.", field<&T::role>("assistant; in the first chunk."),
                    field<&T::content>("More of the answer."),
                    field<&T::reasoning_content>("More of what the model thinks aloud."));
}

BOOST_DESCRIBE_STRUCT(ChunkChoice, (), (index, delta, finish_reason))
ATOLL_TYPE(ChunkChoice) {
    return response("The one choice.", field<&T::index>("0"), field<&T::delta>("What is new."),
                    field<&T::finish_reason>("null; in the last chunk stop, length or "
                                             "content_filter."));
}

BOOST_DESCRIBE_STRUCT(ChatCompletionChunk, (), (id, object, created, model, choices, usage))
ATOLL_TYPE(ChatCompletionChunk) {
    return response("A piece of an answer.", field<&T::id>("Of the whole answer."),
                    field<&T::object>("chat.completion.chunk"),
                    field<&T::created>("Seconds since 1970."),
                    field<&T::model>("As it was asked for."),
                    field<&T::choices>("One; none in the chunk with the usage."),
                    field<&T::usage>("In the last chunk, if it was asked for."));
}

BOOST_DESCRIBE_STRUCT(ModelView, (), (id, object, created, owned_by))
ATOLL_TYPE(ModelView) {
    return response("A model that questions can be asked of.", field<&T::id>("Its name."),
                    field<&T::object>("model"),
                    field<&T::created>("When this server began to offer it, in seconds since "
                                       "1970."),
                    field<&T::owned_by>("atoll"));
}

BOOST_DESCRIBE_STRUCT(ModelList, (), (object, data))
ATOLL_TYPE(ModelList) {
    return response("All models.", field<&T::object>("list"), field<&T::data>("Each of them."));
}

BOOST_DESCRIBE_STRUCT(ModelPath, (), (id))
ATOLL_TYPE(ModelPath) {
    return request("A model.",
                   field<&T::id>("Its name.", required, length(1, 256), example("atoll")));
}

BOOST_DESCRIBE_STRUCT(CompletionHeaders, (), (x_atoll_thread, x_atoll_chat))
ATOLL_TYPE(CompletionHeaders) {
    return request(
        "Where the conversation is.",
        field<&T::x_atoll_thread>("The thread that answers, instead of the one that is "
                                  "found by what was said.",
                                  length(1, 128)),
        field<&T::x_atoll_chat>("The client's own name for the conversation.", length(1, 256)));
}

BOOST_DESCRIBE_STRUCT(FailureText, (), (message, type, param, code))
ATOLL_TYPE(FailureText) {
    return response("What went wrong.", field<&T::message>("For people."),
                    field<&T::type>("invalid_request_error, authentication_error, …"),
                    field<&T::param>("The field that is wrong, or null."),
                    field<&T::code>("For programs, or null."));
}

BOOST_DESCRIBE_STRUCT(Failure, (), (error))
ATOLL_TYPE(Failure) {
    return response("A failure, in OpenAI's form.", field<&T::error>("What went wrong."));
}

BOOST_DESCRIBE_STRUCT(LinkPath, (), (name))
ATOLL_TYPE(LinkPath) {
    return request("A file that an answer links to.",
                   field<&T::name>("What it is called; for people, the link says which it is.",
                                   required, length(1, 1024), example("chart.png")));
}

BOOST_DESCRIBE_STRUCT(LinkQuery, (), (link))
ATOLL_TYPE(LinkQuery) {
    return request("What opens it.", field<&T::link>("As it stands in the answer.", required,
                                                     length(1, 8192), example("abc.def")));
}

}  // namespace atl::api::openai
