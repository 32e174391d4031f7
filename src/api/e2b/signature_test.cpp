#include "api/e2b/signature.hpp"

#include "api/secrets.hpp"
#include "base/encoding.hpp"
#include "core/records.hpp"
#include "net/problem.hpp"

#include <gtest/gtest.h>

namespace atl::api::e2b {
namespace {

std::string signed_text(const std::string& text) {
    const auto digest = sha256(text);
    auto signature = base64_encoded({reinterpret_cast<const char*>(digest.data()), digest.size()});
    while (signature.ends_with('=')) signature.pop_back();
    return "v1_" + percent_encoded(signature);
}

net::Request request_for(const std::string& method, const std::string& query) {
    net::Request request;
    request.method = method;
    request.target = net::parse_target("/files?" + query).value();
    return request;
}

TEST(FileSignature, IsOfWhoHasTheToken) {
    const auto query = "path=%2Fa+b&username=user&signature=" + signed_text("/a b:read:user:token");
    const auto shown = FileSignature::in(request_for("GET", query));
    ASSERT_TRUE(shown);
    EXPECT_TRUE(shown->is_of("token"));
    EXPECT_FALSE(shown->is_of("another"));
    EXPECT_NO_THROW(shown->check_time());
    EXPECT_FALSE(FileSignature::in(request_for("POST", query))->is_of("token")) << "it reads";
    EXPECT_FALSE(
        FileSignature::in(request_for("GET", query + "&signature_expiration=9"))->is_of("token"))
        << "its time was not signed";
    EXPECT_FALSE(FileSignature::in(request_for("GET", "path=x")));
}

TEST(FileSignature, HasAnEnd) {
    const auto at = [](std::int64_t seconds) {
        const auto text = std::to_string(seconds);
        const auto query = "path=x&signature_expiration=" + text +
                           "&signature=" + signed_text("x:write::token:" + text);
        return FileSignature::in(request_for("POST", query)).value();
    };
    const auto now = std::chrono::floor<std::chrono::seconds>(core::time_now());
    const auto later = at(now.time_since_epoch().count() + 100);
    EXPECT_TRUE(later.is_of("token"));
    EXPECT_NO_THROW(later.check_time());
    const auto before = at(now.time_since_epoch().count() - 100);
    EXPECT_TRUE(before.is_of("token"));
    EXPECT_THROW(before.check_time(), net::Problem);
}

TEST(FileSignature, OfAnotherFormIsRefused) {
    for (const char* query :
         {"signature=", "signature=v1_", "signature=v2_abc", "signature=v1_!!!",
          "signature=v1_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA&signature_expiration=1x",
          "signature=v1_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA&signature_expiration="}) {
        EXPECT_THROW(static_cast<void>(FileSignature::in(request_for("GET", query))), net::Problem)
            << query;
    }
    const auto long_path =
        "path=" + std::string(9000, 'x') + "&signature=v1_" + std::string(43, 'A');
    EXPECT_THROW(static_cast<void>(FileSignature::in(request_for("GET", long_path))), net::Problem);
}

}  // namespace
}  // namespace atl::api::e2b
