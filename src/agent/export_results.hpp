#pragma once
// What runs showed besides images, as outputs of a notebook's cells: charts of plotly and altair,
// which JupyterLab draws, and formulas.
//
// Bounded   in bytes together; what is over that is named by the text of its cell, as all of it is.
// Trusts    nothing: a chart that would load something of elsewhere (a map, an image, data at an
//           address) is left out, and so is HTML. Of a chart stays what is known to draw: no
//           buttons that change it, no options of whoever shows it, no links or pictures of points.
//           A link in a text stays; nobody follows it without a click. Formatted text comes as it
//           was written.
#include "agent/message_details.hpp"

#include <boost/json/object.hpp>
#include <cstddef>
#include <vector>

namespace atl::agent {

class ExportResults {
public:
    // Each a bundle of types, for `data` of an output.
    [[nodiscard]] std::vector<boost::json::object> of(const RunNote& run);

private:
    std::size_t bytes_left_ = 12u << 20;
};

}  // namespace atl::agent
