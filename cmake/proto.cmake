# tollbridge_proto: every .proto under proto/, messages only. The server binds its methods by
# descriptor and clients are generic, so no gRPC services are generated.
#
# The objects go into each executable as they are, not through an archive: a linker takes from an
# archive only what someone refers to, and a service that is known by descriptor alone would be
# missing from the descriptor pool.

file(GLOB_RECURSE tollbridge_protos CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/proto"
  "${PROJECT_SOURCE_DIR}/proto/*.proto")

set(proto_out "${CMAKE_BINARY_DIR}/proto")
file(MAKE_DIRECTORY "${proto_out}")
set(proto_sources)
set(proto_headers)
foreach(proto IN LISTS tollbridge_protos)
  string(REGEX REPLACE "\\.proto$" "" stem "${proto}")
  add_custom_command(
    OUTPUT "${proto_out}/${stem}.pb.cc" "${proto_out}/${stem}.pb.h"
    COMMAND protobuf::protoc
      --proto_path "${PROJECT_SOURCE_DIR}/proto" --cpp_out "${proto_out}"
      --dependency_out "${proto_out}/${stem}.d" "${PROJECT_SOURCE_DIR}/proto/${proto}"
    DEPENDS "${PROJECT_SOURCE_DIR}/proto/${proto}"
    DEPFILE "${proto_out}/${stem}.d"
    COMMENT "protoc ${proto}"
    VERBATIM)
  get_filename_component(folder "${proto_out}/${stem}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  list(APPEND proto_sources "${proto_out}/${stem}.pb.cc")
  list(APPEND proto_headers "${proto_out}/${stem}.pb.h")
endforeach()

add_library(tollbridge_proto INTERFACE)
target_include_directories(tollbridge_proto SYSTEM INTERFACE "${proto_out}")
target_link_libraries(tollbridge_proto INTERFACE protobuf::libprotobuf Threads::Threads)

if(proto_sources)
  add_custom_target(tollbridge_proto_headers DEPENDS ${proto_headers})
  add_library(tollbridge_proto_objects OBJECT ${proto_sources})
  add_dependencies(tollbridge_proto_objects tollbridge_proto_headers)
  target_include_directories(tollbridge_proto_objects SYSTEM PUBLIC "${proto_out}")
  target_link_libraries(tollbridge_proto_objects PUBLIC protobuf::libprotobuf)
  target_compile_options(tollbridge_proto_objects PRIVATE -w)
  tollbridge_profile(tollbridge_proto_objects)

  add_dependencies(tollbridge_proto tollbridge_proto_headers)
  set_property(TARGET tollbridge_proto PROPERTY INTERFACE_LINK_LIBRARIES_DIRECT
    "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:tollbridge_proto_objects>")
endif()
