#ifndef TOLLBRIDGE_TESTS_SUPPORT_LEDGER_PROGRAMS_H_
#define TOLLBRIDGE_TESTS_SUPPORT_LEDGER_PROGRAMS_H_

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
std::vector<LedgerProgram> LedgerPrograms();

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_LEDGER_PROGRAMS_H_
