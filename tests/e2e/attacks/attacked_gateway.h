#ifndef TOLLBRIDGE_TESTS_E2E_ATTACKS_ATTACKED_GATEWAY_H_
#define TOLLBRIDGE_TESTS_E2E_ATTACKS_ATTACKED_GATEWAY_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {

/// Whether the bounds count that hold on an idle machine alone, and all settings are as they are
/// when nobody sets them: ./dev bench attacks.
bool IsStrict();

/// The ports of `tollbridge serve` under `ulimit -n 1024`, beside honest callers. Without
/// IsStrict() its timeouts are shorter, so that a run is.
class AttackedGateway {
 public:
  explicit AttackedGateway(bool tls, const std::string& roles = "[rpc]");

  /// Runs the attack beside 200 honest calls a second; in the strict form again and again for ten
  /// seconds. Fails the test unless
  /// - every honest call is answered OK, and in the strict form 99 of 100 within 50 ms,
  /// - an honest caller who comes anew afterwards is answered,
  /// - the gateway lives, and never had more than 150 MB of resident memory,
  /// - and has counted at least `least` refusals for the cause each time.
  /// Prints a line of figures.
  void Endures(const std::string& name, std::string_view cause, double least,
               const std::function<void()>& attack);

  /// Refusals for that cause, since it began.
  double Refusals(std::string_view cause) const;
  /// Waits until there are so many more than `before`. Whether it was so.
  bool AwaitRefusals(std::string_view cause, double before, double more) const;

  std::uint16_t port() const;
  std::uint16_t metrics_port() const;
  std::uint16_t webhooks_port() const;
  Stack& stack() { return *stack_; }

 private:
  TempFolder folder_;
  std::unique_ptr<Stack> stack_;
  std::string order_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_ATTACKS_ATTACKED_GATEWAY_H_
