#include "tests/support/stack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <csignal>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "tests/support/http_call.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/other_program.h"
#include "tests/support/read_file.h"

namespace tollbridge::test {
namespace {

constexpr std::chrono::seconds kListLimit{60};
constexpr std::string_view kCaller = "spiffe://shop.example/tests";

/// Orders that the sandbox lists at most in one answer.
constexpr std::size_t kOrdersOnAPage = 10'000;
constexpr std::size_t kNewestOrders = 500;
/// More attempts at webhooks than any run makes.
constexpr std::size_t kDeliveriesShown = 5'000'000;

/// What no other stack has, of this process or of any other that uses the same broker.
std::string NewSuffix() {
  std::random_device random;
  std::ostringstream suffix;
  suffix << std::hex << std::setfill('0');
  for (int i = 0; i < 4; ++i) suffix << std::setw(8) << random();
  return suffix.str();
}

/// Whether the test has failed; or one of the suite's, when the suite ends.
bool HasFailed() {
  if (testing::Test::HasFailure()) return true;
  const testing::UnitTest& unit = *testing::UnitTest::GetInstance();
  return unit.current_test_info() == nullptr && unit.current_test_suite() != nullptr &&
         unit.current_test_suite()->Failed();
}

/// The gateway's settings for TLS, with one certificate for all that it is.
/// `callers_ca_file`: of whom callers are.
StackSettings TlsSettings(const TestCertificates& certificates, const KafkaAddress& kafka,
                          const std::string& callers_ca_file) {
  const std::string own = "enabled: true, certificate_file: " + certificates.certificate_file() +
                          ", private_key_file: " + certificates.key_file();
  return {{"rpc",
           {{"tls", "{" + own + ", client_ca_file: " + callers_ca_file + "}"},
            {"callers",
             "[{identity: '" + std::string(kCaller) + "', projects: ['*'], permissions: ['*']}]"}}},
          {"webhooks", {{"tls", "{" + own + "}"}}},
          {"payment_service", {{"ca_file", certificates.ca_file()}}},
          {"redis", {{"tls", "{" + own + ", ca_file: " + certificates.ca_file() + "}"}}},
          {"kafka",
           {{"brokers", "[\"" + kafka.tls_brokers + "\"]"},
            {"properties", "[security.protocol=ssl, ssl.ca.location=" + kafka.ca_file +
                               ", ssl.certificate.location=" + kafka.certificate_file +
                               ", ssl.key.location=" + kafka.key_file + "]"}}}};
}

bool IsOther(const std::string& program) { return program != ProgramBeside("tollbridge"); }

void Put(const StackSettings& settings, StackSettings& all) {
  for (const auto& [section, values] : settings) {
    for (const auto& [name, value] : values) all[section][name] = value;
  }
}

}  // namespace

Stack::Stack(const StackOptions& options)
    : options_(options),
      program_(options.program),
      suffix_(NewSuffix()),
      certificates_(options.tls ? std::make_unique<TestCertificates>("IP:127.0.0.1,URI:" +
                                                                     std::string(kCaller))
                                : nullptr),
      redis_(options.tls ? RedisServer::WithTls(*certificates_, options.redis_arguments)
                         : RedisServer(options.redis_arguments)),
      second_redis_(options.two_stores ? std::make_unique<RedisServer>(options.redis_arguments)
                                       : nullptr),
      kafka_(options.brokers            ? *options.brokers
             : options.kafka != nullptr ? options.kafka->address()
                                        : SharedKafka()),
      config_path_(folder_.PathOf("tollbridge.yaml")) {
  StartSandbox(options.sandbox_arguments);
  WriteSecrets();
  if (options.redis_proxy != nullptr) options.redis_proxy->SetUpstream(redis_.port());
  if (options.two_stores) {
    stores_ = {{std::string(kDemoProject.name), "first"},
               {std::string(kShopProject.name), "second"}};
  }
  WriteConfig();
  std::vector<std::string> init_store{"init-store", "--first-installation"};
  if (IsOther(program_) && !HasOption(program_, "init-store", init_store.back())) {
    init_store.pop_back();
  }
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"topics", "create"}, init_store}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--config", config_path_});
    Finished finished;
    // Both may be repeated, and a broker that others keep busy may not answer in the command's
    // time; a configuration that is refused, whose error begins with its path, stays so.
    Eventually([&] {
      finished = Tollbridge(arguments);
      return finished.code == 0 || finished.error.find(config_path_) != std::string::npos;
    });
    if (finished.code != 0) {
      throw std::runtime_error(command.front() + ": " + finished.output + finished.error);
    }
  }
  StartGateway();
}

