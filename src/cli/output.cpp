#include "cli/output.hpp"

#include <unistd.h>

namespace atl::cli {

namespace {

void put(std::FILE* where, std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), where);
    std::fflush(where);
}

}  // namespace

ProgramOutput::ProgramOutput()
    : out_{::isatty(STDOUT_FILENO) == 1}, err_{::isatty(STDERR_FILENO) == 1} {}

ProgramOutput::~ProgramOutput() {
    if (out_.terminal) put(stdout, out_.text.finish());
    if (err_.terminal) put(stderr, err_.text.finish());
}

void ProgramOutput::write(std::FILE* where, std::string_view text) {
    Way& way = where == stderr ? err_ : out_;
    if (way.terminal) {
        put(where, way.text.pass(text));
    } else {
        put(where, text);
    }
}

}  // namespace atl::cli
