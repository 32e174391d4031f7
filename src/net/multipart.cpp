#include "net/multipart.hpp"

#include "net/headers.hpp"
#include "net/target.hpp"

#include <algorithm>
#include <cstring>

namespace atl::net {

namespace {

constexpr std::size_t kBufferBytes = 128 * 1024;
constexpr std::size_t kPartHeadBytesMax = 16 * 1024;
constexpr std::size_t kBoundaryBytesMax = 70;  // RFC 2046

Error broken(const std::string& what) {
    return {Code::InvalidArgument, "the multipart body " + what};
}

// One `; name=value` of a header, quoted or not; `rest` loses it. Nothing at the end.
struct Parameter {
    std::string name;
    std::string value;
};
Result<std::optional<Parameter>> next_parameter(std::string_view& rest) {
    rest = trimmed(rest);
    while (!rest.empty() && rest.front() == ';') rest = trimmed(rest.substr(1));
    if (rest.empty()) return std::optional<Parameter>();
    const auto equals = rest.find('=');
    if (equals == std::string_view::npos) return broken("has a header that cannot be read");
    Parameter parameter{std::string(trimmed(rest.substr(0, equals))), {}};
    if (!is_token(parameter.name)) return broken("has a header that cannot be read");
    rest = trimmed(rest.substr(equals + 1));
    if (rest.empty() || rest.front() != '"') {
        const auto end = std::min(rest.find(';'), rest.size());
        parameter.value = trimmed(rest.substr(0, end));
        rest.remove_prefix(end);
        return std::optional<Parameter>(std::move(parameter));
    }
    for (std::size_t i = 1; i < rest.size(); ++i) {
        // Browsers write quotes and line breaks of a name in percent and leave a backslash alone;
        // others escape with it. Both are read, and a lone backslash is a character like others.
        const bool escaped =
            rest[i] == '\\' && i + 1 < rest.size() && (rest[i + 1] == '"' || rest[i + 1] == '\\');
        if (escaped) {
            parameter.value.push_back(rest[++i]);
        } else if (rest[i] == '"') {
            rest.remove_prefix(i + 1);
            return std::optional<Parameter>(std::move(parameter));
        } else {
            parameter.value.push_back(rest[i]);
        }
    }
    return broken("has an unterminated quote");
}

std::string without_form_escapes(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto three = text.substr(i, 3);
        const char found = same_ignoring_case(three, "%22")   ? '"'
                           : same_ignoring_case(three, "%0d") ? '\r'
                           : same_ignoring_case(three, "%0a") ? '\n'
                                                              : '\0';
        plain.push_back(found != '\0' ? found : text[i]);
        if (found != '\0') i += 2;
    }
    return plain;
}

Result<void> read_disposition(std::string_view value, MultipartParser::Part& part) {
    const auto end = std::min(value.find(';'), value.size());
    if (!same_ignoring_case(trimmed(value.substr(0, end)), "form-data")) {
        return broken("has a part that is no form-data");
    }
    value.remove_prefix(end);
    bool named = false;
    for (;;) {
        auto parameter = next_parameter(value);
        if (!parameter) return parameter.error();
        if (!parameter->has_value()) break;
        auto& [name, text] = **parameter;
        if (same_ignoring_case(name, "name")) {
            part.name = without_form_escapes(text);
            named = true;
        } else if (same_ignoring_case(name, "filename")) {
            part.filename = without_form_escapes(text);
        } else if (same_ignoring_case(name, "filename*")) {
            const auto quote = text.find("''");
            if (quote == std::string::npos) return broken("has a filename* that cannot be read");
            auto decoded = percent_decoded(std::string_view(text).substr(quote + 2));
            if (!decoded) return broken("has a filename* that cannot be read");
            part.filename = std::move(*decoded);
        }
    }
    if (!named) return broken("has a part without a name");
    return {};
}

}  // namespace

Result<std::string> boundary_of(std::string_view content_type) {
    const auto end = std::min(content_type.find(';'), content_type.size());
    if (!same_ignoring_case(trimmed(content_type.substr(0, end)), "multipart/form-data")) {
        return Error{Code::InvalidArgument, "the body must be multipart/form-data"};
    }
    content_type.remove_prefix(end);
    for (;;) {
        auto parameter = next_parameter(content_type);
        if (!parameter) return parameter.error();
        if (!parameter->has_value()) break;
        if (!same_ignoring_case((*parameter)->name, "boundary")) continue;
        const auto& boundary = (*parameter)->value;
        const bool sane = !boundary.empty() && boundary.size() <= kBoundaryBytesMax &&
                          boundary.back() != ' ' &&
                          std::all_of(boundary.begin(), boundary.end(),
                                      [](char c) { return c >= ' ' && c < '\x7f'; });
        if (!sane) return broken("has a boundary that cannot be used");
        return boundary;
    }
    return broken("names no boundary");
}

