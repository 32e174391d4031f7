#pragma once
// From a table to JSON Schema 2020-12, the dialect of OpenAPI 3.1. Inside of the document's writer.
//
// Owns      the list of named types met so far; throws std::logic_error on two of one name, and on
//           an example that its own field would refuse.
#include "schema/type.hpp"

#include <boost/json/object.hpp>
#include <map>
#include <string>

namespace atl::schema {

class SchemaWriter {
public:
    // A reference for what has a name (which is then noted), else the schema itself.
    boost::json::object use(const Type& type, const Notes& notes);
    // A field of `owner`, with its default and its example.
    boost::json::object use(const Type& owner, const Field& field);
    // The schema of a struct or an enum, spelled out.
    boost::json::object definition(const Type& type);
    // All types noted so far, with all that they mention in turn.
    boost::json::object definitions();

    [[nodiscard]] static bool is_required(const Type& owner, const Field& field);

private:
    void spell(const Type& type, const Notes& notes, boost::json::object& out);

    std::map<std::string, const Type*, std::less<>> named_;
};

}  // namespace atl::schema
