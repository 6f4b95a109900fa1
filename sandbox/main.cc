#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <csignal>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/http/server.h"
#include "base/net/tls.h"
#include "sandbox/app.h"
#include "sandbox/kafka_broker.h"
#include "sandbox/options.h"
#include "sandbox/self_signed.h"
#include "sandbox/wire/error_response.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::string_view kVaultPrefix = "/vault";
constexpr std::string_view kWalletPrefix = "/wallet-b";

int Fail(const std::string& what) {
  std::cerr << "tollbridge-sandbox: " << what << "\n";
  return 1;
}

int Fail(const absl::Status& status) { return Fail(std::string(status.message())); }

/// The pair that was given or is to be made; nullptr for plain HTTP.
absl::StatusOr<std::shared_ptr<const net::TlsContext>> LoadTls(const Options& options) {
  TlsFiles files;
  if (options.tls) {
    files = *options.tls;
  } else if (!options.tls_self_signed_folder.empty()) {
    absl::StatusOr<TlsFiles> made = MakeSelfSigned(
        options.tls_self_signed_folder, {options.listen.host}, std::chrono::system_clock::now());
    if (!made.ok()) return made.status();
    files = *std::move(made);
  } else {
    return nullptr;
  }
  return net::TlsContext::ForServer(
      {.certificate_chain_file = files.certificate, .private_key_file = files.key});
}

/// The servers of the App: the main one, and where asked for those of the vault and of wallet B.
class Servers {
 public:
  Servers(boost::asio::io_context* context, App* app, std::shared_ptr<const net::TlsContext> tls)
      : context_(context), app_(app), tls_(std::move(tls)) {}

  /// What URLs of that server begin with. The first one is the main server.
  absl::StatusOr<std::string> Start(const ListenAddress& address, std::string_view prefix) {
    http::ServerOptions options;
    options.host = address.host;
    options.port = address.port;
    options.tls = tls_;
    const bool without_type = app_->world().simulation.settings.variants.errors_without_type;
    options.error_response = [without_type](int status, std::string_view reason) {
      http::Response response = ToResponse(status, reason);
      return without_type ? WithoutErrorType(std::move(response)) : response;
    };
    auto server = http::Server::Start(
        {context_->get_executor()}, std::move(options),
        [app = app_, prefix](const http::Request& request, const http::ConnectionInfo& connection) {
          return app->Handle(request, connection, prefix);
        });
    if (!server.ok()) return server.status();
    std::string url = (tls_ ? "https://" : "http://") + (*server)->address();
    servers_.push_back(*std::move(server));
    return url;
  }

  /// The address that the main server is bound to.
  const std::string& main_address() const { return servers_.front()->address(); }

 private:
  boost::asio::io_context* context_;
  App* app_;
  std::shared_ptr<const net::TlsContext> tls_;
  std::vector<std::unique_ptr<http::Server>> servers_;
};

absl::StatusOr<Addresses> Listen(const Options& options, Servers* servers) {
  Addresses addresses;
  absl::StatusOr<std::string> bound = servers->Start(options.listen, "");
  if (!bound.ok()) return bound.status();
  addresses.base_url = options.public_url.empty() ? *bound : options.public_url;
  addresses.vault_url = addresses.base_url + std::string(kVaultPrefix);
  addresses.wallet_token_url = addresses.base_url + std::string(kWalletPrefix);
  if (options.vault_listen) {
    bound = servers->Start(*options.vault_listen, kVaultPrefix);
    if (!bound.ok()) return bound.status();
    addresses.vault_url = *bound;
  }
  if (options.wallet_token_listen) {
    bound = servers->Start(*options.wallet_token_listen, kWalletPrefix);
    if (!bound.ok()) return bound.status();
    addresses.wallet_token_url = *bound;
  }
  return addresses;
}

int Run(const Options& options) {
  for (const std::string& warning : options.warnings) std::cerr << warning << "\n";
  const auto tls = LoadTls(options);
  if (!tls.ok()) return Fail(tls.status());
  std::unique_ptr<KafkaBroker> kafka;
  if (options.kafka) {
    auto started = KafkaBroker::Start(options.kafka_topics);
    if (!started.ok()) return Fail(started.status());
    kafka = *std::move(started);
  }

  boost::asio::io_context context(1);
  App app(context.get_executor(), {.settings = options.settings,
                                   .seed = options.seed,
                                   .start = options.start_time,
                                   .admin_anywhere = options.admin_anywhere});
  if (options.faults) {
    if (const auto set = app.SetFaults(*options.faults); !set.ok()) {
      return Fail(options.faults_source + ": " + set.error().value);
    }
  }
  if (options.orders > 0) app.Seed(options.settings.projects.front(), options.orders);
  Servers servers(&context, &app, *tls);
  const absl::StatusOr<Addresses> addresses = Listen(options, &servers);
  if (!addresses.ok()) return Fail(addresses.status());
  app.SetAddresses(*addresses);

  // Before the line: whoever has read it may send a signal.
  boost::asio::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([&context](const boost::system::error_code&, int) { context.stop(); });

  boost::json::object line;
  line["listen"] = servers.main_address();
  line["base_url"] = addresses->base_url;
  line["vault_url"] = addresses->vault_url;
  line["wallet_token_url"] = addresses->wallet_token_url;
  line["admin_url"] = addresses->base_url + "/_sandbox/";
  if (kafka) line["kafka_brokers"] = kafka->brokers();
  std::cout << boost::json::serialize(line) << std::endl;
  context.run();
  return 0;
}

}  // namespace
}  // namespace tollbridge::sandbox

int main(int argc, char** argv) {
  using tollbridge::sandbox::Exit;
  using tollbridge::sandbox::Options;
  const std::variant<Options, Exit> parsed = tollbridge::sandbox::ParseOptions(argc, argv);
  if (const Exit* exit = std::get_if<Exit>(&parsed)) {
    (exit->code == 0 ? std::cout : std::cerr) << exit->text;
    return exit->code;
  }
  return tollbridge::sandbox::Run(std::get<Options>(parsed));
}
