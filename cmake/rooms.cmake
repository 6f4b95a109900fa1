# One target per room. A room is a folder: its sources are the .cc files in it, so that adding a
# file needs no change here; what it may use stands in its DEPS, which tests/architecture checks.

add_library(tollbridge_warnings INTERFACE)
target_compile_options(tollbridge_warnings INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Werror
  # A designated initializer names what differs from the default: that is what it is for.
  -Wno-missing-designated-field-initializers)
add_library(tollbridge::warnings ALIAS tollbridge_warnings)

# What every target of ours is compiled with.
function(_tollbridge_target target scope)
  target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}")
  if(NOT scope STREQUAL "INTERFACE")
    target_link_libraries(${target} PRIVATE tollbridge::warnings)
  endif()
endfunction()

function(_tollbridge_record target)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  list(JOIN ARG_DEPS " " deps)
  set_property(GLOBAL APPEND PROPERTY TOLLBRIDGE_LINK_GRAPH "${folder} ${target}: ${deps}")
endfunction()

# tollbridge_room(<name> [RECURSE] [DEPS targets...])
# The static library tollbridge_<name> from the *.cc of this folder, except main.cc and *_main.cc; with
# RECURSE from those of the folders below it too. A room that has only headers is an interface library.
function(tollbridge_room name)
  cmake_parse_arguments(ARG "RECURSE" "" "DEPS" ${ARGN})
  set(target tollbridge_${name})
  set(glob GLOB)
  if(ARG_RECURSE)
    set(glob GLOB_RECURSE)
  endif()
  file(${glob} sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc")
  list(FILTER sources EXCLUDE REGEX "(/|_)main\\.cc$")
  _tollbridge_record(${target} DEPS ${ARG_DEPS})
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC ${ARG_DEPS})
    _tollbridge_target(${target} PUBLIC)
    tollbridge_profile(${target})
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${ARG_DEPS})
    _tollbridge_target(${target} INTERFACE)
  endif()
endfunction()

# tollbridge_binary(<target> MAIN <file.cc> [DEPS targets...])
# A program that ships. Its main file may not be there yet.
function(tollbridge_binary target)
  cmake_parse_arguments(ARG "" "MAIN" "DEPS" ${ARGN})
  if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${ARG_MAIN}")
    return()
  endif()
  _tollbridge_record(${target} DEPS ${ARG_DEPS})
  add_executable(${target} ${ARG_MAIN})
  target_link_libraries(${target} PRIVATE ${ARG_DEPS})
  _tollbridge_target(${target} PRIVATE)
  tollbridge_profile(${target})
endfunction()

