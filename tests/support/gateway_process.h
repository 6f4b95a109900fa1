#ifndef TOLLBRIDGE_TESTS_SUPPORT_GATEWAY_PROCESS_H_
#define TOLLBRIDGE_TESTS_SUPPORT_GATEWAY_PROCESS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/http/message.h"
#include "tests/support/grpc_client.h"
#include "tests/support/process.h"

namespace tollbridge::test {

/// `tollbridge serve` as a process of its own, on the ports that it has got.
class GatewayProcess {
 public:
  /// Returns when it serves. Throws std::runtime_error with what it wrote when it does not. `tls`:
  /// its configuration turns TLS on for callers and for the ingress; grpc() calls with it. `roles`
  /// take the place of the configured ones where there are any. `program` is the `tollbridge` that
  /// runs.
  explicit GatewayProcess(const std::string& config_path, const Environment& environment = {},
                          const std::optional<RpcTls>& tls = std::nullopt,
                          const std::vector<std::string>& roles = {},
                          const std::string& program = ProgramBeside("tollbridge"));

  Process& process() { return process_; }
  /// Of a process with the role rpc.
  GrpcClient& grpc() { return *grpc_; }
  const std::string& grpc_address() const { return grpc_address_; }
  /// Where the ingress listens, `http://host:port`; https with TLS.
  const std::string& ingress_origin() const { return ingress_origin_; }
  const std::string& metrics_url() const { return metrics_url_; }

 private:
  Process process_;
  std::string grpc_address_;
  std::string ingress_origin_;
  std::string metrics_url_;
  std::unique_ptr<GrpcClient> grpc_;
};

/// What GET `probe`, e.g. "/readyz", answers beside the metrics.
http::Response ProbeAt(const std::string& metrics_url, const std::string& probe);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_GATEWAY_PROCESS_H_
