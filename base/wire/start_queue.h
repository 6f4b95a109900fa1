#ifndef TOLLBRIDGE_BASE_WIRE_START_QUEUE_H_
#define TOLLBRIDGE_BASE_WIRE_START_QUEUE_H_

#include <absl/functional/any_invocable.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/core/boot_clock.h"

namespace tollbridge::wire {

/// Starts calls and TLS handshakes of a shard, and looks at what was read while an address has some
/// that wait, a few at a time, and then lets everything else that is due there come first. Where
/// more are ready, each address has its turn: who makes many of them waits for them himself. Used
/// on its shard only. Internal to base/wire.
class StartQueue : public std::enable_shared_from_this<StartQueue> {
 public:
  explicit StartQueue(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

  struct Work {
    absl::AnyInvocable<void()> start;
    /// How many calls it stands for, by what it costs.
    std::size_t weight = 1;
  };
  /// Of that address: at once, where nothing waits and little was started just now.
  void Start(const std::string& source, Work work);
  /// Whether anything of that address waits.
  bool Waits(const std::string& source) const { return waiting_.contains(source); }
  /// Returns when it is the turn of what costs so much.
  boost::asio::awaitable<void> Await(const std::string& source, std::size_t weight);
  /// Returns when so many bytes that were read may be looked at: calls made of them are started in
  /// later turns, but to find them costs as much as some calls do.
  boost::asio::awaitable<void> Read(const std::string& source, std::size_t bytes) {
    return Await(source, 1 + bytes / kBytesOfCall);
  }

 private:
  static constexpr std::size_t kBytesOfCall = 128;

  void Run(Work& work);
  void TurnSoon();
  void Turn();

  boost::asio::any_io_executor executor_;
  /// Never empty ones.
  std::unordered_map<std::string, std::deque<Work>> waiting_;
  /// The addresses in it, by turns.
  std::deque<std::string> turns_;
  BootTime began_{};         ///< the turn
  std::size_t started_ = 0;  ///< in it
  bool next_is_due_ = false;
};

}  // namespace tollbridge::wire

#endif  // TOLLBRIDGE_BASE_WIRE_START_QUEUE_H_
