#ifndef TOLLBRIDGE_TESTS_SUPPORT_WEBHOOK_H_
#define TOLLBRIDGE_TESTS_SUPPORT_WEBHOOK_H_

#include <string>
#include <string_view>

namespace tollbridge::test {

/// What the payment service sends to the ingress when the status of an order of kDemoProject has
/// changed.
std::string WebhookBody(std::string_view order_id);
inline constexpr int kNoAnswer = 0;
/// Sends it; the status of the answer, kNoAnswer when none came. `ca_file` as HttpCall.
int PostWebhook(const std::string& url, std::string_view order_id, const std::string& ca_file = "");

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_WEBHOOK_H_
