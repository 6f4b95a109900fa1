#include "base/wire/start_queue.h"

#include <boost/asio/post.hpp>
#include <chrono>
#include <memory>
#include <utility>

#include "base/core/signal.h"

namespace tollbridge::wire {
namespace {

/// Calls in a turn, and for how long it lasts at most where nothing waits.
constexpr std::size_t kAtATime = 32;
constexpr std::chrono::milliseconds kTurn{1};

}  // namespace

void StartQueue::Start(const std::string& source, Work work) {
  // Where nothing waits, who comes after a while need not be told that the turn is over.
  const BootTime now = BootClock::now();
  if (turns_.empty() && now - began_ > kTurn) {
    began_ = now;
    started_ = 0;
  }
  if (turns_.empty() && started_ < kAtATime) return Run(work);
  auto& of_source = waiting_[source];
  if (of_source.empty()) turns_.push_back(source);
  of_source.push_back(std::move(work));
  TurnSoon();
}

boost::asio::awaitable<void> StartQueue::Await(const std::string& source, std::size_t weight) {
  struct Waiting {
    explicit Waiting(const boost::asio::any_io_executor& executor) : signal(executor) {}

    Signal signal;
    bool over = false;
  };
  const auto waiting = std::make_shared<Waiting>(executor_);
  const auto end = [waiting] {
    waiting->over = true;
    waiting->signal.Fire();
  };
  Start(source, {end, weight});
  if (!waiting->over) co_await waiting->signal.Wait();
}

void StartQueue::Run(Work& work) {
  started_ += work.weight;
  work.start();
}

void StartQueue::TurnSoon() {
  if (std::exchange(next_is_due_, true)) return;
  boost::asio::post(executor_, [self = shared_from_this()] { self->Turn(); });
}

void StartQueue::Turn() {
  next_is_due_ = false;
  began_ = BootClock::now();
  started_ = 0;
  while (!turns_.empty() && started_ < kAtATime) {
    std::string source = std::move(turns_.front());
    turns_.pop_front();
    const auto found = waiting_.find(source);
    Work work = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) {
      waiting_.erase(found);
    } else {
      turns_.push_back(std::move(source));
    }
    Run(work);
  }
  if (!turns_.empty()) TurnSoon();
}

}  // namespace tollbridge::wire
