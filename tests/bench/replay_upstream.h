#ifndef TOLLBRIDGE_TESTS_BENCH_REPLAY_UPSTREAM_H_
#define TOLLBRIDGE_TESTS_BENCH_REPLAY_UPSTREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tollbridge::bench {

/// A payment service that costs next to nothing, on a free loopback port and a thread of its own:
/// the first of equal requests goes on to the origin, and every later one gets the answer to the
/// first. All orders to create count as equal; what is created has another id in each answer.
/// Throws std::runtime_error when it cannot listen.
class ReplayUpstream {
 public:
  ReplayUpstream();
  ~ReplayUpstream();
  ReplayUpstream(const ReplayUpstream&) = delete;
  ReplayUpstream& operator=(const ReplayUpstream&) = delete;

  std::uint16_t port() const;
  /// `http://host:port`
  std::string url() const;

  /// Where the first requests go: a loopback port. Before it is set they are answered 404.
  void SetOrigin(std::uint16_t port);

  /// What was asked last, and answered.
  struct Exchange {
    /// The bytes of the request.
    std::string request;
    /// Bytes of the answer's body.
    std::size_t body_bytes = 0;
  };
  /// Of a method and target, "POST /v1/orders/". Empty when there was none.
  Exchange Last(const std::string& method_and_target) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tollbridge::bench

#endif  // TOLLBRIDGE_TESTS_BENCH_REPLAY_UPSTREAM_H_
