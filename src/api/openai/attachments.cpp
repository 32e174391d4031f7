#include "api/openai/attachments.hpp"

#include "api/openai/errors.hpp"
#include "base/encoding.hpp"
#include "base/workers.hpp"
#include "schema/validation.hpp"

#include <boost/asio/this_coro.hpp>
#include <optional>

namespace atl::api::openai {

namespace asio = boost::asio;

namespace {

asio::awaitable<UploadId> store_one(agent::Uploads& uploads, std::string owner,
                                    Attachment attachment) {
    if (!attachment.upload_id.empty()) {
        const UploadId id(attachment.upload_id);
        co_await uploads.get(core::Whose::of(owner), id);
        co_return id;
    }
    const auto executor = co_await asio::this_coro::executor;
    const auto decode = [&attachment] { return base64_decoded(attachment.base64); };
    auto bytes = co_await workers_of(executor).run(decode);
    if (bytes.empty()) throw ErrorException({Code::InvalidArgument, "is not base64"});
    const auto incoming = co_await uploads.begin(std::move(owner), std::move(attachment.name));
    co_await incoming->write(std::move(bytes));
    const auto kept = co_await incoming->keep();
    co_return kept.id;
}

}  // namespace

asio::awaitable<std::vector<UploadId>> stored(agent::Uploads& uploads, std::string owner,
                                              std::vector<Attachment> attachments) {
    std::vector<UploadId> ids;
    for (auto& attachment : attachments) {
        const std::string field = attachment.field;
        const std::string upload = attachment.upload_id;
        std::optional<Error> failed;
        try {
            ids.push_back(co_await store_one(uploads, owner, std::move(attachment)));
        } catch (const ErrorException& error) { failed = error.error; }
        if (!failed) continue;
        if (failed->code == Code::NotFound) {
            throw schema::ValidationError(
                {{field, "there is no upload " + schema::quoted(upload)}});
        }
        if (failed->code == Code::InvalidArgument) {
            throw schema::ValidationError({{field, failed->message}});
        }
        auto problem = refused(failed->code, failed->message, field, "");
        if (failed->code == Code::Exhausted) problem.status = 507;
        throw problem;
    }
    co_return ids;
}

}  // namespace atl::api::openai
