#ifndef TOLLBRIDGE_SANDBOX_TIME_CONTROL_H_
#define TOLLBRIDGE_SANDBOX_TIME_CONTROL_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/core/signal.h"
#include "sandbox/core/clock.h"
#include "sandbox/core/world.h"
#include "sandbox/webhooks/webhook_sender.h"

namespace tollbridge::sandbox {

/// Makes happen what is on the timeline: as real time passes where the clock runs, and when it is
/// moved. Lives on the executor's thread.
class TimeControl {
 public:
  TimeControl(const boost::asio::any_io_executor& executor, World* world, WebhookSender* webhooks);
  ~TimeControl();
  TimeControl(const TimeControl&) = delete;
  TimeControl& operator=(const TimeControl&) = delete;

  /// Runs what is due now, and sees to it that what is due later runs then. To be called after each
  /// request; costs little where nothing is due.
  void Poke();

  /// Moves the clock ahead and makes happen what is due on the way, in order, each at its own time.
  /// The clock stands while a webhook is on its way, so a receiver that hangs costs its real
  /// timeout once an attempt. Ends when no webhook is on its way any more; not while others keep
  /// more of them coming without a gap. Calls come one after the other, in the order in which they
  /// were made. This outlives the call.
  boost::asio::awaitable<void> Advance(Millis by);

 private:
  void RunDue();
  void Arm();

  World* world_;
  WebhookSender* webhooks_;
  bool running_due_ = false;

  /// On a running clock: wakes when the next entry is due.
  boost::asio::steady_timer alarm_;
  std::optional<Time> armed_for_;
  /// Who gets an alarm that rang before it could be cancelled asks whether this still lives.
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);

  /// Turns at Advance, and what is fired when one ends.
  std::uint64_t next_turn_ = 0;
  std::uint64_t turn_ = 0;
  Signal turn_ended_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_TIME_CONTROL_H_
