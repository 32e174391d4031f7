# How everything is compiled: the language, the warnings, and what makes a build on 2 cores short.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# One set of objects serves the server and the guest's shared library, so all are position
# independent and hidden: what the guest library exports is marked in its source and named in
# guest_exports.map.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion)
# Another compiler has other opinions, and must not keep anybody from building.
if(ATOLL_WERROR AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
   CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Unique symbols would bind to the libstdc++ of whichever Python extension came first.
  add_compile_options(-fno-gnu-unique)
  if(ATOLL_UNITY)
    # g++ takes the files of a unit for headers, in which anonymous namespaces would be a mistake.
    add_compile_options(-Wno-subobject-linkage)
  endif()
endif()
add_link_options(-Wl,--as-needed)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # Without warnings that depend on what was inlined: optimising, g++ 12 takes a short std::string
  # for one of half the address space.
  add_compile_options(-ffunction-sections -fdata-sections
    -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds -Wno-restrict
    -Wno-maybe-uninitialized -Wno-nonnull -Wno-free-nonheap-object -Wno-use-after-free
    -Wno-dangling-pointer)
  add_link_options(-Wl,--gc-sections)
endif()

if(ATOLL_SANITIZE)
  add_compile_options(-fsanitize=${ATOLL_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ATOLL_SANITIZE})
  if(ATOLL_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # Asio's own fences, which it cannot see
  endif()
  if(ATOLL_SANITIZE MATCHES "address")
    # Asio keeps the memory of coroutine frames and handlers for the next ones, so a use after free
    # would find something alive there.
    add_compile_definitions(BOOST_ASIO_DISABLE_AWAITABLE_FRAME_RECYCLING
                            BOOST_ASIO_DISABLE_SMALL_BLOCK_RECYCLING)
  endif()
  if(ATOLL_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)  # a finding must fail the test
  endif()
endif()
if(ATOLL_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "The fuzz preset needs clang; ./scripts/setup test installs it.")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(ATOLL_CCACHE ccache)
if(ATOLL_CCACHE)
  # Without this slackness ccache refuses to cache anything that uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      # Paths relative to the tree: a second clone or worktree finds what the first one compiled.
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      "${ATOLL_CCACHE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()

find_program(ATOLL_MOLD mold)
if(ATOLL_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
