#ifndef TOLLBRIDGE_TESTS_E2E_DEV_SCRIPT_H_
#define TOLLBRIDGE_TESTS_E2E_DEV_SCRIPT_H_

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/process.h"

namespace tollbridge::test {

/// Runs a line of bash in the checkout's root.
Finished Bash(const std::string& line, const Environment& environment = {},
              std::chrono::milliseconds limit = std::chrono::seconds(60));

/// `./dev demo` or `./dev up`, run in the checkout's root, its stdout and stderr in one pipe. It is
/// killed with this object. Members are for one thread.
class DevScript {
 public:
  explicit DevScript(const std::string& arguments, const Environment& environment = {});

  /// Waits until it has paid its order and told what to try. False when it did not come to that.
  bool WaitUntilItStaysUp();

  std::string output() const { return process_.standard_output(); }
  /// The folder that it says its files are in, such as `build/demo`.
  std::string folder() const;
  /// The order that it paid; empty when it shows none.
  std::string order() const;
  /// A value of its addresses.env; empty when there is none.
  std::string Address(const std::string& name) const;

  /// Every process that it has started and that still runs.
  std::vector<pid_t> Descendants() const;

  /// Sends SIGINT, as Ctrl-C does. Gives the exit code; nullopt when it does not end.
  std::optional<int> Interrupt();
  /// Kills it (SIGKILL), which it cannot see coming.
  void Kill() { process_.Kill(); }
  /// The exit code; nullopt when it still runs at the limit.
  std::optional<int> WaitForExit(std::chrono::milliseconds limit);

 private:
  Process process_;
};

/// Whether none of the processes runs, now or soon.
bool AllEnd(const std::vector<pid_t>& processes);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_DEV_SCRIPT_H_
