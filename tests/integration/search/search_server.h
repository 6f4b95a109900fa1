#ifndef TOLLBRIDGE_TESTS_INTEGRATION_SEARCH_SEARCH_SERVER_H_
#define TOLLBRIDGE_TESTS_INTEGRATION_SEARCH_SEARCH_SERVER_H_

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "adapters/payment_service/client.h"
#include "adapters/system/system_clock.h"
#include "base/core/shard.h"
#include "base/telemetry/metrics.h"
#include "services/domain/project.h"
#include "services/operations/method.h"
#include "services/rpc/access.h"
#include "services/rpc/dispatcher.h"
#include "services/rpc/drain.h"
#include "services/rpc/server.h"
#include "services/rpc/validate.h"
#include "tests/support/fakes/unasked_method_ports.h"
#include "tests/support/fakes/unasked_payment_service.h"

namespace tollbridge::test {

/// The client, with its searches counted. Any thread may look.
class CountingService : public UnaskedPaymentService {
 public:
  explicit CountingService(std::unique_ptr<ports::PaymentService> service)
      : service_(std::move(service)) {}
  Async<common::v1::OrderSearchResult> SearchOrders(const domain::Project& project,
                                                    const common::v1::OrderSearch& search,
                                                    const ports::Context& context) override {
    ++searches;
    return service_->SearchOrders(project, search, context);
  }
  AsyncStatus ReadReport(const domain::Project& project, const common::v1::OrderSearch& search,
                         const ports::ReportSink& sink, const ports::Context& context) override {
    return service_->ReadReport(project, search, sink, context);
  }

  std::atomic<int> searches{0};

 private:
  std::unique_ptr<ports::PaymentService> service_;
};

/// The service Search on a gRPC server of one shard, which asks the payment service at `url` with
/// the pipe's retries, for the sandbox's project demo.
class SearchServer {
 public:
  explicit SearchServer(const std::string& url);
  ~SearchServer();
  SearchServer(const SearchServer&) = delete;
  SearchServer& operator=(const SearchServer&) = delete;

  std::string address() const;
  CountingService& service() { return *service_; }

 private:
  std::unique_ptr<ports::PaymentService> MakeClient(const std::string& url);

  system::SystemClock clock_;
  rpc::MethodTable published_;
  std::unique_ptr<const operations::Methods> methods_;
  test::UnaskedMethodPorts ports_;
  telemetry::Metrics metrics_;
  rpc::AccessRules access_{{.without_certificate = {"*"}}};
  domain::Projects projects_;
  rpc::Drain drain_;
  ShardPool shards_{1};
  std::unique_ptr<CountingService> service_;
  std::unique_ptr<rpc::Dispatcher> dispatcher_;
  std::unique_ptr<rpc::Server> server_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_INTEGRATION_SEARCH_SEARCH_SERVER_H_
