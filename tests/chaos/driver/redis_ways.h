#ifndef TOLLBRIDGE_TESTS_CHAOS_DRIVER_REDIS_WAYS_H_
#define TOLLBRIDGE_TESTS_CHAOS_DRIVER_REDIS_WAYS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/chaos/driver/options.h"
#include "tests/support/tcp_proxy.h"

namespace tollbridge::chaos {

inline constexpr std::size_t kGateways = 3;

/// The network between the gateways and Redis: each gateway has a way of its own, so that one alone
/// can be cut off. What is done to all leaves one that is cut off as it is. One thread.
class RedisWays {
 public:
  /// Where the gateway finds Redis, "127.0.0.1:<port>".
  std::string address(std::size_t gateway) const { return ways_.at(gateway).address(); }
  /// For the stack, whose commands go the first gateway's way.
  test::TcpProxy* first() { return &ways_.front(); }

  /// Where Redis is; 0: nowhere, connections are refused.
  void Lead(std::uint16_t port);
  /// Cuts the connections that there are.
  void Cut();
  void SetDelay(Millis delay);

  /// Resets the gateway's connections, those that it has and each that it makes.
  void CutOff(std::size_t gateway);
  /// What the gateway sends still gets to Redis, and no answer to it.
  void HoldAnswers(std::size_t gateway);
  /// Ends either.
  void Rejoin(std::size_t gateway);

 private:
  std::array<test::TcpProxy, kGateways> ways_;
  std::array<bool, kGateways> is_cut_off_{};
  std::uint16_t port_ = 0;
};

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_DRIVER_REDIS_WAYS_H_
