#ifndef TOLLBRIDGE_BASE_NET_TURNS_H_
#define TOLLBRIDGE_BASE_NET_TURNS_H_

#include <absl/functional/any_invocable.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/core/boot_clock.h"
#include "base/core/signal.h"

namespace tollbridge::net {

/// Has a shard look at what was read, start calls, answer requests and take steps of TLS handshakes
/// a few at a time, and then lets everything else that is due there come first. Where more is
/// ready, each address has its turn, and what it makes waits for it: its calls and requests come
/// before what more it sends, so that they do not pile up. Used on its shard only. Internal to
/// base/net, base/wire and base/http.
class Turns : public std::enable_shared_from_this<Turns> {
 public:
  class Waiter;

  using Clock = BootTime (*)();
  explicit Turns(boost::asio::any_io_executor executor, Clock clock = &BootClock::now)
      : executor_(std::move(executor)), clock_(clock) {}
  /// Those of the shard: all its listeners share them. Any thread.
  static std::shared_ptr<Turns> Of(const boost::asio::any_io_executor& executor);

  /// Starts a call of that address, whose request has so many bytes: at once, where nothing waits
  /// and little was done in this turn.
  void Start(const std::string& source, std::size_t bytes, absl::AnyInvocable<void()> call);

 private:
  struct Work {
    absl::AnyInvocable<void()> start;
    /// What it costs, in calls.
    std::size_t weight = 1;
  };
  using Queue = std::list<Work>;
  struct Waiting {
    Queue calls;
    Queue others;
  };

  /// Whether what costs so much can be done now.
  bool Passes(std::size_t weight);
  Waiting& WaitsOf(const std::string& source);
  void TurnSoon();
  void Turn();

  boost::asio::any_io_executor executor_;
  Clock clock_;
  /// One in which nothing waits any more stays until its turn comes.
  std::unordered_map<std::string, Waiting> waiting_;
  /// The addresses in it, by turns.
  std::deque<std::string> turns_;
  BootTime began_{};      ///< the turn
  std::size_t done_ = 0;  ///< in it
  bool next_is_due_ = false;
};

/// A connection, which waits for one turn at a time. Its waits return at once where nothing else
/// waits and little was done. It outlives them.
class Turns::Waiter {
 public:
  Waiter(std::shared_ptr<Turns> turns, std::string source);
  ~Waiter() { Cancel(); }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  /// As Turns::Start, of its address.
  void Start(std::size_t bytes, absl::AnyInvocable<void()> call) {
    turns_->Start(source_, bytes, std::move(call));
  }
  /// Returns when so many bytes that came from that address may be looked at.
  boost::asio::awaitable<void> Read(std::size_t bytes);
  /// Returns when a request that is there may be answered.
  boost::asio::awaitable<void> Answer();
  /// Returns when a step of a TLS handshake may be taken.
  boost::asio::awaitable<void> Handshake();
  /// Has the wait under way end now, and those that come then: what waited is not to be done.
  void Cancel();

 private:
  boost::asio::awaitable<void> Await(std::size_t weight, Queue Waiting::* queue);

  std::shared_ptr<Turns> turns_;
  std::string source_;
  Signal ended_;
  /// Where it waits; nullptr: nowhere.
  Queue* queue_ = nullptr;
  Queue::iterator place_;
  bool cancelled_ = false;
};

}  // namespace tollbridge::net

#endif  // TOLLBRIDGE_BASE_NET_TURNS_H_
