#include "tests/chaos/driver/redis_ways.h"

namespace tollbridge::chaos {

void RedisWays::Lead(std::uint16_t port) {
  port_ = port;
  for (std::size_t i = 0; i < kGateways; ++i) {
    if (!is_cut_off_.at(i)) ways_.at(i).SetUpstream(port_);
  }
}

void RedisWays::Cut() {
  for (test::TcpProxy& way : ways_) way.Cut();
}

void RedisWays::SetDelay(Millis delay) {
  for (test::TcpProxy& way : ways_) way.SetDelay(delay);
}

void RedisWays::CutOff(std::size_t gateway) {
  is_cut_off_.at(gateway) = true;
  ways_.at(gateway).SetUpstream(0);
  ways_.at(gateway).Cut();
}

void RedisWays::HoldAnswers(std::size_t gateway) { ways_.at(gateway).HoldAnswers(true); }

void RedisWays::Rejoin(std::size_t gateway) {
  is_cut_off_.at(gateway) = false;
  ways_.at(gateway).SetUpstream(port_);
  ways_.at(gateway).HoldAnswers(false);
}

}  // namespace tollbridge::chaos
