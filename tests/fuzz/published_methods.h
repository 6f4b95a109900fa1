#ifndef TOLLBRIDGE_TESTS_FUZZ_PUBLISHED_METHODS_H_
#define TOLLBRIDGE_TESTS_FUZZ_PUBLISHED_METHODS_H_

#include <memory>
#include <vector>

#include <google/protobuf/message.h>
#include <boost/asio/io_context.hpp>

#include "adapters/payment_service/transport.h"
#include "adapters/system/system_clock.h"
#include "services/domain/project.h"
#include "services/operations/method.h"
#include "services/ports/payment_service.h"
#include "services/rpc/dispatcher.h"
#include "services/rpc/method.h"
#include "tests/support/fakes/unasked_method_ports.h"

namespace tollbridge::fuzz {

/// All methods of Payments, Vault, Payouts and Search, with the rules of their requests as the
/// gateway has them, before a payment service that does what it is asked to. Every exchange is
/// looked at: what is sent must be a request that can be written and read.
class PublishedMethods {
 public:
  PublishedMethods();

  const std::vector<rpc::MethodInfo>& all() const { return published_.all(); }
  /// Every rule that the request breaks.
  std::vector<domain::FieldViolation> Check(const rpc::MethodInfo& method,
                                            const google::protobuf::Message& request) const;

  /// Does what the method does with a request that fulfils its rules, up to what is sent: all steps
  /// of a mutation, or the reads.
  void Do(const rpc::MethodInfo& method, const google::protobuf::Message& request);

 private:
  void Mutate(const operations::PlanRegistration& mutation, const domain::Project& project,
              const google::protobuf::Message& request);

  boost::asio::io_context context_{1};
  system::SystemClock clock_;
  domain::Projects projects_;
  rpc::MethodTable published_;
  std::unique_ptr<const operations::Methods> methods_;
  std::unique_ptr<ports::PaymentService> service_;
  test::UnaskedMethodPorts ports_;
  rpc::Dispatcher dispatcher_{{}};
};

}  // namespace tollbridge::fuzz

#endif  // TOLLBRIDGE_TESTS_FUZZ_PUBLISHED_METHODS_H_
