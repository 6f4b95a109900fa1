#include "adapters/redis/open_session.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <utility>

#include "adapters/redis/errors.h"
#include "base/core/status_macros.h"
#include "base/net/address.h"
#include "base/net/stream.h"

namespace tollbridge::redis {
namespace {

/// What went wrong at which server.
absl::Status At(const Endpoint& server, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(server.ToString(), ": ", status.message()));
}

AsyncStatus LogIn(std::shared_ptr<Session> session, Credentials credentials, BootTime deadline) {
  if (!credentials.password.empty()) {
    Command auth = {"AUTH"};
    if (!credentials.user.empty()) auth.push_back(std::move(credentials.user));
    auth.push_back(std::move(credentials.password));
    TB_CO_ASSIGN_OR_RETURN(const Reply admitted, co_await Ask(session, std::move(auth), deadline));
  }
  const absl::StatusOr<Reply> pong = co_await Ask(session, {"PING"}, deadline);
  co_return pong.status();
}

}  // namespace

std::string Endpoint::ToString() const { return net::Address{.host = host, .port = port}.Text(); }

Async<std::shared_ptr<Session>> OpenSession(boost::asio::any_io_executor executor, Endpoint server,
                                            std::shared_ptr<const net::TlsContext> tls,
                                            Credentials credentials, SessionSettings settings,
                                            BootTime deadline) {
  absl::StatusOr<std::unique_ptr<net::Stream>> stream = co_await net::Connect(
      executor, {.host = server.host, .port = server.port, .tls = tls, .deadline = deadline});
  if (!stream.ok()) co_return At(server, stream.status());
  auto session = std::make_shared<Session>(executor, *std::move(stream), std::move(settings));
  session->Start();
  const absl::Status admitted = co_await LogIn(session, std::move(credentials), deadline);
  if (!admitted.ok()) {
    session->Close(admitted);
    // When it was the server that closed, this says more than that a command got no answer.
    co_return At(server, session->why_closed());
  }
  co_return session;
}

Async<Reply> Ask(std::shared_ptr<Session> session, Command command, BootTime deadline) {
  Session::Result result = co_await session->Execute(FormatCommand(command), deadline);
  TB_CO_RETURN_IF_ERROR(result.reply.status());
  TB_CO_RETURN_IF_ERROR(StatusOf(*result.reply));
  co_return std::move(result.reply);
}

}  // namespace tollbridge::redis
