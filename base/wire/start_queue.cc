#include "base/wire/start_queue.h"

#include <boost/asio/post.hpp>
#include <chrono>
#include <memory>
#include <utility>

#include "base/core/signal.h"

namespace tollbridge::wire {
namespace {

/// Calls in a turn.
constexpr std::size_t kAtATime = 32;
/// A turn in which no more was done ends by itself after a while; else the next one has to come,
/// when all that was due in this one has been dealt with.
constexpr std::size_t kLittle = 16;
constexpr std::chrono::milliseconds kTurn{1};
/// A TLS handshake costs us some 0.4 ms.
constexpr std::size_t kHandshake = 16;
/// To look at so many bytes may cost as much as a call, or more: a byte can stand for a header.
constexpr std::size_t kBytesRead = 64;
/// And to parse and check so many of a request.
constexpr std::size_t kBytesOfRequest = 1024;

}  // namespace

void StartQueue::Start(const std::string& source, std::size_t bytes,
                       absl::AnyInvocable<void()> call) {
  const std::size_t weight = 1 + bytes / kBytesOfRequest;
  if (Passes(weight)) return call();
  WaitsOf(source).calls.push_back({std::move(call), weight});
}

boost::asio::awaitable<void> StartQueue::Read(const std::string& source, std::size_t bytes) {
  const std::size_t weight = 1 + bytes / kBytesRead;
  if (!Passes(weight)) co_await Await(source, weight);
}

boost::asio::awaitable<void> StartQueue::Handshake(const std::string& source) {
  if (!Passes(kHandshake)) co_await Await(source, kHandshake);
}

bool StartQueue::Passes(std::size_t weight) {
  if (!turns_.empty()) return false;
  if (!next_is_due_) {
    const BootTime now = BootClock::now();
    if (now - began_ > kTurn) {
      began_ = now;
      done_ = 0;
    }
  }
  if (done_ >= kAtATime) return false;
  done_ += weight;
  if (done_ > kLittle) TurnSoon();
  return true;
}

boost::asio::awaitable<void> StartQueue::Await(const std::string& source, std::size_t weight) {
  struct Waiter {
    explicit Waiter(const boost::asio::any_io_executor& executor) : signal(executor) {}

    Signal signal;
    bool came = false;  ///< its turn
  };
  const auto waiter = std::make_shared<Waiter>(executor_);
  const auto come = [waiter] {
    waiter->came = true;
    waiter->signal.Fire();
  };
  WaitsOf(source).others.push_back({come, weight});
  while (!waiter->came) co_await waiter->signal.Wait();
}

StartQueue::Waiting& StartQueue::WaitsOf(const std::string& source) {
  const auto [found, is_new] = waiting_.try_emplace(source);
  if (is_new) turns_.push_back(source);
  TurnSoon();
  return found->second;
}

void StartQueue::TurnSoon() {
  if (std::exchange(next_is_due_, true)) return;
  boost::asio::post(executor_, [self = shared_from_this()] { self->Turn(); });
}

void StartQueue::Turn() {
  next_is_due_ = false;
  began_ = BootClock::now();
  done_ = 0;
  while (!turns_.empty() && done_ < kAtATime && BootClock::now() - began_ < kTurn) {
    std::string source = std::move(turns_.front());
    turns_.pop_front();
    const auto found = waiting_.find(source);
    Waiting& waiting = found->second;
    auto& first = waiting.calls.empty() ? waiting.others : waiting.calls;
    Work work = std::move(first.front());
    first.pop_front();
    if (waiting.calls.empty() && waiting.others.empty()) {
      waiting_.erase(found);
    } else {
      turns_.push_back(std::move(source));
    }
    done_ += work.weight;
    work.start();
  }
  if (!turns_.empty() || done_ > kLittle) TurnSoon();
}

}  // namespace tollbridge::wire
