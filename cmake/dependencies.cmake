# What Atoll needs from the machine. A missing piece ends here, with the name of the script that
# installs it, and not as a page of compiler errors.

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
  find_package(GTest QUIET)  # without it there are no unit tests; ./scripts/setup test installs it
endif()
find_package(Threads REQUIRED)

if(ATOLL_MISSING)
  list(JOIN ATOLL_MISSING ", " missing)
  message(FATAL_ERROR "Missing to build Atoll: ${missing}.\nRun ./scripts/setup to install it.")
endif()
