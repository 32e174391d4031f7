#pragma once
// API types of contexts and their variables.
#include "guest_client/contexts.hpp"
#include "schema/json.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace atl::api {

enum class ContextLanguage { Python, Javascript };
ATOLL_DESCRIBED(ContextLanguage);

struct CreateContext {
    std::string name;
    ContextLanguage language = ContextLanguage::Python;
    std::string cwd = "/session";
};
ATOLL_DESCRIBED(CreateContext);

struct ContextView {
    std::string name;
    std::string language;
    std::string cwd;
    std::string state;
    std::int64_t runs = 0;
};
ATOLL_DESCRIBED(ContextView);
[[nodiscard]] ContextView view_of(const guest_client::Context& context);

struct ContextList {
    std::vector<ContextView> contexts;
};
ATOLL_DESCRIBED(ContextList);

struct ContextPath {
    std::string id;
    std::string context;
};
ATOLL_DESCRIBED(ContextPath);

struct InterruptContext {
    std::chrono::milliseconds grace{2000};
};
ATOLL_DESCRIBED(InterruptContext);

struct InterruptAnswer {
    bool was_running = false;
};
ATOLL_DESCRIBED(InterruptAnswer);

struct ListVariables {
    std::uint64_t offset = 0;
    std::uint32_t limit = 200;
    std::chrono::milliseconds patience{5000};
};
ATOLL_DESCRIBED(ListVariables);

struct VariableView {
    std::string name;
    std::string type;
    std::uint64_t size_bytes = 0;
    std::string preview;
    std::optional<std::vector<std::int64_t>> shape;
};
ATOLL_DESCRIBED(VariableView);

struct VariableList {
    std::vector<VariableView> variables;
    std::uint64_t total = 0;
    std::optional<std::uint64_t> next_offset;
};
ATOLL_DESCRIBED(VariableList);

}  // namespace atl::api
