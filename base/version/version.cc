#include "base/version/version.h"

namespace tollbridge {

std::string VersionLine(std::string_view program) {
  std::string line(program);
  line.append(" ").append(Version()).append(" (commit ").append(Revision()).append(")");
  return line;
}

}  // namespace tollbridge
