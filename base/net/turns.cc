#include "base/net/turns.h"

#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <chrono>
#include <mutex>
#include <utility>

namespace tollbridge::net {
namespace {

namespace asio = boost::asio;

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
/// To answer a request of HTTP, whose answer is written by itself.
constexpr std::size_t kAnswer = 8;

/// Keeps the turns of a shard as long as its context.
class OfContext final : public asio::execution_context::service {
 public:
  static inline asio::execution_context::id id;

  explicit OfContext(asio::execution_context& context) : service(context) {}

  std::shared_ptr<Turns> Get(const asio::any_io_executor& executor) {
    const std::scoped_lock lock(mutex_);
    if (turns_ == nullptr) turns_ = std::make_shared<Turns>(executor);
    return turns_;
  }

 private:
  void shutdown() override { turns_.reset(); }

  std::mutex mutex_;
  std::shared_ptr<Turns> turns_;
};

}  // namespace

std::shared_ptr<Turns> Turns::Of(const asio::any_io_executor& executor) {
  return asio::use_service<OfContext>(asio::query(executor, asio::execution::context))
      .Get(executor);
}

void Turns::Start(const std::string& source, std::size_t bytes, absl::AnyInvocable<void()> call) {
  const std::size_t weight = 1 + bytes / kBytesOfRequest;
  if (Passes(weight)) return call();
  WaitsOf(source).calls.push_back({std::move(call), weight});
}

bool Turns::Passes(std::size_t weight) {
  if (!turns_.empty()) return false;
  if (!next_is_due_) {
    const BootTime now = clock_();
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

Turns::Waiting& Turns::WaitsOf(const std::string& source) {
  const auto [found, is_new] = waiting_.try_emplace(source);
  if (is_new) turns_.push_back(source);
  TurnSoon();
  return found->second;
}

void Turns::TurnSoon() {
  if (std::exchange(next_is_due_, true)) return;
  asio::post(executor_, [self = shared_from_this()] { self->Turn(); });
}

void Turns::Turn() {
  next_is_due_ = false;
  began_ = clock_();
  done_ = 0;
  while (!turns_.empty() && done_ < kAtATime && clock_() - began_ < kTurn) {
    std::string source = std::move(turns_.front());
    turns_.pop_front();
    const auto found = waiting_.find(source);
    Waiting& waiting = found->second;
    Queue& first = waiting.calls.empty() ? waiting.others : waiting.calls;
    Work work{.start = [] {}, .weight = 0};
    if (!first.empty()) {
      work = std::move(first.front());
      first.pop_front();
    }
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

Turns::Waiter::Waiter(std::shared_ptr<Turns> turns, std::string source)
    : turns_(std::move(turns)), source_(std::move(source)), ended_(turns_->executor_) {}

asio::awaitable<void> Turns::Waiter::Read(std::size_t bytes) {
  return Await(1 + bytes / kBytesRead, &Waiting::others);
}

asio::awaitable<void> Turns::Waiter::Answer() { return Await(kAnswer, &Waiting::calls); }

asio::awaitable<void> Turns::Waiter::Handshake() { return Await(kHandshake, &Waiting::others); }

asio::awaitable<void> Turns::Waiter::Await(std::size_t weight, Queue Waiting::* queue) {
  if (cancelled_ || turns_->Passes(weight)) co_return;
  queue_ = &(turns_->WaitsOf(source_).*queue);
  const auto come = [this] {
    queue_ = nullptr;
    ended_.Fire();
  };
  place_ = queue_->insert(queue_->end(), {come, weight});
  while (queue_ != nullptr) co_await ended_.Wait();
}

void Turns::Waiter::Cancel() {
  cancelled_ = true;
  if (queue_ == nullptr) return;
  std::exchange(queue_, nullptr)->erase(place_);
  ended_.Fire();
}

}  // namespace tollbridge::net
