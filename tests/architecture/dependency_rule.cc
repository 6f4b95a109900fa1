#include "tests/architecture/dependency_rule.h"

#include <algorithm>
#include <array>

namespace tollbridge::architecture {
namespace {

constexpr std::string_view kCore = "base/core";
constexpr std::string_view kMemory = "base/memory";
constexpr std::string_view kVersion = "base/version";
constexpr std::string_view kTelemetry = "base/telemetry";
constexpr std::string_view kNet = "base/net";
constexpr std::string_view kHttp = "base/http";
constexpr std::string_view kWire = "base/wire";
constexpr std::string_view kConfig = "base/config";
constexpr std::string_view kDomain = "services/domain";
constexpr std::string_view kPorts = "services/ports";
constexpr std::string_view kRpc = "services/rpc";
constexpr std::string_view kOperations = "services/operations";
constexpr std::string_view kOrders = "services/orders";
constexpr std::string_view kGatewayConfig = "gateway/config";
constexpr std::string_view kGatewayWiring = "gateway/wiring";
constexpr std::string_view kGatewayCommands = "gateway/commands";
constexpr std::string_view kSandboxCore = "sandbox/core";
constexpr std::string_view kSandboxWire = "sandbox/wire";
constexpr std::string_view kSandboxFaults = "sandbox/faults";

using Folders = std::vector<std::string_view>;

Folders operator+(Folders folders, const Folders& further) {
  folders.insert(folders.end(), further.begin(), further.end());
  return folders;
}

/// The leaves, the core and the generated messages: what any room above the ports may use.
const Folders kBelow = {kCore, kTelemetry, kNet, kHttp, kConfig, kProtoRoom, kDomain, kPorts};

const Folders kServices = {kRpc,
                           kOperations,
                           kOrders,
                           "services/payments",
                           "services/vault",
                           "services/payouts",
                           "services/search",
                           "services/webhooks",
                           "services/events",
                           "services/reconcile"};

const Folders kAdapters = {"adapters/payment_service", "adapters/redis", "adapters/kafka",
                           "adapters/telemetry", "adapters/system"};

/// The sandbox reads docs/interface.md on its own: nothing of the product, above all no codec.
const Folders kBelowSandbox = {kCore, kNet, kHttp};

constexpr bool kInner = true;

}  // namespace

const std::vector<Room>& Rooms() {
  static const std::vector<Room> rooms = {
      // Leaves.
      {kProtoRoom, {}},
      {kCore, {}},
      {kMemory, {}},
      {kVersion, {}},
      {kTelemetry, {kCore}},
      {kNet, {kCore, kTelemetry}},
      {kHttp, {kCore, kTelemetry, kNet}},
      {kWire, {kCore, kNet}},
      {kConfig, {kCore}},
      // The core. No I/O: neither base/net nor base/http is for them.
      {kDomain, {kCore, kTelemetry, kProtoRoom}},
      {kPorts, {kCore, kTelemetry, kProtoRoom, kDomain}},
      // Services. Sideways only {payments, vault, payouts, search} -> orders -> operations -> rpc.
      {kRpc, kBelow + Folders{kWire}},
      {kOperations, kBelow + Folders{kRpc}},
      {kOrders, kBelow + Folders{kOperations}},
      {"services/payments", kBelow + Folders{kOperations, kOrders}},
      {"services/vault", kBelow + Folders{kOperations, kOrders}},
      {"services/payouts", kBelow + Folders{kOperations, kOrders}},
      {"services/search", kBelow + Folders{kOperations, kOrders}},
      {"services/webhooks", kBelow},
      {"services/events", kBelow},
      {"services/reconcile", kBelow},
      // Adapters: never a service, never each other.
      {"adapters/payment_service", kBelow},
      {"adapters/redis", kBelow},
      {"adapters/kafka", kBelow},
      {"adapters/telemetry", kBelow},
      {"adapters/system", kBelow},
      // Where all is put together, and the only rooms that name adapters.
      {kGatewayConfig, kBelow + kServices + kAdapters + Folders{kVersion}},
      {kGatewayWiring, kBelow + kServices + kAdapters + Folders{kGatewayConfig, kVersion}},
      {kGatewayCommands,
       kBelow + kServices + kAdapters + Folders{kGatewayConfig, kGatewayWiring, kMemory, kVersion}},
      {"gateway", {kTelemetry, kGatewayCommands, kVersion}},
      // The second product, one target. In it: core <- wire <- {faults, api, search, pages, admin}
      // <- the rest, and faults <- webhooks.
      {kSandboxCore, kBelowSandbox, kInner},
      {kSandboxFaults, kBelowSandbox + Folders{kSandboxCore, kSandboxWire}, kInner},
      {kSandboxWire, kBelowSandbox + Folders{kSandboxCore}, kInner},
      {"sandbox/api", kBelowSandbox + Folders{kSandboxCore, kSandboxWire}, kInner},
      {"sandbox/search", kBelowSandbox + Folders{kSandboxCore, kSandboxWire}, kInner},
      {"sandbox/pages", kBelowSandbox + Folders{kSandboxCore, kSandboxWire}, kInner},
      {"sandbox/webhooks", kBelowSandbox + Folders{kSandboxCore, kSandboxFaults}, kInner},
      {"sandbox/admin", kBelowSandbox + Folders{kSandboxCore, kSandboxWire}, kInner},
      {"sandbox", kBelowSandbox + Folders{kSandboxCore, kSandboxWire, "sandbox/api",
                                          "sandbox/search", kSandboxFaults, "sandbox/webhooks",
                                          "sandbox/pages", "sandbox/admin", kVersion}},
  };
  return rooms;
}

bool IsOurs(std::string_view path) {
  return path.starts_with("base/") || path.starts_with("services/") ||
         path.starts_with("adapters/") || path.starts_with("gateway/") ||
         path.starts_with("sandbox/");
}

const Room* FindRoom(std::string_view folder) {
  const auto found =
      std::ranges::find_if(Rooms(), [&](const Room& room) { return room.folder == folder; });
  return found == Rooms().end() ? nullptr : &*found;
}

const std::vector<LibraryRule>& LibraryRules() {
  static const std::vector<LibraryRule> rules = {
      {.text = "asio::ssl is for base/net/*.cc and base/http/*.cc only",
       .include_prefixes = {"boost/asio/ssl"},
       .target_prefixes = {"OpenSSL::SSL"},
       .rooms = {kNet, kHttp},
       .in_headers = false},
      {.text = "Beast is for base/http/*.cc only",
       .include_prefixes = {"boost/beast"},
       .target_prefixes = {},
       .rooms = {kHttp},
       .in_headers = false},
      {.text = "nghttp2 is for base/wire/*.cc only",
       .include_prefixes = {"nghttp2/"},
       .target_prefixes = {"tb::nghttp2"},
       .rooms = {kWire},
       .in_headers = false},
      {.text = "gRPC's library is a client, for gateway/commands/*.cc only",
       .include_prefixes = {"grpcpp/", "grpc++/"},
       .target_prefixes = {"gRPC::grpc"},
       .rooms = {kGatewayCommands},
       .in_headers = false},
      {.text = "gRPC's support library is also for adapters/telemetry/*.cc, which takes its log",
       .include_prefixes = {"grpc/"},
       .target_prefixes = {"gRPC::gpr"},
       .rooms = {kGatewayCommands, "adapters/telemetry"},
       .in_headers = false},
      {.text = "librdkafka is for adapters/kafka and sandbox only",
       .include_prefixes = {"librdkafka/", "rdkafka"},
       .target_prefixes = {"tb::rdkafka"},
       .rooms = {"adapters/kafka", "sandbox"}},
      {.text = "hiredis is for adapters/redis only",
       .include_prefixes = {"hiredis"},
       .target_prefixes = {"tb::hiredis"},
       .rooms = {"adapters/redis"}},
  };
  return rules;
}

std::span<const std::string_view> UmbrellaHeaders() {
  static constexpr std::array<std::string_view, 6> headers = {
      "boost/asio.hpp",       "boost/asio/ssl.hpp", "boost/beast.hpp",
      "boost/beast/http.hpp", "boost/json.hpp",     "boost/url.hpp"};
  return headers;
}

}  // namespace tollbridge::architecture
