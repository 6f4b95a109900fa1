#ifndef TOLLBRIDGE_BASE_HTTP_POOL_H_
#define TOLLBRIDGE_BASE_HTTP_POOL_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <memory>
#include <vector>

#include "base/http/client.h"
#include "base/net/stream.h"

namespace tollbridge::http {

/// The connections of a client. Internal to base/http.
class Client::Pool : public std::enable_shared_from_this<Client::Pool> {
 public:
  Pool(boost::asio::any_io_executor executor, ClientOptions options);

  /// What a connection is wanted for.
  enum class Use {
    kWhole,   ///< an exchange whose answer is read as fast as it comes
    kStream,  ///< one whose answer is read as fast as somebody takes it
  };

  /// The right to use one connection. Given back when destroyed.
  class Slot {
   public:
    Slot(std::shared_ptr<Pool> pool, Use use) : pool_(std::move(pool)), use_(use) {}
    Slot(Slot&&) noexcept = default;
    Slot& operator=(Slot&&) = delete;
    ~Slot() {
      if (pool_ != nullptr) pool_->Release(use_);
    }

   private:
    std::shared_ptr<Pool> pool_;
    Use use_;
  };

  /// Waits for the right to use a connection; streams have half of them, or the only one.
  /// RESOURCE_EXHAUSTED when it takes too long or too many
  /// wait, DEADLINE_EXCEEDED, CANCELLED when the client is gone.
  Async<Slot> Acquire(Use use, BootTime deadline);
  /// The idle connection used last that probes open; nullptr when there is none. For the holder of
  /// a slot.
  std::unique_ptr<net::Stream> TakeIdle();
  /// Keeps a connection for the next exchange.
  void Keep(std::unique_ptr<net::Stream> stream);
  /// The client is gone: closes what is idle and turns away who waits.
  void Close();

  const ClientOptions& options() const { return options_; }
  const boost::asio::any_io_executor& executor() const { return executor_; }
  PoolStatistics& statistics() { return *statistics_; }
  std::shared_ptr<const PoolStatistics> shared_statistics() const { return statistics_; }

 private:
  struct Idle {
    std::unique_ptr<net::Stream> stream;
    BootTime since;
  };
  struct Waiter;

  std::size_t max_streams() const;
  bool IsFree(Use use) const;
  void Release(Use use);
  void Grant(Use use);
  void CloseExpired();

  boost::asio::any_io_executor executor_;
  ClientOptions options_;
  std::shared_ptr<PoolStatistics> statistics_ = std::make_shared<PoolStatistics>();
  // The one used last is at the back, so that those not needed grow old.
  std::vector<Idle> idle_;
  std::list<Waiter*> waiters_;
  std::size_t in_use_ = 0;
  /// Those of in_use_ that are for streams.
  std::size_t streams_ = 0;
  bool closed_ = false;
};

}  // namespace tollbridge::http

#endif  // TOLLBRIDGE_BASE_HTTP_POOL_H_
