#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_LEDGERS_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_LEDGERS_H_

#include <memory>
#include <string>
#include <vector>

#include "tests/chaos/events_driver/cluster.h"
#include "tests/support/ledger_programs.h"
#include "tests/support/process.h"

namespace tollbridge::pipeline {

/// The example consumers, which keep their ledgers behind the run. One that ends, as it may when
/// brokers go away, is started again, as an orchestrator does it. For the thread that made the
/// cluster.
class Ledgers {
 public:
  /// Starts those that there are; their files go to the folder. Throws std::runtime_error where
  /// there is none.
  Ledgers(Cluster* cluster, const std::string& folder);

  /// "Python", "Go".
  std::vector<std::string> Books() const;
  /// Starts those again that have ended, unless Kafka is away.
  void Step(bool kafka_is_there);
  /// SIGKILL.
  void Kill(const std::string& book);
  /// How often one was started again.
  int restarts() const { return restarts_; }
  /// Lets each read to the end of the topic, and writes what they have booked for the auditor.
  /// Throws std::runtime_error when one does not come to the end.
  void Collect();

 private:
  struct Ledger {
    test::LedgerProgram program;
    std::unique_ptr<test::Process> process;
  };

  std::vector<std::string> Command(const Ledger& ledger, const std::string& option) const;

  Cluster& cluster_;
  std::string folder_;
  std::vector<Ledger> ledgers_;
  int restarts_ = 0;
};

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_LEDGERS_H_
