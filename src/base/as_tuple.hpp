#pragma once
// The completion token of waits that are ended by cancelling them: the error is a value, because a
// cancelled timer signals a condition here, not a failure.
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace atl {

inline constexpr auto kAsTuple = boost::asio::as_tuple(boost::asio::use_awaitable);

}  // namespace atl
