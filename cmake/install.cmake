# What `cmake --install` puts where, in two components: tollbridge and tollbridge-sandbox.

include(GNUInstallDirs)

# Libraries that the machine it is for has not, as a regular expression over their names: they are
# installed beside the program, which looks there first.
set(TOLLBRIDGE_CARRIED_LIBRARIES "" CACHE STRING "Libraries to install with the programs")

function(tollbridge_install target)
  set(private_libraries "lib/${target}")
  if(TOLLBRIDGE_CARRIED_LIBRARIES)
    file(RELATIVE_PATH from_programs "/${CMAKE_INSTALL_BINDIR}" "/${private_libraries}")
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${from_programs}")
    # As a DT_RPATH, which also holds for what the carried libraries need.
    target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
    install(TARGETS ${target} RUNTIME_DEPENDENCY_SET ${target}_libraries RUNTIME COMPONENT ${target})
    install(RUNTIME_DEPENDENCY_SET ${target}_libraries
      PRE_INCLUDE_REGEXES "${TOLLBRIDGE_CARRIED_LIBRARIES}" PRE_EXCLUDE_REGEXES ".*"
      LIBRARY DESTINATION "${private_libraries}" COMPONENT ${target})
  else()
    install(TARGETS ${target} RUNTIME COMPONENT ${target})
  endif()
endfunction()

tollbridge_install(tollbridge)
tollbridge_install(tollbridge-sandbox)
install(FILES deploy/completions/tollbridge COMPONENT tollbridge
  DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES docs/config.example.yaml COMPONENT tollbridge
  DESTINATION "${CMAKE_INSTALL_DOCDIR}/examples")
install(DIRECTORY docs/guides docs/runbooks COMPONENT tollbridge
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES docs/guides/sandbox.md COMPONENT tollbridge-sandbox
  DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/tollbridge-sandbox")

install(DIRECTORY deploy/observability/rules deploy/observability/dashboards COMPONENT tollbridge
  DESTINATION "${CMAKE_INSTALL_DATADIR}/tollbridge/observability" FILES_MATCHING PATTERN "*.yaml" PATTERN "*.json")
install(FILES deploy/observability/alertmanager.yaml COMPONENT tollbridge
  DESTINATION "${CMAKE_INSTALL_DATADIR}/tollbridge/observability")

# Manual pages, of what the programs say of themselves.
find_program(TOLLBRIDGE_HELP2MAN help2man)
if(TOLLBRIDGE_HELP2MAN)
  foreach(target tollbridge tollbridge-sandbox)
    set(pages "${CMAKE_BINARY_DIR}/man/${target}")
    add_custom_command(OUTPUT "${pages}/written" DEPENDS ${target} scripts/man_pages.sh
      COMMAND scripts/man_pages.sh $<TARGET_FILE:${target}> "${pages}"
      COMMAND ${CMAKE_COMMAND} -E touch "${pages}/written"
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" VERBATIM)
    add_custom_target(man_${target} DEPENDS "${pages}/written")
    install(DIRECTORY "${pages}/" COMPONENT ${target} OPTIONAL
      DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" FILES_MATCHING PATTERN "*.1")
  endforeach()
  add_custom_target(man DEPENDS man_tollbridge man_tollbridge-sandbox)
endif()
