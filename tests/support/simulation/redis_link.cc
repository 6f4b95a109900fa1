#include "tests/support/simulation/redis_link.h"

#include <algorithm>
#include <utility>

#include "adapters/redis/errors.h"
#include "tests/support/one_by_one.h"

namespace tollbridge::model {

using redis::Command;
using redis::Reply;

namespace {

/// How long a connection waits for an answer before it is closed.
constexpr Time kStallTimeout = 5 * kSecond;
/// How much later than its sender's deadline a claim may still be carried out: what Redis' clock is
/// ahead is known up to a round trip.
constexpr Time kClaimMargin = 5 * kSecond;

}  // namespace

bool RedisState::Holds(Time now) const {
  const bool closed = now >= stands_still_from + kStallTimeout && now < stands_still_until;
  return reachable && !closed;
}

void RedisState::RunLate(const World& world, const Command& command, Time end) {
  if (!reachable) return;
  const Reply reply = Run(world, command);
  const bool claimed = !reply.elements.empty() && (reply.elements.front().text == "claimed" ||
                                                   reply.elements.front().text == "look_first");
  if (claimed && !set_back && world.now() > end + kClaimMargin) on_late_claim(world.now() - end);
}

void RedisState::SetClock(const World& world) {
  server.SetTime(Civil(world.now() + ahead).time_since_epoch());
}

Reply RedisState::Run(const World& world, const Command& command) {
  SetClock(world);
  Reply reply = server.Run(command);
  if (after_command) after_command();
  return reply;
}

void RedisLink::set_reachable(bool reachable) {
  if (reachable && !reachable_) ++breaks_;
  reachable_ = reachable;
}

Async<Reply> RedisLink::Execute(Command command, BootTime deadline) {
  if (!ready()) co_return redis::StoreUnavailable("not connected to Redis");
  Dice& dice = world_.dice;
  const Time end = ToTime(deadline);
  const bool slow = dice.Percent(redis_.slow_commands);
  const Time done =
      std::max(last_done_, redis_.WakesAt(world_.now()) +
                               (slow ? dice.Between(0, 3 * kSecond) : dice.Between(0, 4)));
  if (dice.Percent(redis_.lost_commands)) {
    co_await world_.SleepUntil(std::min(end, done));
    co_return redis::StoreUnavailable("the connection to Redis was lost");
  }
  last_done_ = done;
  if (done > end) {
    // Sent, and done when nobody waits for it any more.
    RedisState* redis = &redis_;
    World* world = &world_;
    world_.At(done, [redis, world, end, late = std::move(command)] {
      redis->RunLate(*world, late, end);
    });
    co_await world_.SleepUntil(end);
    co_return redis::StoreUnavailable("Redis did not answer in time");
  }
  if (done > world_.now()) co_await world_.SleepUntil(done);
  if (!ready()) co_return redis::StoreUnavailable("the connection to Redis was lost");
  Reply reply = redis_.Run(world_, command);
  if (dice.Percent(redis_.lost_replies)) {
    co_await world_.SleepUntil(std::min(end, world_.now() + dice.Between(0, kSecond)));
    co_return redis::StoreUnavailable("the reply of Redis was lost");
  }
  co_return reply;
}

Async<std::vector<Reply>> RedisLink::ExecuteTogether(std::vector<Command> commands,
                                                     BootTime deadline) {
  return test::OneByOne(*this, std::move(commands), deadline);
}

}  // namespace tollbridge::model
