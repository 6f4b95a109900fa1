#ifndef TOLLBRIDGE_GATEWAY_CONFIG_RPC_SETTINGS_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_RPC_SETTINGS_H_

#include <absl/status/status.h>

#include <string>
#include <vector>

#include "gateway/config/config.h"
#include "gateway/config/listen_address.h"
#include "services/rpc/access.h"
#include "services/rpc/server.h"

/// What the gRPC services are given, made from the configuration, and what must fit together in it.
namespace tollbridge::gateway {

/// The listener: address, TLS, limits. Reads no file.
rpc::ServerSettings RpcServerSettings(const Config& config, Address listen);

/// Who may do what. With rpc.tls.client_ca_file every caller must show a certificate; without,
/// rpc.local_permissions say what callers may do.
rpc::AccessSettings RpcAccess(const Config& config);

/// What is wrong with callers and the listener's TLS, each beginning with the setting's name; names
/// of permissions and projects that are not known with the nearest one. Reads no file.
std::vector<std::string> RpcProblems(const Config& config);

/// What is allowed and hardly meant: nobody can call, or anyone can.
std::vector<std::string> RpcWarnings(const Config& config);

/// INVALID_ARGUMENT when the client authorities cannot be read or are no certificates, or one of
/// them has no list in a file of what was revoked.
absl::Status CheckClientCa(const Config& config);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_RPC_SETTINGS_H_
