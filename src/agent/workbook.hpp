#pragma once
// The names of a workbook's sheets, read without a sandbox: a model that does not know of a sheet
// does not look at it.
//
// Trusts    nothing: an .xlsx is a zip archive from a stranger. Only its directory and one small
//           part are read, each of a bounded size, unpacked to a bounded size. What is odd is no
//           workbook.
// Threads   blocks on the disk: for the thread of Uploads.
#include <string>
#include <string_view>
#include <vector>

namespace atl::agent {

// At most 50, each of at most 80 bytes; empty: it is no workbook that can be told.
[[nodiscard]] std::vector<std::string> sheets_in(int file);

// Of xl/workbook.xml.
[[nodiscard]] std::vector<std::string> sheet_names(std::string_view xml);

}  // namespace atl::agent