Stack::~Stack() {
  if (options_.ends_in_order && gateway_ && !gateway().End()) {
    std::cerr << "the gateway did not end in order\n";
  }
  if (!HasFailed() || !gateway_) return;
  std::cerr << "the gateway's log:\n"
            << gateway().standard_output() << gateway().standard_error() << "\n";
}

void Stack::StartSandbox(const std::vector<std::string>& arguments) {
  std::vector<std::string> command{ProgramBeside("tollbridge-sandbox"), "--listen", "127.0.0.1:0",
                                   "--deliveries-shown", std::to_string(kDeliveriesShown)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Environment environment;
  if (certificates_) {
    command.insert(command.end(), {"--tls-certificate", certificates_->certificate_file(),
                                   "--tls-key", certificates_->key_file()});
    // Whom its webhooks trust.
    environment["SSL_CERT_FILE"] = certificates_->ca_file();
  }
  if (const auto& tls = options_.service_tls; tls.has_value()) {
    command.insert(command.end(),
                   {"--tls-certificate", tls->certificate_file, "--tls-key", tls->key_file});
    environment["SSL_CERT_FILE"] = tls->webhooks_ca_file;
  }
  sandbox_ = std::make_unique<Process>(std::move(command), environment);
  const std::optional<std::string> line = sandbox_->WaitForLine("base_url");
  if (!line) throw std::runtime_error("the sandbox: " + sandbox_->standard_error());
  sandbox_url_ = boost::json::parse(*line).at("base_url").as_string();
}

void Stack::WriteSecrets() const {
  folder_.WriteSecret("fingerprint-keys", "f1 MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n");
  folder_.WriteSecret("outcome-keys", "o1 ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=\n");
}

std::string Stack::Configured(const StackProject& project, const std::string& files) const {
  const auto write = [&](const std::string& name, std::string_view content) {
    return folder_.WriteSecret(files + name, std::string(content) + "\n");
  };
  return "  - name: " + std::string(project.name) + "\n    id: " + std::string(project.id) +
         "\n    test: " + (project.test ? "true" : "false") +
         "\n    api_key_file: " + write("api-keys", project.api_key) +
         "\n    webhook_tokens_file: " + write("webhook-tokens", project.webhook_token) +
         (options_.two_stores ? "\n    store: " + stores_.find(project.name)->second : "") +
         (options_.limits.empty() || project.name != kDemoProject.name
              ? ""
              : "\n    limits: " + options_.limits) +
         "\n";
}

std::string Stack::StoresWith(const std::map<std::string, std::string>& settings) const {
  std::string yaml = options_.two_stores ? "stores:\n" : "redis:\n";
  const auto write = [&](const std::string& indent, const std::string& address) {
    for (const auto& [name, value] : settings) {
      yaml += indent + name + ": " + (name == "address" ? address : value) + "\n";
    }
  };
  if (!options_.two_stores) {
    write("  ", settings.at("address"));
    return yaml;
  }
  for (const auto& [store, address] :
       {std::pair{"first", redis_.address()}, std::pair{"second", second_redis_->address()}}) {
    yaml += "  - name: " + std::string(store) + "\n";
    write("    ", address);
  }
  return yaml;
}

void Stack::Move(const StackProject& project, const std::string& store) {
  stores_.insert_or_assign(std::string(project.name), store);
  WriteConfig();
}

void Stack::WriteConfig() const {
  StackSettings all{
      {"process", {{"environment", "development"}, {"log_level", "debug"}, {"drain_delay", "0s"}}},
      {"rpc", {{"listen", "127.0.0.1:0"}}},
      {"webhooks", {{"listen", "127.0.0.1:0"}, {"public_url", "bound-address"}}},
      {"metrics", {{"listen", "127.0.0.1:0"}}},
      {"payment_service",
       {{"base_url", sandbox_url_},
        {"vault_url", sandbox_url_ + "/vault"},
        {"wallet_token_url", sandbox_url_ + "/wallet-b"},
        {"extensions",
         "[\"create_refund\", \"partial_capture\", \"partial_void\", \"create_payment_link\", "
         "\"list_currencies\"]"}}},
      {"redis",
       {{"address",
         options_.redis_proxy != nullptr ? options_.redis_proxy->address() : redis_.address()}}},
      {"kafka",
       {{"brokers", "[\"" + kafka_.brokers + "\"]"},
        {"hints_topic", TopicName("hints")},
        {"events_topic", TopicName("events")},
        {"dead_letter_topic", TopicName("dlq")},
        {"operations_topic", TopicName("operations")},
        {"group", TopicName("group")},
        {"partitions", "2"},
        {"replication", "1"}}},
      {"operations",
       {{"resolver_interval", "50ms"},
        // However busy the machine is, a store that is there is not taken for one that is not.
        {"store_timeout", "10s"},
        {"fingerprint_keys_file", folder_.PathOf("fingerprint-keys")},
        {"outcome_keys_file", folder_.PathOf("outcome-keys")}}},
      {"events", {{"shortest_read_interval", "1s"}}},
      {"reconcile",
       {{"poll_interval", "50ms"}, {"take_again_after", "2s"}, {"drain_interval", "50ms"}}},
  };
  if (certificates_) {
    const std::string callers_ca = folder_.Write(
        "callers-ca.pem", ReadFile(certificates_->ca_file()) + options_.more_callers_ca);
    Put(TlsSettings(*certificates_, kafka_, callers_ca), all);
  }
  if (options_.service_tls) {
    Put({{"payment_service", {{"ca_file", options_.service_tls->ca_file}}}}, all);
  }
  Put(options_.settings, all);
  if (IsOther(program_)) all = SettingsKnownTo(program_, all);
  std::string yaml;
  for (const auto& [section, values] : all) {
    if (section == "redis") {
      yaml += StoresWith(values);
      continue;
    }
    yaml += section + ":\n";
    for (const auto& [name, value] : values) yaml += "  " + name + ": " + value + "\n";
  }
  yaml += "projects:\n" + Configured(kDemoProject, "");
  if (options_.two_projects) yaml += Configured(kShopProject, "shop-");
  folder_.Write("tollbridge.yaml", yaml);
}

void Stack::StartGateway(const Environment& environment) {
  gateway_.reset();
  gateway_ = std::make_unique<GatewayProcess>(config_path_, environment, caller_tls(),
                                              std::vector<std::string>(), program_);
}

std::unique_ptr<GatewayProcess> Stack::OneMoreGateway(const Environment& environment,
                                                      const std::vector<std::string>& roles) const {
  return std::make_unique<GatewayProcess>(config_path_, environment, caller_tls(), roles, program_);
}

std::optional<RpcTls> Stack::caller_tls() const {
  if (!certificates_) return std::nullopt;
  return RpcTls{.root_certificates = ReadFile(certificates_->ca_file()),
                .private_key = ReadFile(certificates_->key_file()),
                .certificate_chain = ReadFile(certificates_->certificate_file())};
}

http::Response Stack::Http(const std::string& method, const std::string& url,
                           const std::string& body, const http::Headers& headers,
                           std::chrono::milliseconds limit) const {
  const std::string ca_file = certificates_          ? certificates_->ca_file()
                              : options_.service_tls ? options_.service_tls->ca_file
                                                     : "";
  return HttpCall(method, url, body, headers, limit, ca_file);
}

std::string Stack::webhook_url() const {
  return ingress_origin() + "/webhooks/" + std::string(kDemoProject.webhook_token);
}

std::string Stack::TopicName(std::string_view which) const {
  return std::string(which) + "-" + suffix_;
}

std::unique_ptr<Topic> Stack::OpenTopic(std::string_view which) const {
  return std::make_unique<Topic>(kafka_.brokers, TopicName(which));
}

std::unique_ptr<GroupLag> Stack::OpenLag() const {
  return std::make_unique<GroupLag>(kafka_.brokers, TopicName("hints"), TopicName("group"));
}

Finished Stack::Tollbridge(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), program_);
  return Run(std::move(arguments));
}

