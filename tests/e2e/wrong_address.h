#ifndef TOLLBRIDGE_TESTS_E2E_WRONG_ADDRESS_H_
#define TOLLBRIDGE_TESTS_E2E_WRONG_ADDRESS_H_

#include <string>
#include <vector>

#include "tests/support/held_port.h"

namespace tollbridge::test {

/// The kinds of WrongAddress.
inline constexpr const char* kWrongAddresses[] = {"closed", "silent", "unknown"};

/// An address at which there is nothing for a program, for as long as this object lives:
/// connections are refused ("closed"), or come about and are never answered ("silent"), or its name
/// does not resolve ("unknown"). Nobody else can get the port meanwhile. Any thread.
class WrongAddress {
 public:
  /// Throws std::runtime_error when no port can be taken.
  explicit WrongAddress(const std::string& kind);

  /// "host:port"
  const std::string& text() const { return text_; }

 private:
  HeldPort port_;
  std::string text_;
};

/// Expects that the command ends within seconds and not with 0, and that what it writes are three
/// lines at most, of which one says that it cannot reach the address.
void ExpectSaysThatItCannotReach(const WrongAddress& address,
                                 const std::vector<std::string>& command);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_WRONG_ADDRESS_H_
