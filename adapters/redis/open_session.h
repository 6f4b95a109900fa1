#ifndef TOLLBRIDGE_ADAPTERS_REDIS_OPEN_SESSION_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_OPEN_SESSION_H_

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "adapters/redis/session.h"
#include "base/core/async.h"
#include "base/core/boot_clock.h"
#include "base/net/tls.h"

namespace tollbridge::redis {

/// Where a Redis or a Sentinel listens.
struct Endpoint {
  std::string host;  ///< name or address, IPv6 without brackets
  std::uint16_t port = 0;

  /// "host:port", IPv6 in brackets.
  std::string ToString() const;
};

/// Who we are to a server.
struct Credentials {
  /// For AUTH; empty user = the default user, empty password = no AUTH.
  std::string user;
  std::string password;
};

/// Connects, logs in and waits for the answer to a PING: a server that was suspended accepts
/// connections and answers nothing. `tls` may be nullptr. Errors begin with the server's address
/// and hold no password.
Async<std::shared_ptr<Session>> OpenSession(boost::asio::any_io_executor executor, Endpoint server,
                                            std::shared_ptr<const net::TlsContext> tls,
                                            Credentials credentials, SessionSettings settings,
                                            BootTime deadline);

/// A command over a session, with an error reply as an error (StatusOf).
Async<Reply> Ask(std::shared_ptr<Session> session, Command command, BootTime deadline);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_OPEN_SESSION_H_
