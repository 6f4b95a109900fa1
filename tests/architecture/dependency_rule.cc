#include "tests/architecture/dependency_rule.h"

#include <algorithm>
#include <array>

namespace tollbridge::architecture {
namespace {

constexpr std::string_view kBase = "services/base";
constexpr std::string_view kVersion = "services/version";
constexpr std::string_view kTelemetry = "services/telemetry";
constexpr std::string_view kHttp = "adapters/http";
constexpr std::string_view kDomain = "services/domain";
constexpr std::string_view kPorts = "services/ports";
constexpr std::string_view kRpc = "services/rpc";
constexpr std::string_view kOperations = "services/operations";
constexpr std::string_view kOrders = "services/orders";
constexpr std::string_view kGateway = "services/gateway";
constexpr std::string_view kSandbox = "services/sandbox";
constexpr std::string_view kSandboxCore = "services/sandbox/core";
constexpr std::string_view kSandboxWire = "services/sandbox/wire";

/// The leaves, the core and the generated messages: what any room above the ports may use.
std::vector<std::string_view> Core(std::initializer_list<std::string_view> further = {}) {
  std::vector<std::string_view> rooms = {kBase, kTelemetry, kHttp, kProtoRoom, kDomain, kPorts};
  rooms.insert(rooms.end(), further);
  return rooms;
}

}  // namespace

const std::vector<Room>& Rooms() {
  static const std::vector<Room> rooms = {
      // Leaves.
      {kProtoRoom, {}},
      {kBase, {}},
      {kVersion, {}},
      {kTelemetry, {kBase}},
      {kHttp, {kBase, kTelemetry}},
      // The core. No I/O: adapters/http is not for them.
      {kDomain, {kBase, kTelemetry, kProtoRoom}},
      {kPorts, {kBase, kTelemetry, kProtoRoom, kDomain}},
      // Services. Sideways only {payments, vault, payouts, search} -> orders -> operations -> rpc.
      {kRpc, Core()},
      {kOperations, Core({kRpc})},
      {kOrders, Core({kOperations})},
      {"services/payments", Core({kOperations, kOrders})},
      {"services/vault", Core({kOperations, kOrders})},
      {"services/payouts", Core({kOperations, kOrders})},
      {"services/search", Core({kOperations, kOrders})},
      {"services/webhooks", Core()},
      {"services/events", Core()},
      {"services/reconcile", Core()},
      // Where all is put together.
      {kGateway,
       Core({kRpc, kOperations, kOrders, "services/payments", "services/vault", "services/payouts",
             "services/search", "services/webhooks", "services/events", "services/reconcile",
             "adapters/payment_service", "adapters/redis", "adapters/kafka", "adapters/telemetry",
             "adapters/system", kVersion})},
      // Adapters: never a service, never each other.
      {"adapters/payment_service", Core()},
      {"adapters/redis", Core()},
      {"adapters/kafka", Core()},
      {"adapters/telemetry", Core()},
      {"adapters/system", Core()},
      // Reads the interface document on its own: nothing of the product, above all no codec.
      // Inside it: core <- {wire, faults} <- {api, search, webhooks, pages, admin} <- the rest.
      {"services/sandbox/core", {kBase, kHttp}},
      {"services/sandbox/faults", {kBase, kHttp, kSandboxCore}},
      {"services/sandbox/wire", {kBase, kHttp, kSandboxCore}},
      {"services/sandbox/api", {kBase, kHttp, kSandboxCore, kSandboxWire}},
      {"services/sandbox/search", {kBase, kHttp, kSandboxCore, kSandboxWire}},
      {"services/sandbox/pages", {kBase, kHttp, kSandboxCore, kSandboxWire}},
      {"services/sandbox/webhooks", {kBase, kHttp, kSandboxCore, "services/sandbox/faults"}},
      {"services/sandbox/admin", {kBase, kHttp, kSandboxCore, kSandboxWire}},
      {kSandbox,
       {kBase, kHttp, kSandboxCore, kSandboxWire, "services/sandbox/api", "services/sandbox/search",
        "services/sandbox/faults", "services/sandbox/webhooks", "services/sandbox/pages",
        "services/sandbox/admin", kVersion}},
  };
  return rooms;
}

const Room* FindRoom(std::string_view folder) {
  const auto found =
      std::ranges::find_if(Rooms(), [&](const Room& room) { return room.folder == folder; });
  return found == Rooms().end() ? nullptr : &*found;
}

bool IsConcreteAdapter(std::string_view folder) {
  return folder.starts_with("adapters/") && folder != kHttp;
}

bool MayNameAdapters(std::string_view path) {
  if (!path.starts_with(kGateway)) return false;
  return path.starts_with("services/gateway/wiring") || path.ends_with("_command.cc") ||
         path.ends_with("_settings.h") || path.ends_with("_settings.cc");
}

const std::vector<LibraryRule>& LibraryRules() {
  static const std::vector<LibraryRule> rules = {
      {.text = "Beast and asio::ssl are for adapters/http/*.cc only",
       .include_prefixes = {"boost/beast", "boost/asio/ssl"},
       .target_prefixes = {"OpenSSL::SSL"},
       .rooms = {kHttp},
       .in_headers = false},
      {.text = "gRPC is for services/rpc/*.cc and services/gateway/*.cc only",
       .include_prefixes = {"grpcpp/", "grpc++/"},
       .target_prefixes = {"gRPC::grpc"},
       .rooms = {kRpc, kGateway},
       .in_headers = false,
       .private_headers = {"services/rpc/grpc_calls.h"}},
      {.text = "gRPC's support library is also for adapters/telemetry/*.cc, which takes its log",
       .include_prefixes = {"grpc/"},
       .target_prefixes = {"gRPC::gpr"},
       .rooms = {kRpc, kGateway, "adapters/telemetry"},
       .in_headers = false},
      {.text = "librdkafka is for adapters/kafka and services/sandbox only",
       .include_prefixes = {"librdkafka/", "rdkafka"},
       .target_prefixes = {"tb::rdkafka"},
       .rooms = {"adapters/kafka", kSandbox}},
      {.text = "hiredis is for adapters/redis only",
       .include_prefixes = {"hiredis"},
       .target_prefixes = {"tb::hiredis"},
       .rooms = {"adapters/redis"}},
  };
  return rules;
}

bool IsPrivateHeader(std::string_view path) {
  return std::ranges::any_of(LibraryRules(), [&](const LibraryRule& rule) {
    return std::ranges::find(rule.private_headers, path) != rule.private_headers.end();
  });
}

std::span<const std::string_view> UmbrellaHeaders() {
  static constexpr std::array<std::string_view, 6> headers = {
      "boost/asio.hpp",       "boost/asio/ssl.hpp", "boost/beast.hpp",
      "boost/beast/http.hpp", "boost/json.hpp",     "boost/url.hpp"};
  return headers;
}

}  // namespace tollbridge::architecture
