#include "base/wire/start_queue.h"

#include <boost/asio/post.hpp>
#include <memory>
#include <utility>

#include "base/core/signal.h"

namespace tollbridge::wire {
namespace {

/// Calls: less than a millisecond of work.
constexpr std::size_t kAtATime = 32;

}  // namespace

void StartQueue::Start(const std::string& source, Work work) {
  if (turns_.empty() && started_ < kAtATime) return Run(work);
  auto& of_source = waiting_[source];
  if (of_source.empty()) turns_.push_back(source);
  of_source.push_back(std::move(work));
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
  if (!std::exchange(next_is_due_, true)) {
    boost::asio::post(executor_, [self = shared_from_this()] { self->Turn(); });
  }
  work.start();
}

void StartQueue::Turn() {
  next_is_due_ = false;
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
}

}  // namespace tollbridge::wire
