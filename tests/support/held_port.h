#ifndef TOLLBRIDGE_TESTS_SUPPORT_HELD_PORT_H_
#define TOLLBRIDGE_TESTS_SUPPORT_HELD_PORT_H_

#include <cstdint>

namespace tollbridge::test {

/// A free port of 127.0.0.1 that the kernel gives to nobody else while this object lives, neither
/// to who listens nor to who connects, and at which connections are refused. A server that is told
/// this port may listen at it meanwhile, and again, if it sets SO_REUSEADDR. Any thread.
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
