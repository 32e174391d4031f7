#pragma once
// The operation file.page: one folder's entries in the order of their names, a page at a time.
//
// A folder may hold a million names, so the page is found in one walk that keeps no more than the
// page itself, a slice of it in each loop iteration. The cursor is a name, so what is made or
// removed between two pages moves nothing else.
#include "guest/lib/operation.hpp"
#include "sys/confine.hpp"

#include <memory>

namespace atl::guest {

[[nodiscard]] std::unique_ptr<Operation> begin_file_page(HostLink& link, std::uint32_t channel,
                                                         const json::object& request,
                                                         const sys::UserIdentity& user);

}  // namespace atl::guest
