#include "tests/support/gateway_process.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace tollbridge::test {

GatewayProcess::GatewayProcess(const std::string& config_path, const Environment& environment,
                               const std::optional<RpcTls>& tls)
    : process_(
          std::vector<std::string>{ProgramBeside("tollbridge"), "serve", "--config", config_path},
          environment) {
  const std::optional<std::string> line = process_.WaitForLine("\"event\":\"serving\"");
  if (!line) {
    throw std::runtime_error("the gateway: " + process_.standard_output() +
                             process_.standard_error());
  }
  const boost::json::value addresses = boost::json::parse(*line);
  const auto address = [&](std::string_view name) {
    return std::string(addresses.at(name).as_string());
  };
  grpc_address_ = address("grpc");
  ingress_origin_ = (tls ? "https://" : "http://") + address("webhooks");
  metrics_url_ = "http://" + address("metrics") + "/metrics";
  grpc_ = std::make_unique<GrpcClient>(grpc_address_, tls);
}

}  // namespace tollbridge::test
