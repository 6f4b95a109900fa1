#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_CHECK_ONLINE_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_CHECK_ONLINE_H_

#include "gateway/commands/findings.h"
#include "gateway/config/config.h"
#include "gateway/config/needs.h"
#include "gateway/config/secrets.h"

namespace tollbridge::gateway {

/// Asks what the roles depend on, each with a line of its own: each store for its settings, its
/// epoch and whether it is doubted, and its clock; Kafka for the topics; the payment service
/// whether it can be reached, its clock, and whether it takes the API key of each project. Changes
/// nothing.
void CheckOnline(const Config& config, const Needs& needs, const Secrets& secrets,
                 Findings* findings);

/// When the certificates end that this process shows to others, and the authorities that it trusts:
/// an error for one that has, a warning for one that does within 14 days.
void CheckCertificateEnds(const Config& config, const Secrets& secrets, Findings* findings);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_CHECK_ONLINE_H_
