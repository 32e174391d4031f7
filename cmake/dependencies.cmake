# What Atoll needs from the machine. A missing piece ends here, with the name of the script that
# installs it, and not as a page of compiler errors.

include(CheckCXXSourceCompiles)
find_package(PkgConfig)
set(ATOLL_MISSING "")

# Headers only: Boost.JSON is compiled once, in src/base/boost_json.cpp, and Boost.System needs no
# library. So one -dev package does, and the static guest links no shared Boost.
find_path(ATOLL_BOOST_INCLUDE boost/version.hpp)
set(ATOLL_BOOST_VERSION 0)
if(ATOLL_BOOST_INCLUDE)
  file(STRINGS "${ATOLL_BOOST_INCLUDE}/boost/version.hpp" line REGEX "^#define BOOST_VERSION ")
  string(REGEX MATCH "[0-9]+" ATOLL_BOOST_VERSION "${line}")
endif()
if(ATOLL_BOOST_VERSION LESS 107900)  # 1.79 brought boost::system::result
  list(APPEND ATOLL_MISSING "Boost headers 1.79 or newer")
endif()
add_library(atoll_boost INTERFACE)
if(ATOLL_BOOST_INCLUDE)
  target_include_directories(atoll_boost SYSTEM INTERFACE "${ATOLL_BOOST_INCLUDE}")
endif()
target_compile_definitions(atoll_boost INTERFACE
  BOOST_ALL_NO_LIB BOOST_ASIO_NO_DEPRECATED)

function(atoll_need target module what)
  if(PkgConfig_FOUND)
    pkg_check_modules(${target} QUIET IMPORTED_TARGET GLOBAL ${module})
  endif()
  if(TARGET PkgConfig::${target})
    add_library(atoll::${target} ALIAS PkgConfig::${target})
  else()
    set(ATOLL_MISSING ${ATOLL_MISSING} "${what}" PARENT_SCOPE)
  endif()
endfunction()

# atoll::archive_inside: libarchive for the program that runs in sandboxes, which see the host's
# /usr and so may see no libarchive. Static, with the libraries that its formats need, if this
# machine's archives of them suffice for a program; else as shared as any other.
function(atoll_archive_inside)
  add_library(atoll_archive_inside INTERFACE)
  add_library(atoll::archive_inside ALIAS atoll_archive_inside)
  set(archives "")
  foreach(name archive nettle z bz2 lzma zstd)
    find_library(ATOLL_STATIC_${name} NAMES lib${name}.a)
    mark_as_advanced(ATOLL_STATIC_${name})
    list(APPEND archives "${ATOLL_STATIC_${name}}")
  endforeach()
  set(CMAKE_REQUIRED_LIBRARIES ${archives})
  # Formats that nobody asks for want further libraries; the linker leaves them out.
  set(unused_left_out -Wl,--gc-sections)
  set(CMAKE_REQUIRED_LINK_OPTIONS ${unused_left_out})
  set(CMAKE_REQUIRED_QUIET ON)
  if(NOT archives MATCHES "NOTFOUND")
    check_cxx_source_compiles("
      #include <archive.h>
      int main() {
        archive* in = archive_read_new();
        archive* out = archive_write_new();
        return archive_read_support_format_zip_seekable(in) + archive_read_support_format_7zip(in) +
               archive_read_support_format_tar(in) + archive_read_support_filter_gzip(in) +
               archive_read_support_filter_bzip2(in) + archive_read_support_filter_xz(in) +
               archive_read_support_filter_zstd(in) + archive_write_set_format_zip(out) +
               archive_write_set_format_pax(out) + archive_write_add_filter_gzip(out) +
               archive_write_add_filter_zstd(out);
      }" ATOLL_STATIC_ARCHIVE)
  endif()
  if(ATOLL_STATIC_ARCHIVE)
    target_link_libraries(atoll_archive_inside INTERFACE ${archives})
    target_link_options(atoll_archive_inside INTERFACE ${unused_left_out})
  elseif(TARGET PkgConfig::archive)
    message(STATUS "no static libarchive: sandboxes take it from this host's /usr")
    target_link_libraries(atoll_archive_inside INTERFACE PkgConfig::archive)
  endif()
endfunction()

if(NOT ATOLL_FUZZ)
  atoll_need(seccomp libseccomp libseccomp)
  atoll_need(cap libcap libcap)
  atoll_need(archive libarchive libarchive)
  atoll_need(spdlog spdlog spdlog)
  atoll_need(fmt fmt fmt)
  atoll_need(sqlite sqlite3 SQLite)
  atoll_need(openssl openssl OpenSSL)
  atoll_need(zlib zlib zlib)
  atoll_need(zstd libzstd zstd)
  atoll_need(curl libcurl libcurl)
  atoll_need(hiredis hiredis hiredis)
  if(TARGET PkgConfig::hiredis)
    # Debian's asks for _FILE_OFFSET_BITS, which says nothing on 64 bits and does not fit the
    # precompiled headers.
    set_property(TARGET PkgConfig::hiredis PROPERTY INTERFACE_COMPILE_OPTIONS "")
  endif()
  atoll_need(toml tomlplusplus toml++)
  atoll_need(prometheus prometheus-cpp-core prometheus-cpp)
  find_path(ATOLL_CLI11_INCLUDE CLI/CLI.hpp)
  if(NOT ATOLL_CLI11_INCLUDE)
    list(APPEND ATOLL_MISSING CLI11)
  endif()
  find_path(ATOLL_HNSWLIB_INCLUDE hnswlib/hnswlib.h)
  if(NOT ATOLL_HNSWLIB_INCLUDE)
    list(APPEND ATOLL_MISSING hnswlib)
  endif()
  atoll_archive_inside()
  find_package(GTest QUIET)  # without it there are no unit tests; ./scripts/setup test installs it
endif()
find_package(Threads REQUIRED)

if(ATOLL_MISSING)
  list(JOIN ATOLL_MISSING ", " missing)
  message(FATAL_ERROR "Missing to build Atoll: ${missing}.\nRun ./scripts/setup to install it.")
endif()
