#ifndef TOLLBRIDGE_GATEWAY_WIRING_OWN_TOPICS_H_
#define TOLLBRIDGE_GATEWAY_WIRING_OWN_TOPICS_H_

#include <absl/status/statusor.h>

#include <boost/asio/any_io_executor.hpp>
#include <memory>

#include "gateway/config/config.h"
#include "gateway/config/secrets.h"
#include "services/ports/hint_log.h"
#include "services/ports/operation_outbox.h"

/// Topics as commands write into them: each through a producer of its own, which lives as long as
/// what is returned. Errors as KafkaSettings.
namespace tollbridge::gateway {

/// The topic of hints.
absl::StatusOr<std::unique_ptr<ports::HintLog>> OpenHintTopic(
    const Config& config, const Secrets& secrets, const boost::asio::any_io_executor& executor);

/// The topic of operations.
absl::StatusOr<std::unique_ptr<ports::OperationLog>> OpenOperationTopic(
    const Config& config, const Secrets& secrets, const boost::asio::any_io_executor& executor);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_OWN_TOPICS_H_
