#pragma once
// A thread as a file for people: a text to read, or a notebook that runs again.
//
// Pure functions. What users, models and programs said stands there as text: in Markdown, output is
// fenced so that nothing in it is markup, and no image of elsewhere is loaded by a notebook. Charts
// are inside (data: addresses, outputs of cells), each once, so that one file is the whole; what
// was too large, is gone or was written over is named. Charts of plotly and altair are in notebooks
// only (export_results.hpp).
#include "agent/export_images.hpp"
#include "agent/prompt.hpp"
#include "core/threads.hpp"

#include <string>
#include <vector>

namespace atl::agent {

[[nodiscard]] std::string markdown_of(const core::ThreadRecord& thread,
                                      const std::vector<PromptFile>& files,
                                      const std::vector<core::ThreadMessage>& messages,
                                      const ExportImages& images);

// nbformat 4.5. Questions and answers are text cells; the code of run_python comes as code cells in
// its order, so that running all of them gives the thread's variables again. Code that failed is
// there, too, marked `raises-exception`: what came after may rest on what it did before it failed.
[[nodiscard]] std::string notebook_of(const core::ThreadRecord& thread,
                                      const std::vector<PromptFile>& files,
                                      const std::vector<core::ThreadMessage>& messages,
                                      const ExportImages& images);

}  // namespace atl::agent
