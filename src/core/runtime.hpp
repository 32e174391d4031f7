#pragma once
// Interface: builds sandboxes ("one guest, many walls").
//
// A runtime builds the walls around a guest and returns one byte stream to it, with freeze, thaw,
// usage and destroy. Everything else is the guest protocol (docs/guest-protocol.md), the same for
// all.
#include "base/fd.hpp"
#include "base/id.hpp"
#include "core/spec.hpp"

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

namespace atl::core {

struct Usage {
    std::uint64_t memory_bytes = 0;
    std::uint64_t memory_peak_bytes = 0;  // 0 = this host cannot tell
    std::uint64_t cpu_us = 0;
    std::uint64_t processes = 0;
    std::uint64_t memory_kills = 0;
};

// One live sandbox. Its walls stand until it is destroyed; the destructor does so too.
class Sandbox {
public:
    virtual ~Sandbox() = default;
    [[nodiscard]] virtual const SandboxId& id() const = 0;
    // The stream to the guest, past its hello. Handed over once.
    [[nodiscard]] virtual UniqueFd take_stream() = 0;
    // Whether the guest can fork kernels, or only runs programs.
    [[nodiscard]] virtual bool has_kernels() const = 0;
    virtual Result<void> freeze(bool frozen) = 0;
    [[nodiscard]] virtual Usage usage() const = 0;
    // Single figures of usage(), for callers that ask often.
    [[nodiscard]] virtual std::uint64_t cpu_us() const { return usage().cpu_us; }
    [[nodiscard]] virtual std::uint64_t memory_peak_bytes() const {
        return usage().memory_peak_bytes;
    }
    [[nodiscard]] virtual std::uint64_t memory_kills() const { return usage().memory_kills; }
    // Why the runtime itself ended it, in words for its owner; empty while it has not. From then on
    // it is not to be used, though its last process may take a while to go.
    [[nodiscard]] virtual std::string ended_because() const { return {}; }
    // Ends every process in it and removes what it left on the host. Idempotent.
    virtual void destroy() noexcept = 0;
};

class Runtime {
public:
    virtual ~Runtime() = default;
    // Throws ErrorException. The sandbox answers when this returns.
    virtual boost::asio::awaitable<std::unique_ptr<Sandbox>> create(SandboxSpec spec) = 0;
};

}  // namespace atl::core
