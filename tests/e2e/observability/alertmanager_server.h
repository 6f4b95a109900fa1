#ifndef TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_ALERTMANAGER_SERVER_H_
#define TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_ALERTMANAGER_SERVER_H_

#include <memory>
#include <set>
#include <string>

#include "tests/support/process.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {

/// A real Alertmanager with the shipped deploy/observability/alertmanager.yaml, on a free loopback
/// port and alone. It dies with the thread that started it. Members throw std::runtime_error when
/// it does not answer.
class AlertmanagerServer {
 public:
  AlertmanagerServer();

  /// An alert that has reached it and is not over.
  struct Alert {
    std::string name;
    bool page = false;
    /// Held back by another one.
    bool inhibited = false;
    /// The receiver that it is for.
    std::string receiver;
    bool operator<(const Alert& other) const { return name < other.name; }
  };
  std::set<Alert> Alerts() const;

  /// "127.0.0.1:port"
  const std::string& address() const { return address_; }

 private:
  TempFolder folder_;
  std::unique_ptr<Process> process_;
  std::string address_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_ALERTMANAGER_SERVER_H_
