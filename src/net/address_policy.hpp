#pragma once
// To which addresses the server may connect when it fetches something itself.
//
// It is asked about the very address that is about to be dialled, after names were resolved, so a
// name that resolves to something else the second time gains nothing.
//
//     operators()   what the operator wrote into the settings (a model, a proxy): anywhere, for a
//                   model on this machine is the usual case
//     administrators()  what somebody chose who may administrate the server, perhaps from another
//                   machine: anywhere but where clouds keep the credentials of their machines
//     this_machine()    loopback and nothing else
//     strangers()   what came from a client, a guest or a model: public addresses and nothing else
#include <boost/asio/ip/address.hpp>

namespace atl::net {

class AddressPolicy {
public:
    [[nodiscard]] static AddressPolicy operators() noexcept {
        return AddressPolicy(For::Operators);
    }
    [[nodiscard]] static AddressPolicy administrators() noexcept {
        return AddressPolicy(For::Administrators);
    }
    [[nodiscard]] static AddressPolicy this_machine() noexcept {
        return AddressPolicy(For::ThisMachine);
    }
    [[nodiscard]] static AddressPolicy strangers() noexcept {
        return AddressPolicy(For::Strangers);
    }

    [[nodiscard]] bool allows(const boost::asio::ip::address& address) const noexcept;
    [[nodiscard]] bool public_only() const noexcept { return for_ == For::Strangers; }
    // A proxy would dial what the policy was not asked about.
    [[nodiscard]] bool allows_proxies() const noexcept {
        return for_ == For::Operators || for_ == For::Administrators;
    }

private:
    enum class For : unsigned char { Operators, Administrators, ThisMachine, Strangers };
    explicit AddressPolicy(For whom) noexcept : for_(whom) {}
    For for_;
};

// Where clouds let a machine ask for its own credentials, and the neighbours on its link.
[[nodiscard]] bool is_metadata(const boost::asio::ip::address& address) noexcept;

// An address of the public Internet: none of this machine, of private networks, of a cloud's
// metadata service, of carriers, of documentation, for many hosts at once, or reserved; nor an IPv6
// address that stands for such an IPv4 one.
[[nodiscard]] bool is_public(const boost::asio::ip::address& address) noexcept;

}  // namespace atl::net
