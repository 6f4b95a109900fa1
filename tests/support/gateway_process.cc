#include "tests/support/gateway_process.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "tests/support/http_call.h"

namespace tollbridge::test {
namespace {

std::vector<std::string> Command(const std::string& program, const std::string& config_path,
                                 const std::vector<std::string>& roles) {
  std::vector<std::string> command{program, "serve", "--config", config_path};
  for (const std::string& role : roles) command.insert(command.end(), {"--role", role});
  return command;
}

}  // namespace

GatewayProcess::GatewayProcess(const std::string& config_path, const Environment& environment,
                               const std::optional<RpcTls>& tls,
                               const std::vector<std::string>& roles, const std::string& program)
    : process_(Command(program, config_path, roles), environment) {
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
  // Without the role rpc there is none.
  if (!grpc_address_.empty()) grpc_ = std::make_unique<GrpcClient>(grpc_address_, tls);
}

http::Response ProbeAt(const std::string& metrics_url, const std::string& probe) {
  return HttpCall("GET", metrics_url.substr(0, metrics_url.rfind('/')) + probe);
}

}  // namespace tollbridge::test
