#ifndef TOLLBRIDGE_TESTS_INTEGRATION_PAYMENT_SERVICE_MALFORMED_ANSWERS_H_
#define TOLLBRIDGE_TESTS_INTEGRATION_PAYMENT_SERVICE_MALFORMED_ANSWERS_H_

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "tests/integration/payment_service/byte_server.h"
#include "tests/support/endpoint_calls.h"

namespace tollbridge::test {

/// A way in which an answer can be none.
struct Malformation {
  std::string name;
  /// The answers to one endpoint that are malformed so; empty where there is no such thing.
  std::vector<Bytes> (*answers)(const EndpointCall& endpoint);
  /// What a read is told.
  absl::StatusCode code = absl::StatusCode::kInternal;
  std::string_view reason;
  /// No other answer may be read from a connection after it.
  bool spoils_connection = false;

  /// For gtest.
  friend void PrintTo(const Malformation& shown, std::ostream* out) { *out << shown.name; }
};

const std::vector<Malformation>& Malformations();

/// The report is CSV; every other answer is JSON.
bool IsReport(const EndpointCall& endpoint);

/// In every text that comes from the service: it must reach no message of ours.
inline constexpr std::string_view kForeignText = "4111111111111111";

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_INTEGRATION_PAYMENT_SERVICE_MALFORMED_ANSWERS_H_
