#include "services/rpc/server.h"

#include <absl/strings/str_cat.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <utility>

#include "base/core/status_macros.h"
#include "base/net/tls.h"
#include "base/wire/server.h"
#include "services/rpc/health_service.h"
#include "services/rpc/reflection_service.h"
#include "services/rpc/status.h"
#include "services/rpc/unknown_method.h"

namespace tollbridge::rpc {
namespace {

// After the last of our calls has finished, answers are still on their way to the sockets.
constexpr std::chrono::milliseconds kFlush{500};

absl::Status SetTls(const ServerSettings& settings, wire::ServerOptions& options) {
  if (!settings.tls.has_value()) {
    if (settings.listen.is_loopback() || settings.plaintext_beyond_loopback) {
      return absl::OkStatus();
    }
    return absl::FailedPreconditionError(
        absl::StrCat(settings.listen.Text(),
                     ": plaintext is for loopback only; give a certificate, or allow it "
                     "explicitly"));
  }
  auto context =
      net::TlsContext::ForServer({.certificate_chain_file = settings.tls->certificate_chain_file,
                                  .private_key_file = settings.tls->private_key_file,
                                  .peer_ca_file = settings.tls->client_ca_file,
                                  .peer_crl_file = settings.tls->client_crl_file,
                                  .protocol = "h2",
                                  .on_reload = settings.tls->on_reload});
  if (!context.ok()) {
    return absl::FailedPreconditionError(std::string(context.status().message()));
  }
  options.tls = *std::move(context);
  return absl::OkStatus();
}

}  // namespace

class Server::Impl {
 public:
  Impl(const ServerSettings& settings, ShardPool& shards, std::vector<Dispatcher*> dispatchers,
       Drain& drain)
      : drain_(drain),
        shards_(shards),
        handover_(shards, std::move(dispatchers), drain),
        health_(std::make_shared<HealthService>(
            static_cast<std::size_t>(settings.max_health_watchers))) {}

  ~Impl() { Stop(BootClock::now()); }

  absl::Status Listen(const ServerSettings& settings, const MethodTable& methods,
                      const ports::Clock& clock) {
    wire::ServerOptions options;
    // The listener takes addresses alone.
    options.host = settings.listen.host == "localhost" ? "127.0.0.1" : settings.listen.host;
    options.port = settings.listen.port;
    TB_RETURN_IF_ERROR(SetTls(settings, options));
    options.limits = settings.wire;
    options.methods = BindMethods(methods, handover_, clock, settings.deadlines);
    health_->AddTo(options.methods);
    AddReflection(methods, options.methods);
    options.unknown_method = ToCallStatus(UnknownMethod());
    for (const auto name : {health::kMutations, health::kWebhooks, health::kEvents}) {
      SetServing(name, false);
    }
    SetServing(health::kProcess, true);
    std::vector<boost::asio::any_io_executor> executors;
    for (std::size_t i = 0; i < shards_.size(); ++i) executors.push_back(shards_.at(i).executor());
    TB_ASSIGN_OR_RETURN(server_, wire::Server::Start(std::move(executors), std::move(options)));
    return absl::OkStatus();
  }

  const wire::Server& server() const { return *server_; }

  void SetServing(std::string_view name, bool serving) { health_->SetServing(name, serving); }

  void LookAtCertificates() { server_->LookAtCertificates(); }

  void EnterLameDuck() { health_->ShutDown(); }

  bool Stop(BootTime deadline) {
    if (server_ == nullptr || stopped_) return finished_;
    stopped_ = true;
    drain_.Begin();
    EnterLameDuck();
    server_->Notify();
    finished_ = drain_.WaitUntilIdle(deadline);
    boost::asio::co_spawn(shards_.at(0).executor(), server_->Stop(BootClock::now() + kFlush),
                          boost::asio::use_future)
        .get();
    // Kept until the end: SetServing may still be called from a shard.
    return finished_;
  }

 private:
  Drain& drain_;
  ShardPool& shards_;
  Handover handover_;
  const std::shared_ptr<HealthService> health_;
  std::unique_ptr<wire::Server> server_;
  bool stopped_ = false;
  bool finished_ = true;
};

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerSettings& settings,
                                                      const MethodTable& methods, ShardPool& shards,
                                                      std::vector<Dispatcher*> dispatchers,
                                                      Drain& drain, const ports::Clock& clock) {
  if (dispatchers.size() != shards.size()) {
    return absl::FailedPreconditionError("there must be one dispatcher for each shard");
  }
  auto impl = std::make_unique<Impl>(settings, shards, std::move(dispatchers), drain);
  TB_RETURN_IF_ERROR(impl->Listen(settings, methods, clock));
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

int Server::port() const { return impl_->server().port(); }
std::shared_ptr<const wire::Counts> Server::counts() const { return impl_->server().counts(); }
void Server::SetServing(std::string_view name, bool serving) { impl_->SetServing(name, serving); }
void Server::LookAtCertificates() { impl_->LookAtCertificates(); }
void Server::EnterLameDuck() { impl_->EnterLameDuck(); }
bool Server::Stop(BootTime deadline) { return impl_->Stop(deadline); }

}  // namespace tollbridge::rpc
