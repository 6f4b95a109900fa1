#ifndef TOLLBRIDGE_TESTS_E2E_LEDGER_PROGRAMS_H_
#define TOLLBRIDGE_TESTS_E2E_LEDGER_PROGRAMS_H_

#include <cstdlib>
#include <string>
#include <vector>

namespace tollbridge::test {

/// A consumer of examples/: how it is started, without its options.
struct LedgerProgram {
  std::string language;
  std::vector<std::string> command;
};

/// The example consumers in Python and Go, which take the same options. Go's is not among them
/// where Go is missing: ./dev test says so then.
inline std::vector<LedgerProgram> LedgerPrograms() {
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

#endif  // TOLLBRIDGE_TESTS_E2E_LEDGER_PROGRAMS_H_
