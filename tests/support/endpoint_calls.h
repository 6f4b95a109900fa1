#ifndef TOLLBRIDGE_TESTS_SUPPORT_ENDPOINT_CALLS_H_
#define TOLLBRIDGE_TESTS_SUPPORT_ENDPOINT_CALLS_H_

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <google/protobuf/message.h>
#include <boost/asio/awaitable.hpp>

#include "services/domain/project.h"
#include "services/ports/context.h"
#include "services/ports/payment_service.h"

namespace tollbridge::test {

/// What one call of the port PaymentService came to.
struct Told {
  /// Of a mutation; its result is below.
  ports::Answer answer;
  /// Of a read.
  absl::Status status;
  /// What was answered; null when nothing was, and for a report.
  std::shared_ptr<const google::protobuf::Message> result;
  /// What was given of a report.
  std::string report;
};

/// One function of the port with a request for it, and what the payment service may answer.
struct EndpointCall {
  /// As in the port.
  std::string name;
  /// Answers an Answer.
  bool mutation = false;
  /// A well-formed answer, to a 2xx.
  std::string good;
  /// The member that says what became of the call; unused where the answer is a list of texts.
  std::string main_field = "id";
  /// Answers in which that member has a type that cannot be read.
  std::vector<std::string> wrong_types;
  std::function<boost::asio::awaitable<Told>(ports::PaymentService&, const domain::Project&,
                                             const ports::Context&, const ports::SendGuard&)>
      call;

  /// For gtest.
  friend void PrintTo(const EndpointCall& shown, std::ostream* out) { *out << shown.name; }
};

/// One for each function of the port, and one more for each that has two paths. Made once.
const std::vector<EndpointCall>& EndpointCalls();

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_ENDPOINT_CALLS_H_
