#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_COMPLETIONS_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_COMPLETIONS_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/this_coro.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/core/boot_clock.h"
#include "base/core/signal.h"

namespace tollbridge::kafka {

/// Coroutines on any shard that wait for an answer which arrives, under a number, on another
/// thread. Only the table of numbers is shared; each waiter is touched on its own shard alone. An
/// answer that nobody waits for any more is dropped, also one whose shard has gone.
template <typename T>
class Completions {
 public:
  struct Waiter {
    explicit Waiter(const boost::asio::any_io_executor& shard) : executor(shard), answered(shard) {}
    boost::asio::any_io_executor executor;
    Signal answered;
    std::optional<T> answer;
  };
  struct Ticket {
    std::uintptr_t number;
    std::shared_ptr<Waiter> waiter;
  };

  /// Call on the shard that will wait.
  Ticket Add(const boost::asio::any_io_executor& shard) {
    auto waiter = std::make_shared<Waiter>(shard);
    const std::lock_guard lock(mutex_);
    waiting_.emplace(++last_, waiter);
    return {last_, std::move(waiter)};
  }

  /// Any thread.
  void Complete(std::uintptr_t number, T answer) {
    const std::lock_guard lock(mutex_);
    auto node = waiting_.extract(number);
    if (!node.empty()) HandOver(std::move(node.mapped()), std::move(answer));
  }

  /// Gives everyone who waits what `make_answer` returns. Any thread.
  void CompleteAll(const std::function<T()>& make_answer) {
    const std::lock_guard lock(mutex_);
    for (auto& [number, waiter] : waiting_) HandOver(std::move(waiter), make_answer());
    waiting_.clear();
  }

  /// Any thread.
  void Forget(std::uintptr_t number) {
    const std::lock_guard lock(mutex_);
    waiting_.erase(number);
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }

  /// The answer; nullopt when there is none by the deadline, or the coroutine was cancelled. The
  /// table lives as long as somebody waits, hence the shared pointer.
  static boost::asio::awaitable<std::optional<T>> Wait(std::shared_ptr<Completions> table,
                                                       Ticket ticket, BootTime deadline) {
    Waiter& waiter = *ticket.waiter;
    const Forgetting forgetting{*table, ticket.number};
    if (!waiter.answer.has_value()) co_await waiter.answered.Wait(deadline);
    co_return std::move(waiter.answer);
  }

 private:
  /// A coroutine may also end by being destroyed, with the shard that it waits on: from then on
  /// nothing may be handed to that.
  struct Forgetting {
    Forgetting(Completions& in, std::uintptr_t what) : table(in), number(what) {}
    ~Forgetting() { table.Forget(number); }
    Forgetting(const Forgetting&) = delete;
    Forgetting& operator=(const Forgetting&) = delete;

    Completions& table;
    const std::uintptr_t number;
  };

  /// Under the mutex, so that the shard is there until it has the answer.
  static void HandOver(std::shared_ptr<Waiter> waiter, T answer) {
    Waiter& to = *waiter;
    // At once where this is its shard already.
    boost::asio::dispatch(to.executor,
                          [waiter = std::move(waiter), answer = std::move(answer)]() mutable {
                            waiter->answer = std::move(answer);
                            waiter->answered.Fire();
                          });
  }

  mutable std::mutex mutex_;
  std::uintptr_t last_ = 0;
  std::map<std::uintptr_t, std::shared_ptr<Waiter>> waiting_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_COMPLETIONS_H_
