#pragma once
// What went wrong at a provider, in words for the person who asked, and whether asking again may
// help. Providers say it in many ways: a status, an error object in one of several shapes, a page
// of HTML from some proxy, an error in the middle of a stream.
//
// Trusts    nothing of it: what is quoted is cut, made plain text, and never holds the key.
#include "base/result.hpp"

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

namespace atl::openai {

// Where was asked, for sentences.
struct ModelAddress {
    std::string origin;
    std::string model;
    std::string key;           // to be kept out of sentences
    bool chosen_here = false;  // on the settings page, not by the server's settings
};

struct Trouble {
    Error error;
    bool may_pass = false;  // asking again may help
};

// An answer with another status than 2xx.
[[nodiscard]] Trouble trouble_of_status(int status, std::string_view body,
                                        const ModelAddress& address);
// An error object, or its text, where an answer should be.
[[nodiscard]] Trouble trouble_of_object(const boost::json::value& error,
                                        const ModelAddress& address);
// Something else than an answer.
[[nodiscard]] Trouble no_answer(std::string_view what_came, const ModelAddress& address);

// The provider's own words, made safe: one line, at most 300 bytes, without the key. Empty when it
// has none (HTML counts as none).
[[nodiscard]] std::string words_of(std::string_view body, const ModelAddress& address);

}  // namespace atl::openai
