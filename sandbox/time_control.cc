#include "sandbox/time_control.h"

#include <algorithm>

namespace tollbridge::sandbox {

namespace asio = boost::asio;

TimeControl::TimeControl(const asio::any_io_executor& executor, World* world,
                         WebhookSender* webhooks)
    : world_(world), webhooks_(webhooks), alarm_(executor), turn_ended_(executor) {
  webhooks_->OnScheduled([this] { Poke(); });
}

TimeControl::~TimeControl() { webhooks_->OnScheduled(nullptr); }

void TimeControl::Poke() {
  RunDue();
  Arm();
}

void TimeControl::RunDue() {
  // What is due may poke in its turn. The loop that runs already gets to what it put in.
  if (running_due_) return;
  running_due_ = true;
  world_->simulation.timeline.RunDue();
  running_due_ = false;
}

void TimeControl::Arm() {
  if (world_->simulation.clock.stands()) return;
  const std::optional<Time> next = world_->simulation.timeline.NextDue();
  if (!next || (armed_for_ && *armed_for_ <= *next)) return;
  armed_for_ = next;
  alarm_.expires_after(std::max(*next - world_->simulation.clock.Now(), Millis{0}));
  alarm_.async_wait([this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (error || alive.expired()) return;
    armed_for_.reset();
    Poke();
  });
}

asio::awaitable<void> TimeControl::Advance(Millis by) {
  const std::uint64_t turn = next_turn_++;
  while (turn_ != turn) co_await turn_ended_.Wait();
  co_await webhooks_->Idle();
  const Time until = world_->simulation.clock.Now() + by;
  while (world_->simulation.timeline.StepTowards(until)) co_await webhooks_->Idle();
  ++turn_;
  turn_ended_.Fire();
  // An alarm is set by how far ahead the clock was.
  armed_for_.reset();
  Poke();
}

}  // namespace tollbridge::sandbox
