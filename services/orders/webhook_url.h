#ifndef TOLLBRIDGE_SERVICES_ORDERS_WEBHOOK_URL_H_
#define TOLLBRIDGE_SERVICES_ORDERS_WEBHOOK_URL_H_

#include "services/domain/project.h"
#include "services/orders/request_rules.h"

/// The webhook_url of requests that make orders, or links that make them: the gateway's ingress,
/// unless the configuration lets callers set it.
namespace tollbridge::orders {

/// A caller's webhook_url in a project that does not allow one. `project` may be nullptr.
template <typename Request>
void CheckWebhookUrl(const Request& request, const domain::Project* project, Violations& out) {
  if (request.has_webhook_url() && project != nullptr && !project->allow_caller_webhook_url) {
    out.push_back({"webhook_url", "is set by the gateway and must be absent"});
  }
}

/// Sets that of the project where the caller set none.
template <typename Request>
void SetWebhookUrl(Request& outgoing, const domain::Project& project) {
  if (outgoing.has_webhook_url()) return;
  std::string url = project.webhook_url.Get();
  if (!url.empty()) outgoing.set_webhook_url(std::move(url));
}

}  // namespace tollbridge::orders

#endif  // TOLLBRIDGE_SERVICES_ORDERS_WEBHOOK_URL_H_
