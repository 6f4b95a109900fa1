# One precompiled header for the rooms and one for the tests; they halve what an ordinary coroutine
# file costs to compile. The release preset goes without, so that a missing include is found.

option(TOLLBRIDGE_PRECOMPILE "Use precompiled headers" OFF)

# tollbridge_precompiled_header(<target> <header in cmake/> [libraries...])
function(tollbridge_precompiled_header target header)
  set(source "${CMAKE_BINARY_DIR}/${target}.cc")
  file(CONFIGURE OUTPUT "${source}" CONTENT "")
  add_library(${target} OBJECT "${source}")
  target_link_libraries(${target} PRIVATE
    tollbridge::warnings tb::boost absl::status absl::statusor ${ARGN})
  target_precompile_headers(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/${header}")
  # Without its time stamp ccache sees when a precompiled header has not changed.
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

if(TOLLBRIDGE_PRECOMPILE)
  # A precompiled header fits only what is compiled with the same code-generation flags.
  set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
  add_compile_options(-fPIE -pthread)
  add_link_options(-pie)
  tollbridge_precompiled_header(tollbridge_pch precompiled.h)
  if(TOLLBRIDGE_BUILD_TESTS)
    tollbridge_precompiled_header(tollbridge_pch_test precompiled_test.h GTest::gmock GTest::gtest)
  endif()
endif()

# Lets a target of ours use the header that fits it.
function(tollbridge_precompile target)
  if(TOLLBRIDGE_PRECOMPILE)
    get_target_property(links ${target} LINK_LIBRARIES)
    if("GTest::gtest" IN_LIST links)
      target_precompile_headers(${target} REUSE_FROM tollbridge_pch_test)
    else()
      target_precompile_headers(${target} REUSE_FROM tollbridge_pch)
    endif()
  endif()
endfunction()
