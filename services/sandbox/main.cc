#include <CLI/CLI.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "adapters/http/server.h"
#include "services/sandbox/app.h"
#include "services/sandbox/error_response.h"
#include "services/sandbox/kafka_broker.h"

namespace tollbridge::sandbox {
namespace {

struct Options {
  std::string listen = "127.0.0.1:8080";
  std::uint64_t seed = 1;
  bool kafka = false;
  std::vector<std::string> kafka_topics;
  std::int64_t webhook_pause_ms = 120'000;
};

/// False when the text is not `host:port`.
bool SplitAddress(const std::string& text, http::ServerOptions* out) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return false;
  int port = -1;
  if (!CLI::detail::lexical_cast(text.substr(colon + 1), port) || port < 0 || port > 65535) {
    return false;
  }
  out->host = text.substr(0, colon);
  out->port = static_cast<std::uint16_t>(port);
  return true;
}

/// `name:partitions`.
bool ReadTopics(const std::vector<std::string>& texts, std::vector<Topic>* out) {
  for (const std::string& text : texts) {
    const std::size_t colon = text.rfind(':');
    int partitions = 0;
    if (colon == std::string::npos || colon == 0 ||
        !CLI::detail::lexical_cast(text.substr(colon + 1), partitions) || partitions < 1) {
      return false;
    }
    out->push_back({.name = text.substr(0, colon), .partitions = partitions});
  }
  return true;
}

int Fail(std::string_view what) {
  std::cerr << "tollbridge-sandbox: " << what << "\n";
  return 1;
}

int Run(const Options& options) {
  http::ServerOptions server_options;
  if (!SplitAddress(options.listen, &server_options)) {
    return Fail("--listen must be HOST:PORT, port 0 for a free one");
  }
  server_options.error_response = [](int status, std::string_view reason) {
    return ToResponse(status, reason);
  };
  std::vector<Topic> topics;
  if (!ReadTopics(options.kafka_topics, &topics)) {
    return Fail("--kafka-topic must be NAME:PARTITIONS");
  }

  std::unique_ptr<KafkaBroker> kafka;
  if (options.kafka) {
    auto started = KafkaBroker::Start(topics);
    if (!started.ok()) return Fail(started.status().ToString());
    kafka = *std::move(started);
  }

  boost::asio::io_context context(1);
  WebhookPolicy policy;
  policy.pause = std::chrono::milliseconds(options.webhook_pause_ms);
  App app(context.get_executor(), options.seed, DefaultProjects(), policy);
  auto server = http::Server::Start(
      {context.get_executor()}, server_options,
      [&app](const http::Request& request, const http::ConnectionInfo& connection)
          -> boost::asio::awaitable<http::Response> { co_return app.Handle(request, connection); });
  if (!server.ok()) return Fail(server.status().ToString());
  const std::string base_url = "http://" + (*server)->address();
  app.SetBaseUrl(base_url);

  boost::json::object addresses;
  addresses["base_url"] = base_url;
  addresses["admin_url"] = base_url + "/_sandbox/";
  if (kafka) addresses["kafka_brokers"] = kafka->brokers();
  std::cout << boost::json::serialize(addresses) << std::endl;

  boost::asio::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([&context](const boost::system::error_code&, int) { context.stop(); });
  context.run();
  return 0;
}

}  // namespace
}  // namespace tollbridge::sandbox

int main(int argc, char** argv) {
  tollbridge::sandbox::Options options;
  CLI::App cli(
      "A stand-in for the payment service: orders, hosted pages, webhooks and a ledger of effects, "
      "all in memory.\nPrints one JSON line with its addresses when it is ready.\n"
      "Projects: demo (key sandbox-demo-key), shop (sandbox-shop-key), limited "
      "(sandbox-limited-key, may only read).");
  cli.add_option("--listen", options.listen, "HOST:PORT to listen on; port 0 takes a free one")
      ->capture_default_str();
  cli.add_option("--seed", options.seed, "seed of the ids it makes")->capture_default_str();
  cli.add_flag("--kafka", options.kafka, "also run a Kafka broker inside, on a free loopback port");
  cli.add_option("--kafka-topic", options.kafka_topics,
                 "NAME:PARTITIONS to create on that broker; may be repeated");
  cli.add_option("--webhook-pause-ms", options.webhook_pause_ms,
                 "pause between the attempts of a webhook")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{3'600'000}))
      ->capture_default_str();
  CLI11_PARSE(cli, argc, argv);
  return tollbridge::sandbox::Run(options);
}
