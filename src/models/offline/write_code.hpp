#pragma once
// A Question as a few lines of Python that a person would read and run again: load, filter, call
// what computes it. The functions stand in data/tables.py and data/figures.py.
#include "models/offline/question.hpp"
#include "models/offline/schema.hpp"

#include <string>

namespace atl::offline {

struct Code {
    std::string text;
    std::string chart_file;  // its name in /data/outputs; empty: none is drawn
};

[[nodiscard]] Code write_code(const Question& question, const Schema& schema);

}  // namespace atl::offline
