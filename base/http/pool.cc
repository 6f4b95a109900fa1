#include "base/http/pool.h"

#include <algorithm>
#include <utility>

#include "base/core/signal.h"
#include "base/net/socket_stream.h"

namespace tollbridge::http {

namespace asio = boost::asio;

/// One call in the queue. Lives in its coroutine's frame.
struct Client::Pool::Waiter {
  Waiter(std::shared_ptr<Pool> p, Use u) : pool(std::move(p)), use(u), signal(pool->executor_) {
    place = pool->waiters_.insert(pool->waiters_.end(), this);
    pool->statistics_->waiting.fetch_add(1, std::memory_order_relaxed);
  }
  ~Waiter() {
    pool->statistics_->waiting.fetch_sub(1, std::memory_order_relaxed);
    if (queued) pool->waiters_.erase(place);
    // Granted, but its coroutine was destroyed before it could take the slot.
    if (granted) pool->Release(use);
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  std::shared_ptr<Pool> pool;
  const Use use;
  Signal signal;
  std::list<Waiter*>::iterator place;
  bool queued = true;
  bool granted = false;
};

Client::Pool::Pool(asio::any_io_executor executor, ClientOptions options)
    : executor_(std::move(executor)), options_(std::move(options)) {}

Async<Client::Pool::Slot> Client::Pool::Acquire(Use use, BootTime deadline) {
  const std::shared_ptr<Pool> self = shared_from_this();
  if (closed_) co_return absl::CancelledError("the client is gone");
  if (IsFree(use)) {
    Grant(use);
    co_return Slot(self, use);
  }
  if (waiters_.size() >= options_.max_waiting) {
    co_return absl::ResourceExhaustedError("too many calls wait for a connection");
  }
  const BootTime pool_deadline = BootClock::now() + options_.max_pool_wait;
  Waiter waiter(self, use);
  co_await waiter.signal.Wait(std::min(deadline, pool_deadline));
  if (waiter.granted) {
    waiter.granted = false;
    co_return Slot(self, use);
  }
  if (closed_) co_return absl::CancelledError("the client is gone");
  if (deadline < pool_deadline) {
    co_return absl::DeadlineExceededError("deadline passed while waiting for a connection");
  }
  co_return absl::ResourceExhaustedError("no connection became free in time");
}

std::size_t Client::Pool::max_streams() const {
  return std::max<std::size_t>(options_.max_connections / 2, 1);
}

bool Client::Pool::IsFree(Use use) const {
  return in_use_ < options_.max_connections && (use == Use::kWhole || streams_ < max_streams());
}

void Client::Pool::Grant(Use use) {
  ++in_use_;
  if (use == Use::kStream) ++streams_;
  statistics_->in_use.store(static_cast<std::int64_t>(in_use_), std::memory_order_relaxed);
}

void Client::Pool::Release(Use use) {
  --in_use_;
  if (use == Use::kStream) --streams_;
  statistics_->in_use.store(static_cast<std::int64_t>(in_use_), std::memory_order_relaxed);
  if (closed_) return;
  // A stream that may not have one yet holds up nobody behind it.
  const auto found =
      std::ranges::find_if(waiters_, [this](const Waiter* each) { return IsFree(each->use); });
  if (found == waiters_.end()) return;
  Waiter* next = *found;
  waiters_.erase(found);
  next->queued = false;
  next->granted = true;
  Grant(next->use);
  next->signal.Fire();
}

std::unique_ptr<net::Stream> Client::Pool::TakeIdle() {
  CloseExpired();
  std::unique_ptr<net::Stream> found;
  while (found == nullptr && !idle_.empty()) {
    std::unique_ptr<net::Stream> candidate = std::move(idle_.back().stream);
    idle_.pop_back();
    if (candidate->ProbeOpen()) found = std::move(candidate);
  }
  statistics_->idle.store(static_cast<std::int64_t>(idle_.size()), std::memory_order_relaxed);
  return found;
}

void Client::Pool::Keep(std::unique_ptr<net::Stream> stream) {
  if (closed_) return;
  CloseExpired();
  idle_.push_back(Idle{std::move(stream), BootClock::now()});
  statistics_->idle.store(static_cast<std::int64_t>(idle_.size()), std::memory_order_relaxed);
}

void Client::Pool::CloseExpired() {
  const BootTime oldest = BootClock::now() - options_.idle_timeout;
  std::erase_if(idle_, [oldest](const Idle& idle) { return idle.since < oldest; });
}

void Client::Pool::Close() {
  closed_ = true;
  idle_.clear();
  statistics_->idle.store(0, std::memory_order_relaxed);
  for (Waiter* waiter : waiters_) {
    waiter->queued = false;
    waiter->signal.Fire();
  }
  waiters_.clear();
}

}  // namespace tollbridge::http
