#pragma once
// API types of models. A key is accepted and never returned.
#include "agent/models.hpp"
#include "core/chat_provider.hpp"
#include "schema/json.hpp"

#include <optional>
#include <string>
#include <vector>

namespace atl::api {

struct ModelSettingsView {
    std::string provider;
    std::string base_url;
    std::string model;
    bool has_key = false;
    std::string address_from;
    std::string model_from;
    bool questions_may_choose = true;
};
ATOLL_DESCRIBED(ModelSettingsView);

struct PatchModelSettings {
    std::optional<std::string> base_url;
    std::optional<std::string> key;
    std::optional<std::string> model;
    std::optional<bool> questions_may_choose;
};
ATOLL_DESCRIBED(PatchModelSettings);

struct AvailableModels {
    std::string model;
    std::vector<std::string> models;
    bool questions_may_choose = false;
};
ATOLL_DESCRIBED(AvailableModels);

struct ProbeModels {
    std::optional<std::string> base_url;
};
ATOLL_DESCRIBED(ProbeModels);

struct LocalModelServer {
    std::string name;
    std::string base_url;
    std::vector<std::string> models;
};
ATOLL_DESCRIBED(LocalModelServer);

struct LocalModelServers {
    std::vector<LocalModelServer> servers;
};
ATOLL_DESCRIBED(LocalModelServers);

[[nodiscard]] ModelSettingsView view_of(const agent::ModelState& state);
[[nodiscard]] LocalModelServer view_of(const core::LocalProvider& provider);

}  // namespace atl::api
