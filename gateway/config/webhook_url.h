#ifndef TOLLBRIDGE_GATEWAY_CONFIG_WEBHOOK_URL_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_WEBHOOK_URL_H_

#include <memory>
#include <string>

#include "base/core/live_text.h"
#include "gateway/config/secret_file.h"

namespace tollbridge::gateway {

/// The webhook_url of a project's orders: `ingress_url` and the first path token of its file, as it
/// is when asked. A file that the ingress would refuse leaves the token before in force:
/// `webhook_tokens_refused` in the log, once.
LiveText WebhookUrl(const std::string& project, const std::string& ingress_url,
                    std::shared_ptr<SecretFile> tokens);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_WEBHOOK_URL_H_
