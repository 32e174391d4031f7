#pragma once
// The completion token of waits that are ended by cancelling them: the error is a value, since a
// cancelled timer is how a condition is signalled here and no failure.
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace atl {

inline constexpr auto kAsTuple = boost::asio::as_tuple(boost::asio::use_awaitable);

}  // namespace atl
