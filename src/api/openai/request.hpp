#pragma once
// A request for a completion, by the rules of an API that is not ours: fields that are not known
// are ignored, because every client sends some of its own, and null is as good as absent. What is
// known is checked. What cannot be done as asked, and would show in the answer, is refused: n other
// than 1, a required call of a client's tool, JSON as the form of the answer, audio.
//
// Pure functions, for any thread. Trusts    nothing in a request.
// On failure net::Problem and schema::ValidationError, each with the name of the field.
#include "agent/conversation_keys.hpp"

#include <boost/json/object.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::api::openai {

// With the files of all messages in it.
inline constexpr std::size_t kRequestBytesMax = 20u << 20;
inline constexpr std::size_t kMessagesMax = 4000;
inline constexpr std::size_t kInstructionCharactersMax = 32'000;
inline constexpr std::size_t kAttachmentsMax = 20;

// A file in a message, as it came.
struct Attachment {
    std::string field;      // where it stands: messages[2].content[1]
    std::string name;       // what to call it
    std::string base64;     // its bytes; empty: `upload_id` names them
    std::string upload_id;  // of /upload
    std::string digest;
};

struct AskedMessage {
    agent::SaidMessage said;  // with the digests
    std::vector<Attachment> attachments;
};

// "atoll", "atoll-quiet", "atoll/gpt-5", …
struct ModelChoice {
    bool shows_code = true;
    std::string upstream;  // the model behind it; empty: the one in force

    bool operator==(const ModelChoice&) const = default;
};
inline constexpr std::string_view kModelId = "atoll";
inline constexpr std::string_view kQuietModelId = "atoll-quiet";
[[nodiscard]] std::optional<ModelChoice> model_choice(std::string_view id);
// 404 of an id that is none of ours.
[[noreturn]] void throw_no_model(std::string_view id);

struct CompletionRequest {
    std::string model_id;
    ModelChoice model;
    bool stream = false;
    bool include_usage = false;
    std::string instructions;            // of all system and developer messages
    std::vector<AskedMessage> messages;  // by turns of user and assistant; the user has the last
    std::string user;
    std::string chat;
    std::string thread;  // that shall answer; empty: found by what was said
};

using FindHeader = std::function<std::optional<std::string>(std::string_view name)>;
[[nodiscard]] CompletionRequest read_request(const boost::json::object& body,
                                             const FindHeader& header);

}  // namespace atl::api::openai
