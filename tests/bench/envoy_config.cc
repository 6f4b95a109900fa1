#include "tests/bench/envoy_config.h"

#include <absl/strings/str_replace.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "base/core/encoding.h"
#include "tests/support/http_call.h"

namespace tollbridge::bench {
namespace {

namespace json = boost::json;

/// Bounds of the transcoder, which holds an answer whole: more than the largest.
constexpr const char* kConfig = R"(
admin:
  address: {socket_address: {address: 127.0.0.1, port_value: 0}}
static_resources:
  listeners:
  - name: rpc
    address: {socket_address: {address: 127.0.0.1, port_value: 0}}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: rpc
          codec_type: HTTP2
          generate_request_id: false
          http_filters:
          - name: envoy.filters.http.grpc_json_reverse_transcoder
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.grpc_json_reverse_transcoder.v3.GrpcJsonReverseTranscoder
              descriptor_path: $DESCRIPTOR
              max_request_body_size: 16777216
              max_response_body_size: 16777216
          - name: envoy.filters.http.router
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
              suppress_envoy_headers: true
          route_config:
            name: all
            request_headers_to_add:
            - header: {key: Authorization, value: "Basic $KEY"}
              append_action: OVERWRITE_IF_EXISTS_OR_ADD
            virtual_hosts:
            - name: all
              domains: ["*"]
              routes:
              - match: {prefix: /}
                route: {cluster: upstream}
  clusters:
  - name: upstream
    type: STATIC
    connect_timeout: 5s
    load_assignment:
      cluster_name: upstream
      endpoints:
      - lb_endpoints:
        - endpoint:
            address: {socket_address: {address: 127.0.0.1, port_value: $PORT}}
)";

std::string FirstLine(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

std::string EnvoyConfig(std::uint16_t upstream_port, const std::string& descriptor_path) {
  return absl::StrReplaceAll(kConfig, {{"$DESCRIPTOR", descriptor_path},
                                       {"$KEY", Base64Encode("sandbox-demo-key:")},
                                       {"$PORT", std::to_string(upstream_port)}});
}

std::string EnvoyAddress(const std::string& admin_file, const test::Process& envoy) {
  if (!test::Eventually([&] { return !FirstLine(admin_file).empty(); })) {
    throw std::runtime_error("envoy: " + envoy.standard_error());
  }
  const std::string page = "http://" + FirstLine(admin_file) + "/listeners?format=json";
  json::value listeners;
  const bool listens = test::Eventually([&] {
    listeners = json::parse(test::HttpGet(page));
    return listeners.as_object().contains("listener_statuses");
  });
  if (!listens) throw std::runtime_error("envoy does not listen: " + envoy.standard_error());
  const json::value& address =
      listeners.at("listener_statuses").as_array().at(0).at("local_address").at("socket_address");
  return std::string(address.at("address").as_string()) + ":" +
         std::to_string(address.at("port_value").to_number<int>());
}

}  // namespace tollbridge::bench
