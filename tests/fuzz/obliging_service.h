#ifndef TOLLBRIDGE_TESTS_FUZZ_OBLIGING_SERVICE_H_
#define TOLLBRIDGE_TESTS_FUZZ_OBLIGING_SERVICE_H_

#include "adapters/payment_service/transport.h"
#include "base/http/message.h"

namespace tollbridge::fuzz {

/// The answer of a payment service that does what it is asked to. What it is asked must be an HTTP
/// request that can be written to a socket, and its body JSON; anything else is a finding.
http::Response Oblige(const payment_service::Exchange& exchange);

}  // namespace tollbridge::fuzz

#endif  // TOLLBRIDGE_TESTS_FUZZ_OBLIGING_SERVICE_H_
