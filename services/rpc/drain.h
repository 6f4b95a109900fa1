#ifndef TOLLBRIDGE_SERVICES_RPC_DRAIN_H_
#define TOLLBRIDGE_SERVICES_RPC_DRAIN_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/core/boot_clock.h"

namespace tollbridge::rpc {

/// Knows how many calls of the process are on their way, from acceptance to the end of their
/// coroutine, and lets them run out at the end. Any thread. Outlives the shards.
class Drain {
 public:
  /// One call on its way; it has ended when this goes.
  class Ticket {
   public:
    explicit Ticket(Drain& drain) : drain_(&drain) { drain_->Enter(); }
    Ticket(Ticket&& other) noexcept : drain_(std::exchange(other.drain_, nullptr)) {}
    Ticket& operator=(Ticket&&) = delete;
    ~Ticket() {
      if (drain_ != nullptr) drain_->Leave();
    }

   private:
    Drain* drain_;
  };

  /// From now on the middleware Limit refuses calls. Never taken back.
  void Begin() { draining_.store(true, std::memory_order_release); }
  bool draining() const { return draining_.load(std::memory_order_acquire); }
  std::int64_t in_flight() const { return in_flight_.load(std::memory_order_acquire); }

  /// Blocks until no call is on its way, or the deadline. Whether none is. Not on a shard.
  bool WaitUntilIdle(BootTime deadline);

 private:
  void Enter() { in_flight_.fetch_add(1, std::memory_order_acq_rel); }
  void Leave();

  std::atomic<bool> draining_{false};
  std::atomic<std::int64_t> in_flight_{0};
  std::mutex mutex_;
  std::condition_variable idle_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_DRAIN_H_