MultipartParser::MultipartParser(const std::string& boundary, std::size_t parts_max)
    : delimiter_("\r\n--" + boundary), parts_max_(parts_max), buffer_("\r\n"), end_(2) {
    // The line break that the first boundary may do without is there already.
}

std::span<char> MultipartParser::room() {
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
        data_ = {};
    }
    if (buffer_.size() < kBufferBytes) buffer_.resize(kBufferBytes);
    return {buffer_.data() + end_, buffer_.size() - end_};
}

void MultipartParser::wrote(std::size_t bytes) noexcept {
    end_ += bytes;
    ended_ = bytes == 0;
}

Result<MultipartParser::Step> MultipartParser::need_more(const char* what) const {
    if (ended_) return broken(what);
    return Step::NeedMore;
}

Result<MultipartParser::Step> MultipartParser::next() {
    constexpr const char* kTooSoon = "ends before its last boundary";
    if (state_ == State::Preamble) {
        const auto found = held().find(delimiter_);
        if (found == std::string_view::npos) {
            begin_ = end_ - std::min(held().size(), delimiter_.size() - 1);
            return need_more(kTooSoon);
        }
        begin_ += found + delimiter_.size();
        state_ = State::AfterBoundary;
    }
    if (state_ == State::AfterBoundary) {
        const auto line = held().find_first_not_of(" \t");
        const auto rest = line == std::string_view::npos ? std::string_view() : held().substr(line);
        if (held().size() > kPartHeadBytesMax && rest.size() < 2)
            return broken("has an endless line");
        if (rest.size() < 2) return need_more(kTooSoon);
        if (rest.substr(0, 2) == "--" && line == 0) {
            state_ = State::Done;
        } else if (rest.substr(0, 2) == "\r\n") {
            begin_ += line;  // the break stays: the head's first line may be empty
            if (++parts_ > parts_max_) {
                return Error{Code::TooLarge, "the multipart body has more than " +
                                                 std::to_string(parts_max_) + " parts"};
            }
            state_ = State::Head;
        } else {
            return broken("has something behind a boundary");
        }
    }
    if (state_ == State::Head) return read_head();
    if (state_ == State::Body) return read_body();
    // What follows the last boundary is nobody's; it is read so that the connection can go on.
    begin_ = end_;
    return ended_ ? Step::End : Step::NeedMore;
}

Result<MultipartParser::Step> MultipartParser::read_head() {
    const auto end = held().find("\r\n\r\n");
    if (end == std::string_view::npos || end > kPartHeadBytesMax) {
        if (held().size() > kPartHeadBytesMax) return broken("has a part whose head is too long");
        return need_more("ends in the head of a part");
    }
    std::string_view head = held().substr(0, end);
    part_ = Part{};
    bool placed = false;
    while (!head.empty()) {
        head.remove_prefix(2);  // each line has its break before it
        const auto line_end = std::min(head.find("\r\n"), head.size());
        const auto line = head.substr(0, line_end);
        head.remove_prefix(line_end);
        const auto colon = line.find(':');
        if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
            return broken("has a header that cannot be read");
        }
        const auto name = line.substr(0, colon);
        const auto value = trimmed(line.substr(colon + 1));
        if (same_ignoring_case(name, "Content-Disposition")) {
            if (placed) return broken("has a part with two names");
            if (auto read = read_disposition(value, part_); !read) return read.error();
            placed = true;
        } else if (same_ignoring_case(name, "Content-Type")) {
            part_.content_type = value;
        } else if (same_ignoring_case(name, "Content-Transfer-Encoding") &&
                   !same_ignoring_case(value, "binary") && !same_ignoring_case(value, "8bit") &&
                   !same_ignoring_case(value, "7bit")) {
            return broken("has a part in an encoding that forms do not use");
        }
    }
    if (!placed) return broken("has a part without a name");
    begin_ += end + 4;
    state_ = State::Body;
    return Step::Part;
}

Result<MultipartParser::Step> MultipartParser::read_body() {
    const auto found = held().find(delimiter_);
    if (found == 0) {
        begin_ += delimiter_.size();
        state_ = State::AfterBoundary;
        data_ = {};
        return Step::PartEnd;
    }
    // What could be the beginning of a delimiter is kept until more is there.
    const auto sure = found != std::string_view::npos      ? found
                      : held().size() >= delimiter_.size() ? held().size() - (delimiter_.size() - 1)
                                                           : 0;
    if (sure == 0) return need_more("ends in the middle of a part");
    data_ = held().substr(0, sure);
    begin_ += sure;
    return Step::Data;
}

}  // namespace atl::net
