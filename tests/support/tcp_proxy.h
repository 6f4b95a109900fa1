#ifndef TOLLBRIDGE_TESTS_SUPPORT_TCP_PROXY_H_
#define TOLLBRIDGE_TESTS_SUPPORT_TCP_PROXY_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tollbridge::test {

/// Passes connections on a free loopback port on to another port, with a delay if wanted: a network
/// that can be made slow, cut, and pointed elsewhere. Any thread.
class TcpProxy {
 public:
  /// Listens; connections are reset until there is an upstream. Throws std::runtime_error when no
  /// port can be taken.
  TcpProxy();
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  /// "127.0.0.1:<port>"
  std::string address() const;
  std::uint16_t port() const;
  /// Where connections that come from now on lead; 0: nowhere, they are reset.
  void SetUpstream(std::uint16_t port);
  /// The same for several: they lead there in turn from the first, as a load balancer has it.
  void SetUpstreams(std::vector<std::uint16_t> ports);
  /// How long bytes lie here, each way.
  void SetDelay(std::chrono::milliseconds delay);
  /// While it holds them, what comes from upstream lies here; requests go on their way.
  void HoldAnswers(bool hold);
  /// Cuts the connections that there are.
  void Cut();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_TCP_PROXY_H_
