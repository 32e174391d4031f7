#pragma once
// A conversation as the body of a request to /chat/completions.
//
// What the port allows and providers refuse is made right here: text that is no UTF-8, names that
// are no names, arguments that a model wrote and that are no JSON (chat templates parse them),
// images in the answer of a tool (they follow as the user's), images for a model that sees none
// (a note takes their place).
#include "core/chat.hpp"

#include <string>
#include <string_view>

namespace atl::openai {

struct Dialect {
    bool sees_images = false;
    bool asks_for_usage = true;           // stream_options
    bool says_completion_tokens = false;  // max_completion_tokens in place of max_tokens
};

[[nodiscard]] std::string request_body(const core::ChatRequest& request, std::string_view model,
                                       const Dialect& dialect);

// By its name, when nobody said: families of models that are known to see.
[[nodiscard]] bool name_says_it_sees(std::string_view model);

}  // namespace atl::openai
