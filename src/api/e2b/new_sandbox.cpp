#include "api/e2b/new_sandbox.hpp"

#include "api/e2b/control.hpp"
#include "base/result.hpp"
#include "net/host.hpp"

#include <array>

namespace atl::api::e2b {

namespace {

constexpr std::size_t kTemplateBytesMax = 128;
constexpr std::size_t kWishedMetadataMax = 32;
constexpr std::size_t kMetadataNameBytesMax = 128;
constexpr std::size_t kMetadataBytesMax = 1024;
constexpr std::size_t kWishedVariablesMax = 256;
constexpr std::size_t kVariableNameBytesMax = 256;
constexpr std::size_t kVariableBytesMax = 32'768;

[[noreturn]] void refuse_wish(const std::string& sentence) {
    throw ErrorException({Code::InvalidArgument, sentence});
}

constexpr std::size_t kMaskBytesMax = 253;  // of a name
constexpr std::string_view kMaskedPort = "${PORT}";

}  // namespace

std::optional<std::string> host_mask_in(const Body& network) {
    auto mask = network.text("maskRequestHost", kMaskBytesMax);
    // It becomes a header: what is no host could be a second one.
    if (mask && !mask->empty() && !net::parse_host(masked_host(*mask, "1"))) {
        refuse_wish("network.maskRequestHost: use a host, with a port or ${PORT} or without");
    }
    return mask;
}

std::string masked_host(std::string mask, std::string_view port) {
    if (const auto at = mask.find(kMaskedPort); at != std::string::npos) {
        mask.replace(at, kMaskedPort.size(), port);
    }
    return mask;
}

void check_network(const Body& network) {
    for (const auto* name : {"allowOut", "egressProxy", "rules", "dnsServers"}) {
        if (network.says(name)) {
            refuse_wish(
                std::string("network.") + name +
                ": sandboxes of this server have no network but loopback, so there is nothing "
                "to allow");
        }
    }
    if (network.says("httpsPorts")) {
        refuse_wish("network.httpsPorts: servers in sandboxes are reached over plain HTTP");
    }
}

NewSandbox new_sandbox_in(const Body& body) {
    NewSandbox wanted;
    const auto template_id = body.text("templateID", kTemplateBytesMax);
    if (!template_id || template_id->empty()) refuse_wish("templateID: name a template");
    wanted.template_id = *template_id;
    wanted.timeout = timeout_in(body);
    wanted.metadata =
        body.texts("metadata", kWishedMetadataMax, kMetadataNameBytesMax, kMetadataBytesMax);
    wanted.environment =
        body.texts("envVars", kWishedVariablesMax, kVariableNameBytesMax, kVariableBytesMax);
    wanted.auto_pause = body.flag("autoPause").value_or(false);
    if (const auto resume = body.object("autoResume")) {
        wanted.auto_resume = resume->flag("enabled").value_or(false);
    }
    if (const auto network = body.object("network")) {
        check_network(*network);
        wanted.private_ports = !network->flag("allowPublicTraffic").value_or(true);
        wanted.host_mask = host_mask_in(*network).value_or("");
    }
    // Older SDKs say true to it in every request, so it is no wish: the sandbox says of itself that
    // it has none.
    (void)body.flag("allow_internet_access");
    if (body.says("volumeMounts")) refuse_wish("volumeMounts: this server has no volumes");
    if (body.says("mcp")) refuse_wish("mcp: this server starts no MCP servers in sandboxes");
    if (body.says("iam")) refuse_wish("iam: this server gives sandboxes no identity");
    return wanted;
}

std::string own_template(const std::string& template_id) {
    std::string name = template_id;
    if (const auto colon = name.find(':'); colon != std::string::npos) {
        const auto tag = name.substr(colon + 1);
        if (tag == "default" || tag == "latest") name.resize(colon);
    }
    for (const auto* known : {"base", "code-interpreter-v1", "code-interpreter"}) {
        if (name == known) return "default";
    }
    return name;
}

}  // namespace atl::api::e2b
