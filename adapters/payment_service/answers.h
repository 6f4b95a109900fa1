#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_ANSWERS_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_ANSWERS_H_

#include <absl/status/status.h>

#include <memory>
#include <string_view>

#include "adapters/payment_service/codec.h"
#include "adapters/payment_service/transport.h"
#include "services/ports/payment_service.h"

namespace tollbridge::payment_service {

/// Reads what came of a mutation into an Answer. `message` takes the body of a 2xx; a 2xx that is
/// not such a message, or holds an error object, is kUnknown: there may be an effect. `*report`, if
/// given, says what was passed over.
ports::Answer ReadMutation(const ExchangeResult& result,
                           std::shared_ptr<google::protobuf::Message> message,
                           DecodeReport* report = nullptr);

/// Reads what came of a read into `message`, or makes the caller's error. `*report`, if given, says
/// what was passed over. `max_depth`: as FromWire.
absl::Status ReadAnswer(const ExchangeResult& result, google::protobuf::Message* message,
                        DecodeReport* report = nullptr, int max_depth = kMaxJsonDepth);

/// Whether the service answered a read that it does not have what was asked about: 404 with a JSON
/// object, or with nothing. Any other body under 404 is that of something else, such as a proxy's
/// page under a wrong base_url (docs/adr/0048-what-is-not-read.md).
bool IsNotFound(const ExchangeResult& result);

/// Whether the answer was too large to be read: a smaller one may be asked for.
bool IsTooLarge(const ExchangeResult& result);

/// The caller's error for a read that was not answered with a 2xx, whose body is not looked at.
absl::Status CheckAnswered(const ExchangeResult& result);

/// The answer to a mutation that is well formed, but is not what was asked for: kUnknown. `what`
/// is the cause.
ports::Answer NotTheAnswer(const ExchangeResult& result, std::string_view what);

/// The caller's error for an answer that is none: INTERNAL, UPSTREAM_UNREADABLE.
absl::Status UnreadableAnswer();

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_ANSWERS_H_
