#ifndef TOLLBRIDGE_SANDBOX_WEBHOOKS_WEBHOOK_SENDER_H_
#define TOLLBRIDGE_SANDBOX_WEBHOOKS_WEBHOOK_SENDER_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/json/array.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "sandbox/core/model.h"
#include "sandbox/core/simulation.h"
#include "sandbox/faults/fault_injector.h"
#include "sandbox/webhooks/delivery_log.h"

namespace tollbridge::sandbox {

/// Sends webhooks over real sockets (docs/interface.md#webhooks).
///
/// An attempt is delivered when the receiver answers 2xx: the interface asks for 200 and calls 4xx
/// and 5xx failed, which leaves the rest of 2xx open. 3xx is failed, since it is not 200 and is not
/// followed. No answer in time, a connection refused or broken, a broken answer: failed.
///
/// WebhookPolicy::first_timeout and retry_timeout pass in real time, and cover connecting and
/// reading together. The pause between attempts passes on the sandbox's clock, from the end of the
/// failed attempt. On a clock that stands, attempts go out one at a time in the order in which they
/// are due, so that a run can be repeated byte for byte; one that timed out then counts as ended at
/// its start plus its timeout. On a running clock they go out side by side.
///
/// When attempts are due is on Simulation::timeline, which others run. Lives on the executor's
/// thread.
class WebhookSender {
 public:
  WebhookSender(boost::asio::any_io_executor executor, Simulation* simulation,
                FaultInjector* faults);
  /// Attempts under way end unheard.
  ~WebhookSender();
  WebhookSender(const WebhookSender&) = delete;
  WebhookSender& operator=(const WebhookSender&) = delete;

  /// Puts the webhook of a change that has just happened on the timeline, for now: to the order's
  /// webhook_url, else to its project's, else nowhere. While 100,000 are not done with, a further
  /// one is dropped. What the fault plan says of it is asked here, once.
  void Notify(const Order& order, std::string_view event = kStatusChanged);

  /// Ends when no attempt is in flight or waits only for others in flight.
  boost::asio::awaitable<void> Idle();
  /// Webhooks that are not delivered, given up or lost yet.
  std::size_t pending() const;

  /// Called when an attempt that ended has put something on the timeline.
  void OnScheduled(std::function<void()> hook);

  /// The log of attempts, see DeliveryLog::ToJson.
  boost::json::array Log() const;
  /// Forgets the log and every webhook that is not done with. Attempts under way end unheard.
  void Clear();

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_WEBHOOKS_WEBHOOK_SENDER_H_
