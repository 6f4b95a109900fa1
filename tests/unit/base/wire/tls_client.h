#ifndef TOLLBRIDGE_TESTS_UNIT_BASE_WIRE_TLS_CLIENT_H_
#define TOLLBRIDGE_TESTS_UNIT_BASE_WIRE_TLS_CLIENT_H_

#include <cstdint>
#include <string>

#include "tests/support/grpc_client.h"

namespace tollbridge::wire {

/// The first that a client sends which wants to speak HTTP/2 under TLS.
std::string ClientHello();

enum class Renegotiation { kNoConnection, kLeftOpen, kEnded };

/// Asks for another handshake on a connection of TLS 1.2, and waits a while for the server to end
/// it. `source` is the address that it connects from. Shows the certificate where there is one.
Renegotiation AskToRenegotiate(std::uint16_t port, const test::RpcTls& tls,
                               const std::string& source = "127.0.0.1");

/// Changes its key `times` on a connection of TLS 1.3, and waits a while for the server to end it.
/// Whether it did. `source` as above.
bool ChangesItsKeyInVain(std::uint16_t port, const test::RpcTls& tls, int times,
                         const std::string& source = "127.0.0.1");

}  // namespace tollbridge::wire

#endif  // TOLLBRIDGE_TESTS_UNIT_BASE_WIRE_TLS_CLIENT_H_
