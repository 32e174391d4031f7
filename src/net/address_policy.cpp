#include "net/address_policy.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace atl::net {

namespace {

using boost::asio::ip::address;

struct V4Range {
    std::uint32_t first;
    int bits;
};

constexpr std::uint32_t v4(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    return a << 24 | b << 16 | c << 8 | d;
}

// What IANA's registry of special addresses does not call globally reachable, and multicast.
constexpr V4Range kSpecialV4[] = {
    {v4(0, 0, 0, 0), 8},        // this host: Linux takes 0.0.0.0 for loopback
    {v4(10, 0, 0, 0), 8},       // private
    {v4(100, 64, 0, 0), 10},    // carriers, and metadata of some clouds
    {v4(127, 0, 0, 0), 8},      // loopback
    {v4(169, 254, 0, 0), 16},   // link-local, and metadata of most clouds
    {v4(172, 16, 0, 0), 12},    // private
    {v4(192, 0, 0, 0), 24},     // protocol assignments, and metadata of one cloud
    {v4(192, 0, 2, 0), 24},     // documentation
    {v4(192, 31, 196, 0), 24},  // AS112
    {v4(192, 52, 193, 0), 24},  // AMT
    {v4(192, 88, 99, 0), 24},   // 6to4 relays
    {v4(192, 168, 0, 0), 16},   // private
    {v4(192, 175, 48, 0), 24},  // AS112
    {v4(198, 18, 0, 0), 15},    // benchmarks
    {v4(198, 51, 100, 0), 24},  // documentation
    {v4(203, 0, 113, 0), 24},   // documentation
    {v4(224, 0, 0, 0), 4},      // multicast
    {v4(240, 0, 0, 0), 4},      // reserved, and broadcast
    {v4(168, 63, 129, 16), 32}  // a cloud's own services on a public-looking address
};

bool is_public_v4(std::uint32_t bits) noexcept {
    return std::none_of(std::begin(kSpecialV4), std::end(kSpecialV4), [&](const V4Range& range) {
        return (bits ^ range.first) >> (32 - range.bits) == 0;
    });
}

using V6 = std::array<unsigned char, 16>;

bool begins(const V6& bytes, std::span<const unsigned char> prefix, unsigned bits) noexcept {
    for (unsigned i = 0; i < bits; ++i) {
        const unsigned char mask = static_cast<unsigned char>(0x80u >> i % 8);
        const unsigned char wanted = i / 8 < prefix.size() ? prefix[i / 8] : 0;
        if ((bytes[i / 8] & mask) != (wanted & mask)) return false;
    }
    return true;
}

std::uint32_t v4_at(const V6& bytes, std::size_t at) noexcept {
    return v4(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
}

bool is_public_v6(const V6& bytes) noexcept {
    struct Range {
        std::array<unsigned char, 6> prefix;
        unsigned bits;
    };
    // Translated to IPv4 on the way: what counts is where it arrives.
    if (begins(bytes, std::array<unsigned char, 4>{0x00, 0x64, 0xff, 0x9b}, 96)) {
        return is_public_v4(v4_at(bytes, 12));
    }
    // Nothing outside 2000::/3 is public: not ::, ::1, mapped IPv4, fc00::/7, fe80::/10, ff00::/8.
    if ((bytes[0] & 0xe0) != 0x20) return false;
    constexpr Range kSpecial[] = {
        {{0x20, 0x01, 0x00}, 23},              // protocol assignments: Teredo, ORCHID, benchmarks
        {{0x20, 0x01, 0x0d, 0xb8}, 32},        // documentation
        {{0x20, 0x02}, 16},                    // 6to4: an IPv4 address in disguise
        {{0x26, 0x20, 0x00, 0x4f, 0x80}, 48},  // AS112
        {{0x3f, 0xfe}, 16},                    // the old 6bone
        {{0x3f, 0xff, 0x00}, 20},              // documentation
    };
    return std::none_of(std::begin(kSpecial), std::end(kSpecial), [&](const Range& range) {
        return begins(bytes, range.prefix, range.bits);
    });
}

}  // namespace

bool is_public(const address& where) noexcept {
    if (where.is_v4()) return is_public_v4(where.to_v4().to_uint());
    const auto six = where.to_v6();
    return six.scope_id() == 0 && is_public_v6(six.to_bytes());
}

bool is_metadata(const address& where) noexcept {
    constexpr V4Range kMetadataV4[] = {{v4(169, 254, 0, 0), 16},  // link-local: most clouds
                                       {v4(100, 100, 100, 200), 32},
                                       {v4(192, 0, 0, 192), 32},
                                       {v4(168, 63, 129, 16), 32}};
    const auto in_v4 = [&](std::uint32_t bits) {
        return std::any_of(
            std::begin(kMetadataV4), std::end(kMetadataV4),
            [&](const V4Range& range) { return (bits ^ range.first) >> (32 - range.bits) == 0; });
    };
    if (where.is_v4()) return in_v4(where.to_v4().to_uint());
    const auto bytes = where.to_v6().to_bytes();
    // An IPv4 address in the clothes of IPv6 arrives there as well.
    if (where.to_v6().is_v4_mapped() || begins(bytes, {}, 96) ||
        begins(bytes, std::array<unsigned char, 4>{0x00, 0x64, 0xff, 0x9b}, 96)) {
        return in_v4(v4_at(bytes, 12));
    }
    if (begins(bytes, std::array<unsigned char, 2>{0x20, 0x02}, 16)) return in_v4(v4_at(bytes, 2));
    return begins(bytes, std::array<unsigned char, 2>{0xfe, 0x80}, 10) ||
           begins(bytes, std::array<unsigned char, 4>{0xfd, 0x00, 0x0e, 0xc2}, 32) ||
           begins(bytes, std::array<unsigned char, 4>{0xfd, 0x20, 0x00, 0xce}, 32) ||
           begins(bytes, std::array<unsigned char, 4>{0xfd, 0x00, 0x00, 0xc1}, 32) ||
           begins(bytes, std::array<unsigned char, 4>{0xfd, 0x00, 0x00, 0x42}, 32);
}

bool AddressPolicy::allows(const address& where) const noexcept {
    switch (for_) {
        case For::Operators: return true;
        case For::Administrators: return !is_metadata(where);
        case For::ThisMachine: return where.is_loopback();
        case For::Strangers: return is_public(where);
    }
    return false;
}

}  // namespace atl::net
