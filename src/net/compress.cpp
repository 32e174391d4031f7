#include "net/compress.hpp"

#include "base/result.hpp"

#include <cstdlib>
#include <new>
#include <zlib.h>
#include <zstd.h>

namespace atl::net {

namespace {

// Fast enough for the one thread that serves everybody.
constexpr int kZstdLevel = 3;
constexpr int kGzipLevel = 4;
constexpr std::size_t kStepBytes = 16 * 1024;

struct FreeZstd {
    void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
};
struct FreeGzip {
    void operator()(z_stream* stream) const noexcept {
        deflateEnd(stream);
        delete stream;
    }
};
using ZstdPtr = std::unique_ptr<ZSTD_CCtx, FreeZstd>;
using GzipPtr = std::unique_ptr<z_stream, FreeGzip>;

// A context costs more to make than a small body to pack, so one of each is kept.
thread_local ZstdPtr spare_zstd;
thread_local GzipPtr spare_gzip;

ZstdPtr take_zstd() {
    ZstdPtr context = std::move(spare_zstd);
    if (!context) context.reset(ZSTD_createCCtx());
    if (!context) throw std::bad_alloc();
    ZSTD_CCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kZstdLevel);
    // Browsers refuse frames with a window over 8 MiB; ours needs no more than this.
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, 20);
    return context;
}

GzipPtr take_gzip() {
    if (spare_gzip) {
        deflateReset(spare_gzip.get());
        return std::move(spare_gzip);
    }
    auto made = std::make_unique<z_stream>();
    constexpr int kGzipFrame = 15 + 16;
    if (deflateInit2(made.get(), kGzipLevel, Z_DEFLATED, kGzipFrame, 8, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
        throw std::bad_alloc();
    }
    return GzipPtr(made.release());
}

// The weight of one element, "gzip;q=0.5". Anything unreadable counts as refused.
double weight_of(std::string_view parameters) {
    while (!parameters.empty()) {
        const auto end = parameters.find(';');
        const auto parameter = trimmed(parameters.substr(0, end));
        parameters.remove_prefix(end == std::string_view::npos ? parameters.size() : end + 1);
        if (parameter.size() < 2 || !same_ignoring_case(parameter.substr(0, 2), "q=")) continue;
        const std::string number(parameter.substr(2, 5));
        return number.find_first_not_of("0123456789.") == std::string::npos
                   ? std::strtod(number.c_str(), nullptr)
                   : 0.0;
    }
    return 1.0;
}

}  // namespace

Coding choose_coding(const Headers& request) {
    double zstd = -1;
    double gzip = -1;
    double any = -1;
    for (const auto& [name, value] : request) {
        if (!same_ignoring_case(name, "Accept-Encoding")) continue;
        std::string_view list = value;
        while (const auto element = next_element(list)) {
            const auto semicolon = element->find(';');
            const auto coding = trimmed(element->substr(0, semicolon));
            const double weight = semicolon == std::string_view::npos
                                      ? 1.0
                                      : weight_of(element->substr(semicolon + 1));
            if (same_ignoring_case(coding, "zstd")) zstd = weight;
            if (same_ignoring_case(coding, "gzip") || same_ignoring_case(coding, "x-gzip")) {
                gzip = weight;
            }
            if (coding == "*") any = weight;
        }
    }
    if (zstd < 0) zstd = any;
    if (gzip < 0) gzip = any;
    if (zstd <= 0 && gzip <= 0) return Coding::Identity;
    return zstd >= gzip ? Coding::Zstd : Coding::Gzip;
}

std::string_view name_of(Coding coding) noexcept {
    switch (coding) {
        case Coding::Gzip: return "gzip";
        case Coding::Zstd: return "zstd";
        case Coding::Identity: break;
    }
    return "identity";
}

bool is_compressible(std::string_view content_type) noexcept {
    const auto type = trimmed(content_type.substr(0, content_type.find(';')));
    if (same_ignoring_case(type.substr(0, 5), "text/")) {
        return !same_ignoring_case(type, "text/event-stream");
    }
    for (const std::string_view known :
         {"application/json", "application/javascript", "application/xml", "application/x-ndjson",
          "application/wasm", "application/toml", "application/yaml", "image/svg+xml"}) {
        if (same_ignoring_case(type, known)) return true;
    }
    const auto plus = type.rfind('+');
    if (plus == std::string_view::npos) return false;
    return same_ignoring_case(type.substr(plus), "+json") ||
           same_ignoring_case(type.substr(plus), "+xml");
}

struct Compressor::Impl {
    ZstdPtr zstd;
    GzipPtr gzip;

    void run_zstd(std::string_view piece, ZSTD_EndDirective how, std::string& out) {
        ZSTD_inBuffer in{piece.data(), piece.size(), 0};
        for (;;) {
            const auto before = out.size();
            out.resize(before + kStepBytes);
            ZSTD_outBuffer to{out.data() + before, kStepBytes, 0};
            const auto left = ZSTD_compressStream2(zstd.get(), &to, &in, how);
            out.resize(before + to.pos);
            if (ZSTD_isError(left) != 0) {
                throw ErrorException(
                    {Code::Internal, std::string("compress: ") + ZSTD_getErrorName(left)});
            }
            if (how == ZSTD_e_end ? left == 0 : in.pos == in.size) return;
        }
    }

    void run_gzip(std::string_view piece, int how, std::string& out) {
        gzip->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
        gzip->avail_in = static_cast<uInt>(piece.size());
        for (;;) {
            const auto before = out.size();
            out.resize(before + kStepBytes);
            gzip->next_out = reinterpret_cast<Bytef*>(out.data() + before);
            gzip->avail_out = kStepBytes;
            const int done = deflate(gzip.get(), how);
            out.resize(before + kStepBytes - gzip->avail_out);
            if (done == Z_STREAM_ERROR) throw ErrorException({Code::Internal, "compress: zlib"});
            if (how == Z_FINISH ? done == Z_STREAM_END : gzip->avail_out != 0) return;
        }
    }
};

Compressor::Compressor(Coding coding) : impl_(std::make_unique<Impl>()) {
    if (coding == Coding::Zstd) impl_->zstd = take_zstd();
    if (coding == Coding::Gzip) impl_->gzip = take_gzip();
}

Compressor::~Compressor() {
    if (impl_->zstd) spare_zstd = std::move(impl_->zstd);
    if (impl_->gzip) spare_gzip = std::move(impl_->gzip);
}

void Compressor::add(std::string_view piece, std::string& out) {
    if (impl_->zstd) {
        impl_->run_zstd(piece, ZSTD_e_continue, out);
    } else if (impl_->gzip) {
        impl_->run_gzip(piece, Z_NO_FLUSH, out);
    } else {
        out += piece;
    }
}

void Compressor::finish(std::string& out) {
    if (impl_->zstd) {
        impl_->run_zstd({}, ZSTD_e_end, out);
    } else if (impl_->gzip) {
        impl_->run_gzip({}, Z_FINISH, out);
    }
}

}  // namespace atl::net
