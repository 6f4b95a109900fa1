#ifndef TOLLBRIDGE_SERVICES_SANDBOX_WEBHOOKS_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_WEBHOOKS_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/array.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "services/sandbox/clock.h"
#include "services/sandbox/model.h"

namespace tollbridge::sandbox {

/// When webhooks are given up and repeated (interface document, section Events).
struct WebhookPolicy {
  std::chrono::milliseconds first_timeout{4'000};
  std::chrono::milliseconds retry_timeout{10'000};
  std::chrono::milliseconds pause{120'000};
  int max_attempts = 10;
};

/// Sends `status_changed` webhooks over real sockets and keeps a log of what became of each.
/// Redirects are not followed. Lives on the executor.
class WebhookSender {
 public:
  WebhookSender(boost::asio::any_io_executor executor, Clock* clock, WebhookPolicy policy);
  ~WebhookSender();
  WebhookSender(const WebhookSender&) = delete;
  WebhookSender& operator=(const WebhookSender&) = delete;

  /// Queues the webhook of a change that has just happened. Without a webhook_url nothing is sent.
  void Notify(const Order& order);

  /// Every attempt, oldest first: {order_id, attempt, at, url_origin, result}. The log holds the
  /// last 10,000. The URL's path is left out, since it is a credential of the receiver.
  boost::json::array Log() const;
  void ClearLog();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_WEBHOOKS_H_
