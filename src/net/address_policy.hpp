#pragma once
// To which addresses the server may connect when it fetches something itself.
//
// It is asked about the very address that is about to be dialled, after names were resolved, so a
// name that resolves to something else the second time wins nothing.
//
//     operators()   what the operator wrote into the settings (a model, a proxy): anywhere, for a
//                   model on this machine is the usual case
//     strangers()   what came from a client, a guest or a model: public addresses and nothing else
#include <boost/asio/ip/address.hpp>

namespace atl::net {

class AddressPolicy {
public:
    [[nodiscard]] static AddressPolicy operators() noexcept { return AddressPolicy(false); }
    [[nodiscard]] static AddressPolicy strangers() noexcept { return AddressPolicy(true); }

    [[nodiscard]] bool allows(const boost::asio::ip::address& address) const noexcept;
    [[nodiscard]] bool public_only() const noexcept { return public_only_; }

private:
    explicit AddressPolicy(bool public_only) noexcept : public_only_(public_only) {}
    bool public_only_;
};

// An address of the public Internet: none of this machine, of private networks, of a cloud's
// metadata service, of carriers, of documentation, for many hosts at once, or reserved; nor an IPv6
// address that stands for such an IPv4 one.
[[nodiscard]] bool is_public(const boost::asio::ip::address& address) noexcept;

}  // namespace atl::net
