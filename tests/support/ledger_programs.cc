#include "tests/support/ledger_programs.h"

#include <cstdlib>

namespace tollbridge::test {

std::vector<LedgerProgram> LedgerPrograms() {
  std::vector<LedgerProgram> programs;
  if (const char* python = std::getenv("TOLLBRIDGE_PYTHON")) {
    programs.push_back(
        {"Python", {python, TOLLBRIDGE_SOURCE_DIR "/examples/python/ledger_consumer.py"}});
  }
  const char* go = std::getenv("TOLLBRIDGE_GO_LEDGER");
  if (go != nullptr && *go != '\0') programs.push_back({"Go", {go}});
  return programs;
}

}  // namespace tollbridge::test
