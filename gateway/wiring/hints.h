#ifndef TOLLBRIDGE_GATEWAY_WIRING_HINTS_H_
#define TOLLBRIDGE_GATEWAY_WIRING_HINTS_H_

#include <absl/status/statusor.h>

#include <boost/asio/any_io_executor.hpp>
#include <memory>

#include "gateway/config/config.h"
#include "gateway/config/secrets.h"
#include "services/ports/hint_log.h"

namespace tollbridge::gateway {

/// The topic of hints as a command writes into it: through a producer of its own, which lives as
/// long as what is returned. Errors as KafkaSettings.
absl::StatusOr<std::unique_ptr<ports::HintLog>> OpenHintTopic(
    const Config& config, const Secrets& secrets, const boost::asio::any_io_executor& executor);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_HINTS_H_
