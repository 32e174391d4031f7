#include "models/offline/profile_code.hpp"

#include "models/offline/data.hpp"
#include "models/offline/python_text.hpp"

namespace atl::offline {

std::string columns_code(const Schema& schema, const std::string& question) {
    std::string places;
    for (const Table& table : schema.tables) {
        if (table.columns.empty() || table.width <= table.described) continue;
        places += "    (" + py(table.path) + ", " +
                  (table.sheet.empty() ? "None" : py(table.sheet)) + ", " +
                  std::to_string(table.described) + "),\n";
    }
    if (places.empty()) return "";
    return "question = " + py(question) + "\nplaces = [\n" + places + "]\n\n\n" +
           std::string(data_file("find_columns.py"));
}

std::string find_code(const Schema& schema, const std::vector<std::string>& words) {
    std::string places;
    for (const Table& table : schema.tables) {
        std::vector<std::string> names;
        for (const Column& column : table.columns) {
            if (column.is_text() && column.values.size() < column.distinct) {
                names.push_back(column.name);
            }
        }
        if (names.empty()) continue;
        places += "    (" + py(table.path) + ", " +
                  (table.sheet.empty() ? "None" : py(table.sheet)) + ", " + py(names) + "),\n";
    }
    if (places.empty()) return "";
    return "wanted = " + py(words) + "\nplaces = [\n" + places + "]\n" +
           std::string(data_file("find_values.py"));
}

std::string profile_code(const std::vector<std::string>& paths) {
    std::string code(data_file("tables.py"));
    code += "\n\n";
    code += data_file("figures.py");
    if (paths.empty()) return code + std::string(data_file("find_files.py"));
    return code + "\ndescribe_files(" + py(paths) + ")\n";
}

}  // namespace atl::offline
