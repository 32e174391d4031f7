#include "api/model_types.hpp"

#include "schema/describe.hpp"

namespace atl::api {

namespace {

constexpr const char* kModelUrlExample = "http://127.0.0.1:11434/v1";
constexpr const char* kModelExample = "qwen3:8b";

}  // namespace

BOOST_DESCRIBE_STRUCT(ModelSettingsView, (),
                      (provider, base_url, model, has_key, address_from, model_from,
                       questions_may_choose))
ATOLL_TYPE(ModelSettingsView) {
    return response(
        "Which model answers, and who decided that. The key is never shown.",
        field<&T::provider>("openai: a model behind an OpenAI-compatible API; offline: none, the "
                            "built-in analyst answers.",
                            example("openai")),
        field<&T::base_url>("Where its API is; empty: there is none.", example(kModelUrlExample)),
        field<&T::model>("The model that answers; empty: there is none.", example(kModelExample)),
        field<&T::has_key>("A key is sent to it."),
        field<&T::address_from>("Where the server's own settings have the address and the key "
                                "from, which cannot be changed here then; empty: nowhere.",
                                example("environment: OPENAI_BASE_URL")),
        field<&T::model_from>("The same of the model."),
        field<&T::questions_may_choose>("A question may name another model of this API."));
}

BOOST_DESCRIBE_STRUCT(PatchModelSettings, (), (base_url, key, model, questions_may_choose))
ATOLL_TYPE(PatchModelSettings) {
    return request(
        "What is to change; what is left out stays.",
        field<&T::base_url>("Where the API is. Another address drops the key and the model of the "
                            "one before; empty: none, the built-in analyst answers.",
                            length(0, 2048), example(kModelUrlExample)),
        field<&T::key>("For that address; kept by the server, never shown. Empty: none.",
                       length(0, 4096)),
        field<&T::model>("Which of its models answers.", length(0, 200), one_line(),
                         example(kModelExample)),
        field<&T::questions_may_choose>("Whether a question may name another one."));
}

BOOST_DESCRIBE_STRUCT(AvailableModels, (), (model, models, questions_may_choose))
ATOLL_TYPE(AvailableModels) {
    return response("Models that questions can be asked of.",
                    field<&T::model>("The one that answers unless a question names another; empty: "
                                     "the built-in analyst.",
                                     example(kModelExample)),
                    field<&T::models>("What the API of the model lists, in its order."),
                    field<&T::questions_may_choose>("A question may name one of them."));
}

BOOST_DESCRIBE_STRUCT(ProbeModels, (), (base_url))
ATOLL_TYPE(ProbeModels) {
    return request("Where to look.",
                   field<&T::base_url>("An address on loopback; left out: the usual ports of "
                                       "Ollama, LM Studio, llama.cpp and vLLM.",
                                       length(1, 2048), example(kModelUrlExample)));
}

BOOST_DESCRIBE_STRUCT(LocalModelServer, (), (name, base_url, models))
ATOLL_TYPE(LocalModelServer) {
    return response("A program on the server's machine that has models.",
                    field<&T::name>("Which one, by its port; empty: not known.", example("Ollama")),
                    field<&T::base_url>("For base_url.", example(kModelUrlExample)),
                    field<&T::models>("What it lists."));
}

BOOST_DESCRIBE_STRUCT(LocalModelServers, (), (servers))
ATOLL_TYPE(LocalModelServers) {
    return response("What was found.", field<&T::servers>("Those that answered."));
}

ModelSettingsView view_of(const agent::ModelState& state) {
    ModelSettingsView view;
    view.provider = state.offline ? core::kOffline : "openai";
    view.base_url = state.base_url;
    view.model = state.model;
    view.has_key = state.has_key;
    view.address_from = state.address_from;
    view.model_from = state.model_from;
    view.questions_may_choose = state.questions_may_choose;
    return view;
}

LocalModelServer view_of(const core::LocalProvider& provider) {
    return {provider.name, provider.base_url, provider.models};
}

}  // namespace atl::api
