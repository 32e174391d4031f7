#pragma once
// JSON-RPC 2.0, as the Model Context Protocol uses it: text to a message, and answers to text.
//
//     read_message(body, bytes_max)  ──▶  Message {request, notification or response}
//     result_text(id, result), fault_text(fault)  ──▶  one line of JSON
//
// Pure: no I/O. Trusts nobody: a text that is no message is a Refused, which says why and carries
// the id as far as it could be read. Batches are refused: the protocol has dropped them.
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace atl::api::mcp {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kServerError = -32000;
inline constexpr int kResourceNotFound = -32002;
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kUnsupportedRevision = -32022;

struct Message {
    enum class Kind { Request, Notification, Response };
    Kind kind = Kind::Request;
    boost::json::value id;  // a string or an integer; null: a notification
    std::string method;
    boost::json::object params;
};

// An error, as JSON-RPC answers with it.
struct Fault {
    int code = kServerError;
    std::string message;
    std::optional<boost::json::value> data = std::nullopt;
    boost::json::value id = nullptr;  // of the request; null: it could not be read
};

// Thrown while a request is read or carried out; ends as the answer to it.
struct Refused : std::runtime_error {
    explicit Refused(Fault why) : std::runtime_error(why.message), fault(std::move(why)) {}
    Refused(int code, std::string message) : Refused(Fault{code, std::move(message)}) {}
    Fault fault;
};

// Throws Refused.
[[nodiscard]] Message read_message(std::string_view text, std::size_t bytes_max);

// A name for an id among those of one client: 1 and "1" are two.
[[nodiscard]] std::string key_of(const boost::json::value& id);

// A string member, or nothing.
[[nodiscard]] std::optional<std::string> text_in(const boost::json::object& from,
                                                 std::string_view key);
// A string that has to be there, of `bytes_max` at most. Throws Refused.
[[nodiscard]] std::string needed_text(const boost::json::object& from, std::string_view key,
                                      std::size_t bytes_max);

// One line each, always valid JSON.
[[nodiscard]] std::string result_text(const boost::json::value& id, boost::json::object result);
[[nodiscard]] std::string fault_text(const Fault& fault);
[[nodiscard]] std::string notification_text(std::string_view method, boost::json::object params);

}  // namespace atl::api::mcp
