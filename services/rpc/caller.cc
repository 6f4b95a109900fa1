#include "services/rpc/caller.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <absl/strings/ascii.h>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>

namespace tollbridge::rpc {
namespace {

constexpr std::size_t kLongestName = 512;

bool Usable(std::string_view name) {
  const auto graphic = [](char c) { return c > ' ' && c < 0x7f; };
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, graphic) &&
         name != kLocalCaller && name != kAnonymousCaller;
}

std::vector<std::string> Values(const grpc::AuthContext& connection, const char* property) {
  std::vector<std::string> values;
  for (const grpc::string_ref& value : connection.FindPropertyValues(property)) {
    values.emplace_back(value.data(), value.size());
  }
  return values;
}

bool IsTls(const grpc::AuthContext& connection) {
  const std::vector<std::string> types =
      Values(connection, GRPC_TRANSPORT_SECURITY_TYPE_PROPERTY_NAME);
  return std::ranges::any_of(types, [](std::string_view type) {
    return type == GRPC_SSL_TRANSPORT_SECURITY_TYPE || type == GRPC_TLS_TRANSPORT_SECURITY_TYPE;
  });
}

}  // namespace

Caller LocalCaller() { return {.identity = std::string(kLocalCaller), .names = {}, .local = true}; }

Caller CertifiedCaller(const std::vector<std::string>& uris,
                       const std::vector<std::string>& dns_names) {
  Caller caller;
  for (const std::string& uri : uris) {
    if (Usable(uri) && uri.find(':') != std::string::npos) caller.names.push_back(uri);
  }
  for (const std::string& dns_name : dns_names) {
    std::string name = absl::AsciiStrToLower(dns_name);
    if (Usable(name) && name.find(':') == std::string::npos) {
      caller.names.push_back(std::move(name));
    }
  }
  caller.authenticated = !caller.names.empty();
  caller.identity = caller.authenticated ? caller.names.front() : std::string(kAnonymousCaller);
  return caller;
}

Caller CallerOf(const grpc::AuthContext& connection) {
  if (!IsTls(connection)) return LocalCaller();
  // Not GRPC_X509_SAN_PROPERTY_NAME: it lists the names of all kinds without saying which is which,
  // and a DNS name may hold the text of a URI.
  return CertifiedCaller(Values(connection, GRPC_PEER_URI_PROPERTY_NAME),
                         Values(connection, GRPC_PEER_DNS_PROPERTY_NAME));
}

}  // namespace tollbridge::rpc
