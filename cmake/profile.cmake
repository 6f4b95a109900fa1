# What the compiler is told of how often each part of the program runs: docs/adr/0061-compiled-for-what-runs.md.
# It is told of rooms, programs and messages, not of tests, which so need not be compiled anew with it.

set(TOLLBRIDGE_PROFILE "" CACHE STRING
  "USE: compile for what cmake/tollbridge.profdata says; COUNT: compile programs that count; empty: neither")
set_property(CACHE TOLLBRIDGE_PROFILE PROPERTY STRINGS "" USE COUNT)

if(NOT TOLLBRIDGE_PROFILE MATCHES "^(USE|COUNT|)$")
  message(FATAL_ERROR "TOLLBRIDGE_PROFILE is USE, COUNT or empty, not '${TOLLBRIDGE_PROFILE}'")
elseif(TOLLBRIDGE_PROFILE AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "TOLLBRIDGE_PROFILE is for clang, whose format the profile has")
endif()
set(_tollbridge_profile "${PROJECT_SOURCE_DIR}/cmake/tollbridge.profdata")
if(TOLLBRIDGE_PROFILE STREQUAL "USE" AND NOT EXISTS "${_tollbridge_profile}")
  message(FATAL_ERROR "TOLLBRIDGE_PROFILE is USE, and there is no ${_tollbridge_profile}")
elseif(TOLLBRIDGE_PROFILE STREQUAL "COUNT")
  add_link_options(-fprofile-generate)
endif()

# tollbridge_profile(<target>): has the sources of a target be compiled so, if they are no test's. The
# target has all of them.
function(tollbridge_profile target)
  cmake_path(SET tests "${PROJECT_SOURCE_DIR}/tests")
  cmake_path(IS_PREFIX tests "${CMAKE_CURRENT_SOURCE_DIR}" is_test)
  if(TOLLBRIDGE_PROFILE STREQUAL "" OR is_test)
    return()
  endif()
  # Functions that only their file knows go by its name, not by where the sources lie, which differs.
  target_compile_options(${target} PRIVATE "SHELL:-mllvm -static-func-full-module-prefix=false")
  if(TOLLBRIDGE_PROFILE STREQUAL "COUNT")
    target_compile_options(${target} PRIVATE "-fprofile-generate=${PROJECT_BINARY_DIR}/counts")
    return()
  endif()
  # As the compiler sees it from the build folder: ccache takes an absolute path for another profile.
  file(RELATIVE_PATH profile "${PROJECT_BINARY_DIR}" "${_tollbridge_profile}")
  target_compile_options(${target} PRIVATE "-fprofile-use=${profile}"
    # What has changed since, and what was not called then, is compiled as ever.
    -Wno-profile-instr-out-of-date -Wno-profile-instr-unprofiled -Wno-backend-plugin)
  get_target_property(sources ${target} SOURCES)
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS "${_tollbridge_profile}")
endfunction()