boost::json::array Stack::SandboxList(std::string_view what) const {
  const http::Response answer =
      Http("GET", sandbox_url_ + "/_sandbox/" + std::string(what), "", {}, kListLimit);
  if (answer.status != 200) throw std::runtime_error("the sandbox: " + answer.body);
  return boost::json::parse(answer.body).as_array();
}

boost::json::array Stack::SandboxOrders() const {
  boost::json::array orders;
  const std::string page_after = "orders?limit=" + std::to_string(kOrdersOnAPage) + "&after=";
  std::string last;
  while (true) {
    boost::json::array page = SandboxList(page_after + last);
    if (page.empty()) return orders;
    last = page.back().at("id").as_string();
    std::ranges::move(page, std::back_inserter(orders));
  }
}

boost::json::array Stack::NewestSandboxOrders() const {
  return SandboxList("orders?limit=" + std::to_string(kNewestOrders));
}

boost::json::array Stack::SandboxLedger() const { return SandboxList("ledger"); }

void Stack::SandboxFaults(const std::string& plan) const {
  const http::Response answer = Http("POST", sandbox_url_ + "/_sandbox/faults", plan);
  if (answer.status != 200) throw std::runtime_error("the fault plan: " + answer.body);
}

boost::json::array Stack::SandboxDeliveries() const {
  boost::json::array deliveries = SandboxList("deliveries");
  if (deliveries.size() >= kDeliveriesShown) {
    throw std::runtime_error("the sandbox shows no more deliveries than these");
  }
  return deliveries;
}

