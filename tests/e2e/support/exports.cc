#include "tests/e2e/support/exports.h"

#include <chrono>
#include <sstream>
#include <stdexcept>

#include "tests/support/process.h"

namespace tollbridge::test {

Export ExportAll(Stack& stack) {
  const auto start = std::chrono::steady_clock::now();
  const auto stream =
      stack.grpc().OpenStream("tollbridge.search.v1.Search.ExportOrders", "",
                              {.deadline = std::chrono::minutes(2), .metadata = {}});
  Export result;
  while (const auto bytes = stream->Read()) {
    search::v1::ExportOrdersResponse response;
    if (!response.ParseFromString(*bytes)) throw std::runtime_error("not an ExportOrdersResponse");
    result.bytes += static_cast<std::int64_t>(response.chunk().size());
    if (response.has_summary()) result.summary = response.summary();
  }
  result.end = stream->Finish();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

DirectReport ReadDirectly(Stack& stack, const std::string& path) {
  const Finished curl =
      Run({"curl", "--silent", "--show-error", "--fail", "--user", "sandbox-demo-key:", "--header",
           "Content-Type: application/json", "--data", R"({"query": "*", "sort": "id asc"})",
           "--output", path, "--write-out", "%{size_download} %{time_total}",
           stack.sandbox_url() + "/v1/search/orders/?format=csv"},
          {}, std::chrono::minutes(2));
  if (curl.code != 0) throw std::runtime_error("curl: " + curl.error);
  DirectReport report;
  std::istringstream(curl.output) >> report.bytes >> report.seconds;
  return report;
}

void Seed(Stack& stack, int orders) {
  const http::Response made =
      stack.Http("POST", stack.sandbox_url() + "/_sandbox/seed",
                 "{\"orders\": " + std::to_string(orders) + "}", {}, std::chrono::minutes(2));
  if (made.status != 200) throw std::runtime_error("seed: " + made.body);
}

}  // namespace tollbridge::test
