#pragma once
// The fields of a request's JSON body, by the rules of an API that is not ours: fields that are not
// known are ignored, because every release of an SDK sends new ones, and null is as good as absent.
// What is known is checked: a wrong type or size is InvalidArgument, with the field's name.
#include "core/records.hpp"
#include "net/exchange.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace atl::api::e2b {

class Body {
public:
    // None at all is an empty one.
    [[nodiscard]] static boost::asio::awaitable<Body> read(net::Exchange& exchange);
    explicit Body(boost::json::object fields) : fields_(std::move(fields)) {}

    [[nodiscard]] std::optional<std::string> text(std::string_view name,
                                                  std::size_t bytes_max) const;
    [[nodiscard]] std::optional<bool> flag(std::string_view name) const;
    [[nodiscard]] std::optional<std::int64_t> number(std::string_view name, std::int64_t least,
                                                     std::int64_t most) const;
    [[nodiscard]] std::map<std::string, std::string> texts(std::string_view name,
                                                           std::size_t count_max,
                                                           std::size_t name_bytes_max,
                                                           std::size_t bytes_max) const;
    [[nodiscard]] std::optional<Body> object(std::string_view name) const;
    // The same for bodies that say the same.
    [[nodiscard]] core::Sha256 digest() const;
    // Whether it is there and says anything: not null, false, or empty.
    [[nodiscard]] bool says(std::string_view name) const;

private:
    [[nodiscard]] const boost::json::value* find(std::string_view name) const;
    boost::json::object fields_;
};

}  // namespace atl::api::e2b
