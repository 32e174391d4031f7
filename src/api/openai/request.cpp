#include "api/openai/request.hpp"

#include "api/openai/errors.hpp"
#include "base/utf8.hpp"
#include "schema/validation.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <utility>

namespace atl::api::openai {

namespace json = boost::json;
using By = agent::SaidMessage::By;

namespace {

constexpr std::size_t kNameBytesMax = 256;  // of a model, a user, a chat, a file
constexpr std::size_t kPartsMax = 1000;     // of one message

[[noreturn]] void wrong(const std::string& field, std::string what) {
    throw schema::ValidationError({{field, std::move(what)}});
}

// Absent, or null.
const json::value* find(const json::object& in, std::string_view name) {
    const auto* value = in.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

std::string text_of(const json::value& value, const std::string& field,
                    std::size_t bytes_max = kNameBytesMax) {
    if (!value.is_string()) wrong(field, "must be a string");
    const std::string_view text = value.get_string();
    if (text.size() > bytes_max) {
        wrong(field, "has at most " + std::to_string(bytes_max) + " bytes");
    }
    return std::string(text);
}

std::string text_in(const json::object& in, std::string_view name, const std::string& field) {
    const auto* value = find(in, name);
    return value == nullptr ? std::string() : text_of(*value, field);
}

bool flag_in(const json::object& in, std::string_view name, const std::string& field) {
    const auto* value = find(in, name);
    if (value == nullptr) return false;
    if (!value->is_bool()) wrong(field, "must be true or false");
    return value->get_bool();
}

const json::object* object_in(const json::object& in, std::string_view name,
                              const std::string& field) {
    const auto* value = find(in, name);
    if (value == nullptr) return nullptr;
    if (!value->is_object()) wrong(field, "must be an object");
    return &value->get_object();
}

std::string_view ending_of(std::string_view media_type) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kEndings{{
        {"image/png", ".png"},
        {"image/jpeg", ".jpg"},
        {"image/gif", ".gif"},
        {"image/webp", ".webp"},
        {"image/svg+xml", ".svg"},
        {"image/bmp", ".bmp"},
        {"application/pdf", ".pdf"},
        {"text/csv", ".csv"},
        {"text/plain", ".txt"},
        {"application/json", ".json"},
        {"application/zip", ".zip"},
        {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx"},
    }};
    for (const auto& [type, ending] : kEndings) {
        if (media_type == type) return ending;
    }
    return ".bin";
}

// "data:image/png;base64,…", or bare base64 where that may stand.
void read_data(Attachment& into, std::string_view text, bool may_be_bare, std::string_view kind) {
    std::string_view media_type;
    std::string_view bytes = text;
    if (text.starts_with("data:")) {
        const auto comma = text.find(',');
        if (comma == std::string_view::npos || !text.substr(0, comma).ends_with(";base64")) {
            wrong(into.field, "a data: URL must have its bytes in base64");
        }
        const auto head = text.substr(5, comma - 5);
        media_type = head.substr(0, head.find(';'));
        bytes = text.substr(comma + 1);
    } else if (!may_be_bare) {
        wrong(into.field,
              "this server fetches nothing from other addresses: send the file itself, "
              "as a data: URL");
    }
    if (bytes.empty()) wrong(into.field, "the file is empty");
    into.digest = agent::sha256_hex(text);
    into.base64 = std::string(bytes);
    if (into.name.empty()) {
        into.name = std::string(kind) + "-" + into.digest.substr(0, 8);
        into.name += ending_of(media_type);
    }
}

class Reader {
public:
    Reader(const json::object& body, const FindHeader& header) : body_(body), header_(header) {}

    CompletionRequest read() {
        if (find(body_, "model") == nullptr) wrong("model", "is missing");
        request_.model_id = text_in(body_, "model", "model");
        const auto model = model_choice(request_.model_id);
        if (!model) throw_no_model(request_.model_id);
        request_.model = *model;
        request_.stream = flag_in(body_, "stream", "stream");
        if (const auto* options = object_in(body_, "stream_options", "stream_options")) {
            request_.include_usage =
                flag_in(*options, "include_usage", "stream_options.include_usage");
        }
        refuse_what_is_not_done();
        read_names();
        read_messages();
        return std::move(request_);
    }

private:
    void refuse_what_is_not_done() const {
        if (const auto* n = find(body_, "n")) {
            json::error_code failed;
            if (n->to_number<std::int64_t>(failed) != 1 || failed) {
                throw refused(Code::InvalidArgument, "n must be 1: there is one answer", "n",
                              "unsupported_value");
            }
        }
        for (const char* name : {"tool_choice", "function_call"}) {
            const auto* choice = find(body_, name);
            if (choice == nullptr) continue;
            const bool free = choice->is_string() &&
                              (choice->get_string() == "auto" || choice->get_string() == "none");
            if (free) continue;
            throw refused(Code::InvalidArgument,
                          "the agent calls its own tools and never those of a client; leave this "
                          "out, or say auto",
                          name, "unsupported_value");
        }
        if (const auto* form = object_in(body_, "response_format", "response_format")) {
            const auto* type = find(*form, "type");
            if (type != nullptr && (!type->is_string() || type->get_string() != "text")) {
                throw refused(Code::InvalidArgument,
                              "answers are Markdown; another response_format cannot be promised",
                              "response_format", "unsupported_value");
            }
        }
        if (const auto* modalities = find(body_, "modalities")) {
            const auto* list = modalities->if_array();
            const bool text = list != nullptr && list->size() == 1 && list->front().is_string() &&
                              list->front().get_string() == "text";
            if (!text) {
                throw refused(Code::InvalidArgument, "answers are text and nothing else",
                              "modalities", "unsupported_value");
            }
        }
    }

    std::string header_text(std::string_view name) const {
        auto value = header_(name).value_or("");
        if (value.size() > kNameBytesMax || !is_utf8(value)) {
            wrong(std::string(name),
                  "has at most " + std::to_string(kNameBytesMax) + " bytes of UTF-8");
        }
        return value;
    }

    void read_names() {
        // Clients put many things into it; two are ours.
        const auto* metadata = find(body_, "metadata");
        const json::object none;
        const auto& more =
            metadata != nullptr && metadata->is_object() ? metadata->get_object() : none;
        request_.thread = header_text("X-Atoll-Thread");
        if (request_.thread.empty()) {
            request_.thread = text_in(more, "thread_id", "metadata.thread_id");
        }
        request_.chat = header_text("X-Atoll-Chat");
        if (request_.chat.empty()) request_.chat = header_text("X-OpenWebUI-Chat-Id");
        if (request_.chat.empty()) request_.chat = text_in(more, "chat_id", "metadata.chat_id");
        request_.user = text_in(body_, "user", "user");
        if (request_.user.empty()) request_.user = header_text("X-OpenWebUI-User-Id");
    }

    void read_messages() {
        const auto* all = find(body_, "messages");
        if (all == nullptr) wrong("messages", "is missing");
        if (!all->is_array()) wrong("messages", "must be a list");
        const auto& list = all->get_array();
        if (list.empty()) wrong("messages", "is empty");
        if (list.size() > kMessagesMax) {
            wrong("messages", "are more than " + std::to_string(kMessagesMax));
        }
        for (std::size_t i = 0; i < list.size(); ++i) {
            read_message(list[i], "messages[" + std::to_string(i) + "]");
        }
        if (request_.messages.empty() || request_.messages.back().said.by != By::User) {
            wrong("messages", "must end with a message of the user");
        }
        const auto& question = request_.messages.back();
        if (question.said.text.empty() && question.attachments.empty()) {
            wrong("messages[" + std::to_string(list.size() - 1) + "].content", "is empty");
        }
        if (question.attachments.size() > kAttachmentsMax) {
            wrong("messages[" + std::to_string(list.size() - 1) + "].content",
                  "has more than " + std::to_string(kAttachmentsMax) + " files");
        }
    }

    void read_message(const json::value& value, const std::string& field) {
        if (!value.is_object()) wrong(field, "must be an object");
        const auto& message = value.get_object();
        const auto role = text_in(message, "role", field + ".role");
        AskedMessage read;
        read_content(read, message, field + ".content");
        if (role == "system" || role == "developer") {
            if (read.said.text.empty()) return;
            auto& all = request_.instructions;
            all += (all.empty() ? "" : "\n\n") + read.said.text;
            if (count_characters(all) > kInstructionCharactersMax) {
                wrong(field + ".content", "system messages have at most " +
                                              std::to_string(kInstructionCharactersMax) +
                                              " characters together");
            }
            return;
        }
        if (role == "user") {
            read.said.by = By::User;
        } else if (role == "assistant") {
            read.said.by = By::Assistant;
        } else if (role == "tool" || role == "function") {
            // Of a conversation with another model, which called a tool of the client.
            read.said.by = By::Assistant;
            read.said.text = "[A tool of the client answered:]\n" + read.said.text;
        } else {
            wrong(field + ".role", "must be system, developer, user, assistant or tool, not " +
                                       schema::quoted(role));
        }
        append(std::move(read));
    }

    // Of what one says in several messages, one.
    void append(AskedMessage read) {
        auto& all = request_.messages;
        if (all.empty() || !agent::merge(all.back().said, read.said)) {
            all.push_back(std::move(read));
            return;
        }
        std::move(read.attachments.begin(), read.attachments.end(),
                  std::back_inserter(all.back().attachments));
    }

    void read_content(AskedMessage& into, const json::object& message, const std::string& field) {
        const auto* content = find(message, "content");
        if (content == nullptr) return;  // an assistant's that called tools
        if (content->is_string()) {
            into.said.text = std::string(content->get_string());
            return;
        }
        if (!content->is_array()) wrong(field, "must be a string or a list of parts");
        const auto& parts = content->get_array();
        if (parts.size() > kPartsMax) {
            wrong(field, "has more than " + std::to_string(kPartsMax) + " parts");
        }
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::string part = field + "[" + std::to_string(i) + "]";
            if (!parts[i].is_object()) wrong(part, "must be an object");
            read_part(into, parts[i].get_object(), part);
        }
    }

    static void read_part(AskedMessage& into, const json::object& part, const std::string& field) {
        const auto type = text_in(part, "type", field + ".type");
        if (type == "text" || type == "refusal") {
            const auto* text = find(part, type);
            if (text == nullptr) wrong(field + "." + type, "is missing");
            auto& all = into.said.text;
            if (!all.empty()) all += "\n\n";
            all += text_of(*text, field + "." + type, kRequestBytesMax);
            return;
        }
        Attachment attachment;
        attachment.field = field;
        if (type == "image_url") {
            const auto* image = find(part, "image_url");
            if (image != nullptr && image->is_object()) {
                image = find(image->get_object(), "url");
            }
            if (image == nullptr) wrong(field + ".image_url.url", "is missing");
            const auto url = text_of(*image, field + ".image_url.url", kRequestBytesMax);
            read_data(attachment, url, false, "image");
        } else if (type == "file") {
            const auto* file = object_in(part, "file", field + ".file");
            if (file == nullptr) wrong(field + ".file", "is missing");
            attachment.name = text_in(*file, "filename", field + ".file.filename");
            if (const auto* data = find(*file, "file_data")) {
                const auto text = text_of(*data, field + ".file.file_data", kRequestBytesMax);
                read_data(attachment, text, true, "file");
            } else {
                attachment.upload_id = text_in(*file, "file_id", field + ".file.file_id");
                if (attachment.upload_id.empty()) {
                    wrong(field + ".file", "has neither file_data nor file_id");
                }
                attachment.digest = "upload " + attachment.upload_id;
            }
        } else {
            wrong(field + ".type", "must be text, image_url or file, not " + schema::quoted(type));
        }
        into.said.attachments.push_back(attachment.digest);
        into.attachments.push_back(std::move(attachment));
    }

    const json::object& body_;
    const FindHeader& header_;
    CompletionRequest request_;
};

}  // namespace

std::optional<ModelChoice> model_choice(std::string_view id) {
    for (const bool shows_code : {true, false}) {
        const auto name = shows_code ? kModelId : kQuietModelId;
        if (id == name) return ModelChoice{shows_code, ""};
        if (id.size() > name.size() + 1 && id.starts_with(name) && id[name.size()] == '/') {
            return ModelChoice{shows_code, std::string(id.substr(name.size() + 1))};
        }
    }
    return std::nullopt;
}

void throw_no_model(std::string_view id) {
    throw refused(Code::NotFound,
                  "there is no model " + schema::quoted(id) +
                      "; GET /v1/models lists those that there are, of which the first is atoll",
                  "model", "model_not_found");
}

CompletionRequest read_request(const json::object& body, const FindHeader& header) {
    return Reader(body, header).read();
}

}  // namespace atl::api::openai
