#include "services/rpc/server.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include <absl/strings/str_cat.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include "base/core/status_macros.h"

namespace tollbridge::rpc {
namespace {

// After the last of our calls has finished, answers are still on their way to the sockets, and
// health watchers hold on until they are cut off.
constexpr std::chrono::milliseconds kFlush{500};

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || text.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": cannot be read, or is empty"));
  }
  return text;
}

bool IsLoopback(std::string_view address) {
  return address.starts_with("127.") || address.starts_with("localhost:") ||
         address.starts_with("[::1]:") || address.starts_with("unix:");
}

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> Credentials(
    const ServerSettings& settings) {
  if (!settings.tls.has_value()) {
    if (!IsLoopback(settings.listen_address) && !settings.plaintext_beyond_loopback) {
      return absl::FailedPreconditionError(absl::StrCat(
          settings.listen_address,
          ": plaintext is for loopback only; give a certificate, or allow it explicitly"));
    }
    return grpc::InsecureServerCredentials();
  }
  TB_ASSIGN_OR_RETURN(std::string chain, ReadFile(settings.tls->certificate_chain_file));
  TB_ASSIGN_OR_RETURN(std::string key, ReadFile(settings.tls->private_key_file));
  grpc::SslServerCredentialsOptions options;
  if (!settings.tls->client_ca_file.empty()) {
    TB_ASSIGN_OR_RETURN(options.pem_root_certs, ReadFile(settings.tls->client_ca_file));
    options.client_certificate_request = GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
  }
  options.pem_key_cert_pairs.push_back({std::move(key), std::move(chain)});
  return grpc::SslServerCredentials(options);
}

int Millis(std::chrono::milliseconds duration) { return static_cast<int>(duration.count()); }

void SetLimits(const ServerSettings& settings, grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(settings.max_request_bytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, settings.max_metadata_bytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, settings.max_concurrent_streams);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, Millis(settings.max_connection_age));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS,
                             Millis(settings.max_connection_age_grace));
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             Millis(settings.min_ping_interval));
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, settings.max_ping_strikes);
  // Two processes on one port would share its calls without anyone noticing.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

}  // namespace

class Server::Impl {
 public:
  Impl(const ServerSettings& settings, const MethodTable& methods, ShardPool& shards,
       std::vector<Dispatcher*> dispatchers, Drain& drain, const ports::Clock& clock)
      : drain_(drain),
        handover_(shards, std::move(dispatchers), drain),
        binding_(methods, handover_, clock, settings.deadlines) {}

  ~Impl() { Stop(BootClock::now()); }

  absl::Status Listen(const ServerSettings& settings) {
    TB_ASSIGN_OR_RETURN(auto credentials, Credentials(settings));
    // Both before the first builder: they act on builders made later. Named here, so that no linker
    // drops them.
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    grpc::ServerBuilder builder;
    SetLimits(settings, builder);
    builder.AddListeningPort(settings.listen_address, credentials, &port_);
    binding_.RegisterWith(builder);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port_ == 0) {
      return absl::UnavailableError(absl::StrCat("cannot listen on ", settings.listen_address));
    }
    for (const auto name : {health::kMutations, health::kWebhooks, health::kEvents}) {
      SetServing(name, false);
    }
    SetServing(health::kProcess, true);
    return absl::OkStatus();
  }

  int port() const { return port_; }

  void SetServing(std::string_view name, bool serving) {
    server_->GetHealthCheckService()->SetServingStatus(std::string(name), serving);
  }

  // gRPC ignores what is set afterwards.
  void EnterLameDuck() { server_->GetHealthCheckService()->Shutdown(); }

  bool Stop(BootTime deadline) {
    if (server_ == nullptr || stopped_) return finished_;
    stopped_ = true;
    drain_.Begin();
    EnterLameDuck();
    finished_ = drain_.WaitUntilIdle(deadline);
    const BootClock::duration left = deadline - BootClock::now();
    const auto flush = finished_ ? kFlush : std::min<BootClock::duration>(kFlush, left);
    server_->Shutdown(std::chrono::system_clock::now() +
                      std::chrono::duration_cast<std::chrono::milliseconds>(flush));
    server_->Wait();
    // Kept until the end: SetServing may still be called from a shard.
    return finished_;
  }

 private:
  Drain& drain_;
  Handover handover_;
  GrpcBinding binding_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
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
  auto impl =
      std::make_unique<Impl>(settings, methods, shards, std::move(dispatchers), drain, clock);
  TB_RETURN_IF_ERROR(impl->Listen(settings));
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

int Server::port() const { return impl_->port(); }
void Server::SetServing(std::string_view name, bool serving) { impl_->SetServing(name, serving); }
void Server::EnterLameDuck() { impl_->EnterLameDuck(); }
bool Server::Stop(BootTime deadline) { return impl_->Stop(deadline); }

}  // namespace tollbridge::rpc
