# Four precompiled headers: for the rooms and for the tests, each with and without the contract's
# messages. They take an ordinary file to a third of what it costs. The release preset goes without, so
# that a missing include is found. What has the headers for tests is compiled without optimization: it is
# most of what is compiled and least of what runs.

option(TOLLBRIDGE_PRECOMPILE "Use precompiled headers" OFF)

# tollbridge_precompiled_header(<target> <header in cmake/> [libraries...])
# ccache must not ask which folder the checkout is in: the header is named as the compiler finds it, and
# beside what is compiled from it, in which paths are absolute, lies a text that is always the same. What
# the header holds, ccache sees in the dependency file of each unit that uses it.
function(tollbridge_precompiled_header target header)
  set(source "${CMAKE_BINARY_DIR}/${target}.cc")
  file(CONFIGURE OUTPUT "${source}" CONTENT "")
  add_library(${target} OBJECT "${source}")
  target_link_libraries(${target} PRIVATE
    tollbridge::warnings tb::boost absl::status absl::statusor ${ARGN})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_precompile_headers(${target} PRIVATE <cmake/${header}>)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch.sum"
    CONTENT "${target}\n")
  # Without its time stamp ccache sees when a precompiled header has not changed.
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

if(TOLLBRIDGE_PRECOMPILE)
  # A precompiled header fits only what is compiled with the same code-generation flags.
  set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
  add_compile_options(-fPIE -pthread)
  add_link_options(-pie)
  # Without the second -include of CMake's own list, whose path ccache does not make relative.
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
endif()

# Called when all targets are known: one line each, "<folder> <target>: <deps>", in TOLLBRIDGE_LINK_GRAPH.
# Each of them reuses the header that fits it, by what it links to itself and through others.
function(tollbridge_precompile_all)
  if(NOT TOLLBRIDGE_PRECOMPILE)
    return()
  endif()
  tollbridge_precompiled_header(tollbridge_pch precompiled.h)
  tollbridge_precompiled_header(tollbridge_pch_proto precompiled_proto.h tollbridge_proto)
  if(TOLLBRIDGE_BUILD_TESTS)
    tollbridge_precompiled_header(tollbridge_pch_test precompiled_test.h GTest::gmock GTest::gtest)
    tollbridge_precompiled_header(tollbridge_pch_proto_test precompiled_proto_test.h
      tollbridge_proto GTest::gmock GTest::gtest)
    _tollbridge_without_optimization(tollbridge_pch_test)
    _tollbridge_without_optimization(tollbridge_pch_proto_test)
  endif()
  get_property(graph GLOBAL PROPERTY TOLLBRIDGE_LINK_GRAPH)
  foreach(line IN LISTS graph)
    string(REGEX MATCH "^[^ ]+ ([^:]+): (.*)$" matched "${line}")
    set(target ${CMAKE_MATCH_1})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "INTERFACE_LIBRARY")
      continue()
    endif()
    get_target_property(without ${target} DISABLE_PRECOMPILE_HEADERS)
    if(without)
      continue()
    endif()
    set(header tollbridge_pch)
    _tollbridge_links_to(${target} tollbridge_proto proto)
    if(proto)
      string(APPEND header _proto)
    endif()
    get_target_property(links ${target} LINK_LIBRARIES)
    if("GTest::gtest" IN_LIST links)
      string(APPEND header _test)
      _tollbridge_without_optimization(${target})
    endif()
    target_precompile_headers(${target} REUSE_FROM ${header})
  endforeach()
endfunction()

# _tollbridge_without_optimization(<target>): a preset that says so already gets no second word of it, so
# that what ccache has of it stays valid.
function(_tollbridge_without_optimization target)
  if(NOT CMAKE_CXX_FLAGS_DEBUG MATCHES "-O0")
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# _tollbridge_links_to(<target> <library> <result>): whether it does, itself or through targets of ours.
function(_tollbridge_links_to target library result)
  get_property(known GLOBAL PROPERTY "_TOLLBRIDGE_${target}_LINKS_TO_${library}" SET)
  if(NOT known)
    set(found FALSE)
    get_target_property(links ${target} LINK_LIBRARIES)
    get_target_property(passed_on ${target} INTERFACE_LINK_LIBRARIES)
    set(all ${links} ${passed_on})
    if("${library}" IN_LIST all)
      set(found TRUE)
    else()
      foreach(link IN LISTS all)
        if(NOT found AND link MATCHES "^tollbridge_" AND TARGET ${link})
          _tollbridge_links_to(${link} ${library} found)
        endif()
      endforeach()
    endif()
    set_property(GLOBAL PROPERTY "_TOLLBRIDGE_${target}_LINKS_TO_${library}" "${found}")
  endif()
  get_property(found GLOBAL PROPERTY "_TOLLBRIDGE_${target}_LINKS_TO_${library}")
  set(${result} "${found}" PARENT_SCOPE)
endfunction()
