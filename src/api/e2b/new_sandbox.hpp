#pragma once
// A new sandbox as a client asks for it: checked, with what this server does not have refused.
#include "api/e2b/body.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace atl::api::e2b {

struct NewSandbox {
    std::string template_id;
    std::chrono::seconds timeout{0};
    std::map<std::string, std::string> metadata;
    std::map<std::string, std::string> environment;
    bool auto_pause = false;
    bool auto_resume = false;
    bool private_ports = false;
    std::string host_mask;
};
// Throws ErrorException, with the field's name.
[[nodiscard]] NewSandbox new_sandbox_in(const Body& body);
// Of create and of later changes: sandboxes here have no network, so rules that would open one are
// refused, and those that close one hold already.
void check_network(const Body& network);
// What its servers shall see as the Host of requests, `${PORT}` and all. Throws ErrorException.
[[nodiscard]] std::optional<std::string> host_mask_in(const Body& network);
[[nodiscard]] std::string masked_host(std::string mask, std::string_view port);

// A template as it is called here; what is known by another name there is the default one.
[[nodiscard]] std::string own_template(const std::string& template_id);

}  // namespace atl::api::e2b
