#ifndef TOLLBRIDGE_TESTS_SUPPORT_HELD_PORT_H_
#define TOLLBRIDGE_TESTS_SUPPORT_HELD_PORT_H_

#include <cstdint>

namespace tollbridge::test {

/// A free port of 127.0.0.1 that nobody else can get while this object lives, and at which
/// connections are refused. Any thread.
class HeldPort {
 public:
  /// Throws std::runtime_error when there is none.
  HeldPort();
  ~HeldPort();
  HeldPort(const HeldPort&) = delete;
  HeldPort& operator=(const HeldPort&) = delete;

  std::uint16_t port() const { return port_; }
  /// From now on the kernel takes connections, which nobody answers.
  void Listen();

 private:
  const int fd_;
  std::uint16_t port_ = 0;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_HELD_PORT_H_