double Stack::Metric(std::string_view name_and_labels) const {
  const std::string page = "\n" + HttpGet(metrics_url());
  const std::string begin = "\n" + std::string(name_and_labels) + " ";
  const std::size_t at = page.find(begin);
  if (at == std::string::npos) return 0;
  double value = 0;
  std::from_chars(page.data() + at + begin.size(), page.data() + page.size(), value);
  return value;
}

std::string Stack::RedisCommand(std::vector<std::string> command) const {
  std::vector<std::string> client{"redis-cli", "-p", std::to_string(redis_.port())};
  if (certificates_) {
    client.insert(client.end(),
                  {"--tls", "--cacert", certificates_->ca_file(), "--cert",
                   certificates_->certificate_file(), "--key", certificates_->key_file()});
  }
  command.insert(command.begin(), client.begin(), client.end());
  const Finished finished = Run(std::move(command));
  if (finished.code != 0) throw std::runtime_error("redis-cli: " + finished.error);
  return finished.output;
}

std::string WalletBMessage(const Stack& stack, std::string_view auth_method, std::string_view pan) {
  const std::string body =
      boost::json::serialize(boost::json::object{{"pan", std::string(pan)},
                                                 {"expirationMonth", 12},
                                                 {"expirationYear", 2030},
                                                 {"authMethod", std::string(auth_method)}});
  const http::Response answer =
      stack.Http("POST", stack.sandbox_url() + "/_sandbox/wallet-b-message", body,
                 {{"Content-Type", "application/json"}});
  if (answer.status != 200) throw std::runtime_error("the wallet: " + answer.body);
  return std::string(boost::json::parse(answer.body).at("walletPayMessage").as_string());
}

}  // namespace tollbridge::test
