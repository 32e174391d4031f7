#include "api/part_source.hpp"

#include "net/problem.hpp"

#include <algorithm>

namespace atl::api {

namespace asio = boost::asio;

asio::awaitable<net::MultipartParser::Step> next_form_step(net::Exchange& exchange,
                                                           net::MultipartParser& parser) {
    for (;;) {
        const auto step = parser.next().value();
        if (step != net::MultipartParser::Step::NeedMore) co_return step;
        const auto bytes = co_await exchange.read_into(parser.room());
        parser.wrote(bytes);
    }
}

asio::awaitable<std::size_t> PartSource::read(std::span<char> room) {
    if (ended_) co_return 0;
    if (rest_.empty()) {
        const auto step = co_await next_form_step(exchange_, parser_);
        if (step == net::MultipartParser::Step::PartEnd) {
            ended_ = true;
            co_return 0;
        }
        rest_ = parser_.data();
        bytes_ += rest_.size();
        if (bytes_ > bytes_max_) {
            throw net::Problem(Code::TooLarge, "a file is larger than this session may store");
        }
        disk_.take(rest_.size());
    }
    const auto piece = rest_.substr(0, room.size());
    std::copy(piece.begin(), piece.end(), room.begin());
    rest_.remove_prefix(piece.size());
    co_return piece.size();
}

}  // namespace atl::api
