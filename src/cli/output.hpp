#pragma once
// What a program in a sandbox printed, on its way to our stdout and stderr.
//
// Into a file or a pipe it goes as it is. A terminal gets its text, lines and colours and no other
// control sequences (base/text.hpp): a log must not control the terminal of whoever reads it. A
// session's terminal (converse.cpp) is different: there the program controls ours.
#include "base/text.hpp"

#include <cstdio>
#include <string_view>

namespace atl::cli {

class ProgramOutput {
public:
    ProgramOutput();
    ~ProgramOutput();
    ProgramOutput(const ProgramOutput&) = delete;
    ProgramOutput& operator=(const ProgramOutput&) = delete;

    // stdout or stderr.
    void write(std::FILE* where, std::string_view text);

private:
    struct Way {
        bool terminal = false;
        TerminalText text = {};
    };
    Way out_, err_;
};

}  // namespace atl::cli
