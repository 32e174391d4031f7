# atoll_room(<folder> [DEPENDS room...] [LINK library...] [HEAVY])
#
# Makes one folder a room:
#   *.cpp          the static library atoll_<room> (headers only: an interface library)
#   *_test.cpp     one GoogleTest program <room>_tests, registered with CTest
#   *_fuzz.cpp     one libFuzzer program each, in the preset fuzz
#   main.cpp       left to the caller
# A room's name is its folder with / as _: runtimes/native is atoll_runtimes_native. DEPENDS names
# rooms so, and must agree with the table in src/README.md. HEAVY: uses Asio or Boost.JSON in most
# of its files, so it takes the shared precompiled header.

function(atoll_room folder)
  cmake_parse_arguments(PARSE_ARGV 1 ROOM "HEAVY" "" "DEPENDS;LINK")
  if(ROOM_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "atoll_room(${folder}): unknown argument ${ROOM_UNPARSED_ARGUMENTS}")
  endif()
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_SOURCE_DIR}"
             OUTPUT_VARIABLE here)
  string(REGEX REPLACE "^src/?" "" here "${here}")
  cmake_path(APPEND here "${folder}" OUTPUT_VARIABLE room)
  string(REPLACE "/" "_" room "${room}")

  file(GLOB tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*_test.cpp")
  file(GLOB fuzzers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*_fuzz.cpp")
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "(_test|_fuzz|/main)\\.cpp$")
  if(ATOLL_FUZZ)
    # clang 14 cannot assemble coroutines with its sanitizers, and no fuzzer has any.
    list(FILTER sources EXCLUDE REGEX "/base/scope\\.cpp$")
  endif()

  set(library atoll_${room})
  if(sources)
    add_library(${library} STATIC ${sources})
    set(how PUBLIC)
    if(ROOM_HEAVY)
      atoll_use_heavy_headers(${library})
    endif()
    # The guest includes little but libc, and gains nothing by it.
    if(ATOLL_UNITY AND NOT CMAKE_CURRENT_SOURCE_DIR STREQUAL "${PROJECT_SOURCE_DIR}/guest")
      set_target_properties(${library} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
    endif()
  else()
    add_library(${library} INTERFACE)
    set(how INTERFACE)
  endif()
  if(ATOLL_FUZZ AND sources)
    set_target_properties(${library} PROPERTIES EXCLUDE_FROM_ALL ON)  # only what a fuzzer links
  endif()

  # Two roots: "base/fd.hpp" on the host's side, "guest/lib/loop.hpp" on the other, so that the
  # trust line can be seen in an #include.
  target_include_directories(${library} ${how}
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}")
  list(TRANSFORM ROOM_DEPENDS PREPEND atoll_)
  target_link_libraries(${library} ${how} atoll_boost ${ROOM_DEPENDS} ${ROOM_LINK})

  if(ATOLL_FUZZ)
    foreach(source IN LISTS fuzzers)
      cmake_path(GET source STEM name)
      add_executable(${name} "${source}")
      target_link_libraries(${name} PRIVATE ${library})
      target_link_options(${name} PRIVATE -fsanitize=fuzzer)
      set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzzers")
    endforeach()
  elseif(tests AND GTest_FOUND)
    add_executable(${room}_tests EXCLUDE_FROM_ALL ${tests})
    add_dependencies(unit-tests ${room}_tests)
    # Compiled often, run once.
    target_compile_options(${room}_tests PRIVATE $<$<CONFIG:Release>:-O0>)
    target_link_libraries(${room}_tests PRIVATE ${library} GTest::gtest_main Threads::Threads)
    atoll_use_heavy_headers(${room}_tests TESTS)
    set_target_properties(${room}_tests PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    add_test(NAME ${room} COMMAND ${room}_tests)
    set_tests_properties(${room} PROPERTIES TIMEOUT 120)
  endif()
endfunction()

# atoll_fuzzer(<file> SOURCES <file>... DEPENDS <room>...)
#
# A libFuzzer program of a room that has coroutines elsewhere: with its pure files alone.
function(atoll_fuzzer source)
  cmake_parse_arguments(PARSE_ARGV 1 FUZZER "" "" "SOURCES;DEPENDS")
  cmake_path(GET source STEM name)
  add_executable(${name} "${source}" ${FUZZER_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  list(TRANSFORM FUZZER_DEPENDS PREPEND atoll_)
  target_link_libraries(${name} PRIVATE atoll_boost ${FUZZER_DEPENDS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzzers")
endfunction()

# Asio, Boost.JSON and GoogleTest cost seconds in each file. They are compiled once and the result
# is lent to every HEAVY room, and a second time, with GoogleTest, to every test: one precompiled
# header each would cost more than it saves.
function(atoll_use_heavy_headers target)
  set(heavy atoll_heavy)
  set(headers "${PROJECT_SOURCE_DIR}/cmake/heavy.hpp")
  set(libraries atoll_boost)
  if("TESTS" IN_LIST ARGN)
    set(heavy atoll_heavy_tests)
    list(APPEND headers <gtest/gtest.h>)
    list(APPEND libraries GTest::gtest_main Threads::Threads)
  endif()
  if(NOT TARGET ${heavy})
    set(source "${PROJECT_BINARY_DIR}/${heavy}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Carries the precompiled header.\n")
    add_library(${heavy} OBJECT "${source}")
    target_link_libraries(${heavy} PRIVATE ${libraries})
    target_precompile_headers(${heavy} PRIVATE ${headers})
    if("TESTS" IN_LIST ARGN)
      # As the tests are compiled: programs, not libraries.
      target_compile_options(${heavy} PRIVATE -fPIE $<$<CONFIG:Release>:-O0>)
      set_target_properties(${heavy} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${heavy})
endfunction()
