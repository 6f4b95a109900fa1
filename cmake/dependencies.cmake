# Everything that comes from outside, as targets. Versions and reasons: docs/dependencies.md.
# Debian's packages, plus librdkafka and hiredis, which ./dev setup builds as static libraries.

find_package(Threads REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(ZLIB REQUIRED)
# The module first: Debian has no config file for protobuf, and gRPC's wants the targets to exist.
find_package(Protobuf 3.21 REQUIRED MODULE)
find_package(absl REQUIRED CONFIG)
find_package(gRPC REQUIRED CONFIG)
find_package(opentelemetry-cpp REQUIRED CONFIG)
find_package(prometheus-cpp REQUIRED CONFIG)
find_package(yaml-cpp REQUIRED CONFIG)
find_package(CLI11 REQUIRED CONFIG)
find_package(Boost 1.83 REQUIRED CONFIG COMPONENTS headers json url)
find_package(PkgConfig REQUIRED)

# Asio, Beast, Uuid (headers), JSON and URL.
add_library(tollbridge_boost INTERFACE)
target_link_libraries(tollbridge_boost INTERFACE Boost::headers Boost::json Boost::url Threads::Threads)
target_compile_definitions(tollbridge_boost INTERFACE BOOST_ASIO_NO_DEPRECATED)
add_library(tb::boost ALIAS tollbridge_boost)

# The tracing interface alone; what exports goes only into adapters/telemetry.
add_library(tollbridge_opentelemetry INTERFACE)
target_link_libraries(tollbridge_opentelemetry INTERFACE opentelemetry-cpp::api)
add_library(tb::opentelemetry ALIAS tollbridge_opentelemetry)

add_library(tollbridge_opentelemetry_exporters INTERFACE)
target_link_libraries(tollbridge_opentelemetry_exporters INTERFACE
  opentelemetry-cpp::api opentelemetry-cpp::sdk opentelemetry-cpp::trace
  opentelemetry-cpp::resources)
add_library(tb::opentelemetry_exporters ALIAS tollbridge_opentelemetry_exporters)

# HTTP/2 of the gRPC server. Shared: Debian keeps it patched.
pkg_check_modules(nghttp2 REQUIRED IMPORTED_TARGET libnghttp2)
add_library(tb::nghttp2 ALIAS PkgConfig::nghttp2)

# Deflates what is short, with the codes that need not be made. Read by zlib.
pkg_check_modules(isal REQUIRED IMPORTED_TARGET libisal)
add_library(tb::isal ALIAS PkgConfig::isal)

# The gateway's allocator. A sanitizer brings its own. jemalloc without what base/memory takes the place of: its free
# has another name, its realloc is not called by any, its new and delete are left out, and base/memory comes before how it
# sets up a thread.
add_library(tollbridge_allocator INTERFACE)
string(TOUPPER "CMAKE_CXX_FLAGS_${CMAKE_BUILD_TYPE}" flags)
if(NOT "${${flags}}" MATCHES "-fsanitize")
  find_library(TOLLBRIDGE_JEMALLOC libjemalloc_pic.a REQUIRED)
  set(jemalloc "${PROJECT_BINARY_DIR}/jemalloc/libjemalloc.a")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/jemalloc")
  execute_process(COMMAND ${CMAKE_OBJCOPY} --redefine-sym free=tollbridge_jemalloc_free
                          --redefine-sym realloc=tollbridge_jemalloc_realloc "${TOLLBRIDGE_JEMALLOC}" "${jemalloc}.new"
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_AR} d "${jemalloc}.new" jemalloc_cpp.pic.o COMMAND_ERROR_IS_FATAL ANY)
  file(COPY_FILE "${jemalloc}.new" "${jemalloc}" ONLY_IF_DIFFERENT)
  target_link_options(tollbridge_allocator INTERFACE LINKER:--wrap=je_tsd_fetch_slow)
  target_link_libraries(tollbridge_allocator INTERFACE "${jemalloc}" Threads::Threads ${CMAKE_DL_LIBS} m)
endif()
add_library(tb::allocator ALIAS tollbridge_allocator)

if(NOT TARGET yaml-cpp)  # its name on Debian 13
  add_library(yaml-cpp ALIAS yaml-cpp::yaml-cpp)
endif()

# tollbridge_static_dependency(<name> LIBRARIES <archives in link order> LINK <what they need>)
function(tollbridge_static_dependency name)
  cmake_parse_arguments(ARG "" "" "LIBRARIES;LINK;DEFINITIONS" ${ARGN})
  set(prefix "${PROJECT_SOURCE_DIR}/build/deps/${name}")
  add_library(tollbridge_${name} INTERFACE)
  foreach(library IN LISTS ARG_LIBRARIES)
    set(archive "${prefix}/lib/lib${library}.a")
    if(NOT EXISTS "${archive}")
      message(FATAL_ERROR "${name} is not built: run ./dev setup")
    endif()
    target_link_libraries(tollbridge_${name} INTERFACE "${archive}")
  endforeach()
  target_include_directories(tollbridge_${name} SYSTEM INTERFACE "${prefix}/include")
  target_compile_definitions(tollbridge_${name} INTERFACE ${ARG_DEFINITIONS})
  target_link_libraries(tollbridge_${name} INTERFACE ${ARG_LINK})
endfunction()

tollbridge_static_dependency(librdkafka LIBRARIES rdkafka
  DEFINITIONS LIBRDKAFKA_STATICLIB
  LINK OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB zstd Threads::Threads ${CMAKE_DL_LIBS} m)
add_library(tb::rdkafka ALIAS tollbridge_librdkafka)

# hiredis_ssl uses hiredis, so it comes first.
tollbridge_static_dependency(hiredis LIBRARIES hiredis_ssl hiredis
  LINK OpenSSL::SSL OpenSSL::Crypto)
add_library(tb::hiredis ALIAS tollbridge_hiredis)

if(TOLLBRIDGE_BUILD_TESTS)
  find_package(GTest REQUIRED CONFIG)
  # Runs Redis' scripts in the Redis in memory of the tests. In no program that ships.
  pkg_check_modules(lua51 REQUIRED IMPORTED_TARGET lua5.1)
  add_library(tb::lua ALIAS PkgConfig::lua51)
endif()
