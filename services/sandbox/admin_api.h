#ifndef TOLLBRIDGE_SERVICES_SANDBOX_ADMIN_API_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_ADMIN_API_H_

#include <string>

#include "adapters/http/message.h"
#include "adapters/http/url.h"
#include "services/sandbox/ledger.h"
#include "services/sandbox/order_book.h"
#include "services/sandbox/webhooks.h"

namespace tollbridge::sandbox {

/// Steering and looking inside, below /_sandbox: JSON in and out, no authentication, callers on
/// loopback only.
class AdminApi {
 public:
  /// All outlive this.
  AdminApi(OrderBook* orders, Ledger* ledger, WebhookSender* webhooks, const std::string* base_url)
      : orders_(orders), ledger_(ledger), webhooks_(webhooks), base_url_(base_url) {}

  http::Response Handle(const http::Request& request, const http::Target& target);

 private:
  http::Response Orders() const;
  http::Response Pay(const std::string& id, const http::Request& request);
  http::Response Reset();

  OrderBook* orders_;
  Ledger* ledger_;
  WebhookSender* webhooks_;
  const std::string* base_url_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_ADMIN_API_H_
