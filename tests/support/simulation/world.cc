#include "tests/support/simulation/world.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace tollbridge::model {

namespace asio = boost::asio;

void World::Push(Time time, asio::io_context* owner, asio::any_completion_handler<void()> handler) {
  events_.emplace(std::pair(std::max(time, now_), ++sequence_), Event{owner, std::move(handler)});
}

namespace {

asio::awaitable<asio::io_context*> ThisContext() {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  co_return static_cast<asio::io_context*>(&asio::query(executor, asio::execution::context));
}

}  // namespace

asio::awaitable<void> World::SleepUntil(Time time) {
  asio::io_context* const owner = co_await ThisContext();
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [this, owner, time](auto handler) {
        Push(time, owner, asio::any_completion_handler<void()>(std::move(handler)));
      },
      asio::use_awaitable);
}

void World::Drop(const asio::io_context& owner) {
  frozen_.erase(&owner);
  // Destroying a coroutine may not touch the list that is being searched.
  std::vector<Event> dropped;
  for (auto at = events_.begin(); at != events_.end();) {
    if (at->second.owner == &owner) {
      dropped.push_back(std::move(at->second));
      at = events_.erase(at);
    } else {
      ++at;
    }
  }
}

Time World::Thaws(const asio::io_context* owner, Time time) const {
  if (frozen_.empty() || owner == nullptr) return time;
  const auto found = frozen_.find(owner);
  return found == frozen_.end() ? time : std::max(time, found->second);
}

bool World::IsFrozen(const asio::io_context& owner) const { return Thaws(&owner, now_) > now_; }

bool World::Step(Time end) {
  if (events_.empty() || events_.begin()->first.first > end) return false;
  auto node = events_.extract(events_.begin());
  const Time thaws = Thaws(node.mapped().owner, node.key().first);
  if (thaws > node.key().first) {
    node.key().first = thaws;
    events_.insert(std::move(node));
    return true;
  }
  now_ = node.key().first;
  asio::io_context* owner = node.mapped().owner;
  std::move(node.mapped().handler)();
  if (owner != nullptr) {
    owner->restart();
    owner->poll();
  }
  return true;
}

void World::Note(const std::string& line) {
  if (!keep_history_) return;
  absl::StrAppend(&history_, now_ / kSecond, ".", absl::Dec(now_ % kSecond, absl::kZeroPad3), " ",
                  line, "\n");
}

void World::Fail(const std::string& why) {
  Note("VIOLATION: " + why);
  if (failure_.empty()) failure_ = why;
}

asio::awaitable<void> Gate::Wait() {
  owner_ = co_await ThisContext();
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [this](auto handler) { waiting_ = asio::any_completion_handler<void()>(std::move(handler)); },
      asio::use_awaitable);
}

void Gate::Open() {
  if (waiting_) world_.Push(world_.now(), owner_, std::move(waiting_));
  waiting_ = nullptr;
}

WallTime Civil(Time time) {
  // 2026-01-01T00:00:00Z.
  return WallTime(std::chrono::seconds(1'767'225'600)) + ports::Millis(time);
}

Time ToTime(BootTime time) {
  return std::chrono::duration_cast<ports::Millis>(time.time_since_epoch()).count();
}

WallTime ProcessClock::WallNow() const { return Civil(world_.now()) + jump_; }

asio::awaitable<void> ProcessClock::Sleep(ports::Millis duration) {
  co_await world_.SleepUntil(world_.now() + duration.count());
}

}  // namespace tollbridge::model
