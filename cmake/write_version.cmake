# Writes WRITTEN, the source that holds VERSION and the commit of SOURCES; REVISION is the commit where
# git does not know it. Leaves a file alone that says the same.
if(NOT REVISION)
  execute_process(COMMAND git -C "${SOURCES}" describe --always --abbrev=12 --dirty --exclude=*
    OUTPUT_VARIABLE REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT REVISION)
  set(REVISION unknown)
endif()
if(NOT REVISION MATCHES "^[0-9A-Za-z._+-]+$")
  message(FATAL_ERROR "TOLLBRIDGE_REVISION: '${REVISION}' is no name of a commit")
endif()
file(CONFIGURE OUTPUT "${WRITTEN}" @ONLY CONTENT [[
#include "base/version/version.h"

namespace tollbridge {

std::string_view Version() { return "@VERSION@"; }
std::string_view Revision() { return "@REVISION@"; }

}  // namespace tollbridge
]])
