// atoll-archive: packs and unpacks inside a sandbox, as the sandbox's own user, between pipes.
// A program of its own, so that libarchive and its bugs never share a process with the guest.
#include "guest/archive/pack.hpp"
#include "guest/archive/unpack.hpp"

#include <charconv>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <getopt.h>
#include <new>
#include <sys/stat.h>

namespace {

using namespace atl::archive;

constexpr char kUsage[] =
    "atoll-archive pack [--format tar|tar.gz|tar.zst|zip] [--exclude GLOB]... "
    "DIRECTORY_OR_FILE...\n"
    "atoll-archive unpack [--into DIR] [--bytes-max N] [--entries-max N] [--strip N]\n"
    "                     [--overwrite|--keep] [--onto-host]\n";

int usage() {
    std::fputs(kUsage, stderr);
    return static_cast<int>(Status::Usage);
}

template <class Number>
bool parse(const char* text, Number& number) {
    const char* end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, number);
    return error == std::errc() && stop == end && stop != text;
}

// getopt and not the library that the server has: names on this command line are bytes of any kind,
// and this program starts for each upload.
int run_pack(int argc, char** argv) {
    static const option kOptions[] = {{"format", required_argument, nullptr, 'f'},
                                      {"exclude", required_argument, nullptr, 'x'},
                                      {}};
    PackOptions options;
    for (int got = 0; (got = ::getopt_long(argc, argv, "+", kOptions, nullptr)) != -1;) {
        const std::string value = ::optarg ? ::optarg : "";
        if (got == 'x') {
            options.excludes.push_back(value);
        } else if (got == 'f' && value == "tar") {
            options.format = Format::Tar;
        } else if (got == 'f' && value == "tar.gz") {
            options.format = Format::TarGz;
        } else if (got == 'f' && value == "tar.zst") {
            options.format = Format::TarZst;
        } else if (got == 'f' && value == "zip") {
            options.format = Format::Zip;
        } else {
            return usage();
        }
    }
    options.sources.assign(argv + ::optind, argv + argc);
    if (options.sources.empty()) return usage();
    return static_cast<int>(pack(options));
}

int run_unpack(int argc, char** argv, mode_t mask) {
    static const option kOptions[] = {{"into", required_argument, nullptr, 'i'},
                                      {"bytes-max", required_argument, nullptr, 'b'},
                                      {"entries-max", required_argument, nullptr, 'e'},
                                      {"strip", required_argument, nullptr, 's'},
                                      {"overwrite", no_argument, nullptr, 'o'},
                                      {"keep", no_argument, nullptr, 'k'},
                                      {"onto-host", no_argument, nullptr, 'h'},
                                      {}};
    UnpackOptions options;
    bool fine = true;
    for (int got = 0; (got = ::getopt_long(argc, argv, "+", kOptions, nullptr)) != -1;) {
        switch (got) {
            case 'i': options.into = ::optarg; break;
            case 'b': fine = fine && parse(::optarg, options.bytes_max); break;
            case 'e': fine = fine && parse(::optarg, options.entries_max); break;
            case 's': fine = fine && parse(::optarg, options.strip); break;
            case 'o': options.keep = false; break;
            case 'k': options.keep = true; break;
            case 'h':
                options.onto_host = true;
                options.mask = mask;
                break;
            default: fine = false;
        }
    }
    if (!fine || ::optind != argc) return usage();
    return static_cast<int>(unpack(options));
}

}  // namespace

int main(int argc, char** argv) {
    // libarchive converts names through the locale; in this one bytes come out as they went in.
    if (!std::setlocale(LC_CTYPE, "C.UTF-8")) {
        std::fputs("atoll-archive: there is no C.UTF-8 locale\n", stderr);
        return static_cast<int>(Status::Failed);
    }
    // Both come back as errors of write(2), after which there is something to clean up.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    const mode_t mask = ::umask(022);
    if (argc < 2) return usage();
    const std::string verb = argv[1];
    try {
        if (verb == "pack") return run_pack(argc - 1, argv + 1);
        if (verb == "unpack") return run_unpack(argc - 1, argv + 1, mask);
    } catch (const std::bad_alloc&) {
        std::fputs("atoll-archive: out of memory\n", stderr);
        return static_cast<int>(Status::Failed);
    }
    return usage();
}
