#ifndef TOLLBRIDGE_TESTS_E2E_SUPPORT_EXPORTS_H_
#define TOLLBRIDGE_TESTS_E2E_SUPPORT_EXPORTS_H_

#include <cstdint>
#include <string>

#include "tests/support/grpc_client.h"
#include "tests/support/stack.h"
#include "tollbridge/search/v1/search.pb.h"

/// The report of all orders, through the gateway and from the payment service itself.
namespace tollbridge::test {

/// What came through Search.ExportOrders.
struct Export {
  RpcStatus end;
  search::v1::ExportSummary summary;
  std::int64_t bytes = 0;
  double seconds = 0;
};
Export ExportAll(Stack& stack);

/// What curl reads. Throws std::runtime_error when it fails.
struct DirectReport {
  std::int64_t bytes = 0;
  double seconds = 0;
};
/// `path`: where the report is written.
DirectReport ReadDirectly(Stack& stack, const std::string& path = "/dev/null");

/// Makes that many orders at the sandbox.
void Seed(Stack& stack, int orders);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_SUPPORT_EXPORTS_H_