# tollbridge_program(<name> SOURCES files... [DEPS targets...])
# A program that does not ship and that no test starts, such as a benchmark: built only by its name.
function(tollbridge_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  _tollbridge_record(${name} DEPS ${ARG_DEPS})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  _tollbridge_target(${name} PRIVATE)
endfunction()

# tollbridge_test(<name> LABEL unit|contract|integration|e2e|architecture
#                 [ALSO sandbox|durability|events|interop|h2spec|observability...] (GLOB | GLOB_RECURSE | SOURCES files...) [DEPS targets...]
#                 [PROGRAMS targets...] [TIMEOUT seconds] [RUN dev|asan|all...] [PROCESSORS n] [SHARDS n]
#                 [LONG])
# A gtest program and its one ctest entry, whose results go to test-results/<name>.xml; with SHARDS as many
# entries, <name>.1 and so on, which share its cases and run side by side. LABEL is the kind of test; ALSO
# are labels that go across the kinds. GLOB takes the *.cc of this folder, GLOB_RECURSE those below it too.
# RUN says where ./dev test runs it: on the preset dev or under asan, or only with --all. Without it unit
# and contract tests run under asan, so that each unit is compiled once, and all others on dev, the
# sandbox's among them. PROCESSORS is how many of the places of a run it takes; a test that mostly waits
# takes one.
# Every source that names TOLLBRIDGE_SOURCE_DIR can find the sources there, and every test the PROGRAMS it
# starts beside itself (the folder of /proc/self/exe). LONG: it takes most of a minute or more, and begins
# before the others.
function(tollbridge_test name)
  cmake_parse_arguments(ARG "GLOB;GLOB_RECURSE;LONG" "LABEL;TIMEOUT;PROCESSORS;SHARDS" "ALSO;SOURCES;DEPS;PROGRAMS;RUN" ${ARGN})
  if(NOT TOLLBRIDGE_BUILD_TESTS)
    return()
  endif()
  if(NOT ARG_LABEL MATCHES "^(unit|contract|integration|e2e|architecture)$")
    message(FATAL_ERROR "${name}: no such label '${ARG_LABEL}'")
  endif()
  foreach(label IN LISTS ARG_ALSO)
    if(NOT label MATCHES "^(sandbox|durability|events|interop|h2spec|observability)$")
      message(FATAL_ERROR "${name}: no such further label '${label}'")
    endif()
  endforeach()
  if(ARG_GLOB)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc")
  elseif(ARG_GLOB_RECURSE)
    file(GLOB_RECURSE ARG_SOURCES CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc")
  endif()
  if(NOT ARG_SOURCES)
    return()
  endif()
  _tollbridge_record(${name} DEPS ${ARG_DEPS})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gmock_main GTest::gmock GTest::gtest)
  # Only where it is asked for: what is compiled with it is of use to this checkout alone.
  foreach(source IN LISTS ARG_SOURCES)
    get_filename_component(path "${source}" ABSOLUTE)
    file(STRINGS "${path}" found REGEX "TOLLBRIDGE_SOURCE_DIR" LIMIT_COUNT 1)
    if(found)
      set_property(SOURCE "${path}" PROPERTY
        COMPILE_DEFINITIONS "TOLLBRIDGE_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\"")
    endif()
  endforeach()
  _tollbridge_target(${name} PRIVATE)
  foreach(program IN LISTS ARG_PROGRAMS)
    if(TARGET ${program})
      add_dependencies(${name} ${program})
    endif()
  endforeach()
  set(entry PROGRAM ${name} LABELS ${ARG_LABEL} ${ARG_ALSO} RUN ${ARG_RUN} TIMEOUT ${ARG_TIMEOUT}
    PROCESSORS ${ARG_PROCESSORS} LONG ${ARG_LONG})
  if(NOT ARG_SHARDS)
    _tollbridge_test_entry(${name} ${entry})
    return()
  endif()
  math(EXPR last "${ARG_SHARDS} - 1")
  foreach(shard RANGE ${last})
    math(EXPR number "${shard} + 1")
    _tollbridge_test_entry(${name}.${number} ${entry}
      ENVIRONMENT GTEST_TOTAL_SHARDS=${ARG_SHARDS} GTEST_SHARD_INDEX=${shard})
  endforeach()
endfunction()

# tollbridge_test_part(<name> OF <test> FILTER <gtest filter> LABELS labels... [TIMEOUT seconds]
#                      [RUN dev|asan|all...] [PROCESSORS n] [ENVIRONMENT assignments...] [LONG])
# One more ctest entry for the program of a test, which runs beside it.
function(tollbridge_test_part name)
  cmake_parse_arguments(ARG "LONG" "OF;FILTER;TIMEOUT;PROCESSORS" "LABELS;RUN;ENVIRONMENT" ${ARGN})
  if(NOT TARGET ${ARG_OF})
    return()
  endif()
  add_custom_target(${name} DEPENDS ${ARG_OF})
  _tollbridge_test_entry(${name} PROGRAM ${ARG_OF} FILTER ${ARG_FILTER} LABELS ${ARG_LABELS}
    RUN ${ARG_RUN} TIMEOUT ${ARG_TIMEOUT} PROCESSORS ${ARG_PROCESSORS} LONG ${ARG_LONG}
    ENVIRONMENT ${ARG_ENVIRONMENT})
endfunction()

function(_tollbridge_test_entry name)
  cmake_parse_arguments(ARG "" "PROGRAM;FILTER;TIMEOUT;PROCESSORS;LONG" "LABELS;RUN;ENVIRONMENT" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  list(GET ARG_LABELS 0 kind)
  if(NOT ARG_RUN)
    set(ARG_RUN dev)
    if(kind MATCHES "^(unit|contract)$" AND NOT "sandbox" IN_LIST ARG_LABELS)
      set(ARG_RUN asan)
    endif()
  endif()
  if(NOT ARG_PROCESSORS)
    set(ARG_PROCESSORS 1)
    if(kind MATCHES "^(unit|architecture)$")  # these compute
      set(ARG_PROCESSORS 2)
    endif()
  endif()
  set(labels ${ARG_LABELS})
  foreach(run IN LISTS ARG_RUN)
    if(NOT run MATCHES "^(dev|asan|all)$")
      message(FATAL_ERROR "${name}: no such run '${run}'")
    endif()
    list(APPEND labels run_${run})
  endforeach()
  set(filter)
  if(ARG_FILTER)
    set(filter "--gtest_filter=${ARG_FILTER}")
  endif()
  add_test(NAME ${name} COMMAND ${ARG_PROGRAM} ${filter}
    --gtest_output=xml:${CMAKE_BINARY_DIR}/test-results/${name}.xml)
  # What takes longest begins first: it bounds the run.
  set(cost 1)
  if(ARG_LONG)
    set(cost 2)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${ARG_TIMEOUT} COST ${cost}
    PROCESSORS ${ARG_PROCESSORS} ENVIRONMENT "${ARG_ENVIRONMENT}")
  foreach(label IN LISTS ARG_LABELS)
    set_property(GLOBAL APPEND PROPERTY TOLLBRIDGE_TESTS_${label} ${ARG_PROGRAM})
  endforeach()
endfunction()

# tollbridge_fuzz(<name> [ALSO sandbox|durability|events] [SOURCES further files...] [DEPS targets...])
# <name>.cc defines LLVMFuzzerTestOneInput; its inputs are the files of corpus/<name>. In the preset
# fuzz it is the libFuzzer program fuzz_<name>. In every other one it is the unit test
# <name>_corpus_test, which gives each of those files to it once.
function(tollbridge_fuzz name)
  cmake_parse_arguments(ARG "" "ALSO" "SOURCES;DEPS" ${ARGN})
  if(TOLLBRIDGE_FUZZ)
    tollbridge_program(fuzz_${name} SOURCES ${name}.cc ${ARG_SOURCES} DEPS ${ARG_DEPS})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  elseif(TOLLBRIDGE_BUILD_TESTS)
    tollbridge_test(${name}_corpus_test LABEL unit ALSO ${ARG_ALSO}
      SOURCES ${name}.cc ${ARG_SOURCES} corpus_test.cc DEPS ${ARG_DEPS})
    target_compile_definitions(${name}_corpus_test PRIVATE
      TOLLBRIDGE_CORPUS="${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name}")
  endif()
endfunction()

# Called last: precompiled headers, one target per label that builds its tests, and the link graph as a
# text file, one "<folder> <target>: <deps>" a line, for tests/architecture.
function(tollbridge_finish)
  tollbridge_precompile_all()
  foreach(label unit contract integration e2e architecture sandbox durability events interop h2spec)
    get_property(tests GLOBAL PROPERTY TOLLBRIDGE_TESTS_${label})
    list(REMOVE_DUPLICATES tests)
    add_custom_target(tests_${label} DEPENDS ${tests})
  endforeach()
  get_property(graph GLOBAL PROPERTY TOLLBRIDGE_LINK_GRAPH)
  list(JOIN graph "\n" text)
  file(WRITE "${CMAKE_BINARY_DIR}/link-graph.txt" "${text}\n")
endfunction()
