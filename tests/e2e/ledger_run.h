#ifndef TOLLBRIDGE_TESTS_E2E_LEDGER_RUN_H_
#define TOLLBRIDGE_TESTS_E2E_LEDGER_RUN_H_

#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/ledger_programs.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {

/// What the payment service did to the merchant's money, by the order that shows it.
std::map<std::string, std::int64_t> MovedByOrder(const Stack& stack);

/// A consumer of examples/ with its database, at the events of a stack, which outlives it. Failures
/// are those of the running test.
class LedgerRun {
 public:
  LedgerRun(LedgerProgram program, const Stack& stack)
      : program_(std::move(program)), stack_(stack) {}

  /// Its command line, with these arguments at the end.
  std::vector<std::string> Command(const std::vector<std::string>& arguments,
                                   const std::string& group = "ledger") const;
  /// Has it book all that the topic holds.
  void ToEnd(const std::string& group = "ledger") const;
  boost::json::object Report() const;
  /// What it booked is what the payment service did, and there is nothing that a person has to look
  /// at.
  void ExpectThatOfThePaymentService() const;

 private:
  LedgerProgram program_;
  const Stack& stack_;
  TempFolder folder_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_LEDGER_RUN_H_
