#include "tests/support/webhook.h"

#include <stdexcept>

#include "tests/support/http_call.h"
#include "tests/support/stack.h"

namespace tollbridge::test {

std::string WebhookBody(std::string_view order_id) {
  return "{\"event\":\"status_changed\",\"order_id\":\"" + std::string(order_id) +
         "\",\"project_id\":\"" + std::string(kDemoProject.id) + "\"}";
}

int PostWebhook(const std::string& url, std::string_view order_id, const std::string& ca_file) {
  try {
    return HttpCall("POST", url, WebhookBody(order_id), {}, kPatientLimit, ca_file).status;
  } catch (const std::runtime_error&) {
    return kNoAnswer;
  }
}

}  // namespace tollbridge::test
