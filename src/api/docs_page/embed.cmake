# Turns files into a C++ source. Included, it gives a function:
#
#   atoll_embed_assets(<target> FOLDER <folder> FILES <file>... HEADER <header> NAMESPACE <name>)
#
# The header declares `struct Asset {path, content_type, bytes, etag}` and `assets()` in that
# namespace; the source that defines them is made at build time and added to the target.
# Run as a script (cmake -P), it writes that source.

if(CMAKE_SCRIPT_MODE_FILE)
  set(type_txt "text/plain; charset=utf-8")
  set(type_py "text/x-python; charset=utf-8")
  set(type_html "text/html; charset=utf-8")
  set(type_css "text/css; charset=utf-8")
  set(type_js "text/javascript; charset=utf-8")
  set(type_json "application/json")
  set(type_svg "image/svg+xml")
  set(type_png "image/png")
  set(type_woff2 "font/woff2")
  string(REPLACE "|" ";" files "${FILES}")
  list(LENGTH files count)
  set(data "")
  set(rows "")
  foreach(name IN LISTS files)
    cmake_path(GET name EXTENSION LAST_ONLY extension)
    string(SUBSTRING "${extension}" 1 -1 extension)
    if(NOT DEFINED type_${extension})
      message(FATAL_ERROR "embed.cmake knows no content type for ${name}: add one")
    endif()
    file(SIZE "${FOLDER}/${name}" size)
    file(READ "${FOLDER}/${name}" hex HEX)
    file(SHA256 "${FOLDER}/${name}" sum)
    string(SUBSTRING "${sum}" 0 16 sum)
    # A literal, not a list of numbers: it compiles many times faster.
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${hex}")
    string(MAKE_C_IDENTIFIER "k_${name}_${sum}" symbol)  # names may differ in marks alone
    string(APPEND data "constexpr char ${symbol}[] =\n    \"${bytes}\";\n")
    string(APPEND rows "    Asset{\"${name}\", \"${type_${extension}}\",\n"
                       "          std::string_view(${symbol}, ${size}), \"\\\"${sum}\\\"\"},\n")
  endforeach()
  file(WRITE "${OUTPUT}" "// Made by embed.cmake.
#include \"${HEADER}\"

#include <array>

namespace ${NAMESPACE} {

namespace {
${data}
constexpr std::array<Asset, ${count}> kAssets = {
${rows}};
}  // namespace

std::span<const Asset> assets() { return kAssets; }

}  // namespace ${NAMESPACE}
")
  return()
endif()

set(ATOLL_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(atoll_embed_assets target)
  cmake_parse_arguments(PARSE_ARGV 1 EMBED "" "FOLDER;HEADER;NAMESPACE" "FILES")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}_assets.cpp")
  list(TRANSFORM EMBED_FILES PREPEND "${EMBED_FOLDER}/" OUTPUT_VARIABLE paths)
  list(JOIN EMBED_FILES "|" names)
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${EMBED_FOLDER}" "-DFILES=${names}"
            "-DHEADER=${EMBED_HEADER}" "-DNAMESPACE=${EMBED_NAMESPACE}" "-DOUTPUT=${source}"
            -P "${ATOLL_EMBED_SCRIPT}"
    DEPENDS ${paths} "${ATOLL_EMBED_SCRIPT}"
    COMMENT "Embedding ${EMBED_FOLDER}" VERBATIM)
  target_sources(${target} PRIVATE "${source}")
endfunction()
