#include "sandbox/options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include "base/http/url.h"
#include "base/version/version.h"
#include "sandbox/config_file.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::string_view kProgram = "tollbridge-sandbox";
constexpr std::int64_t kMaxPauseMs = 3'600'000;
constexpr std::size_t kMostDeliveriesShown = 10'000'000;
constexpr int kMaxPartitions = 1'000;

constexpr std::string_view kDescription =
    R"(A stand-in for the payment service, to develop and test against. It takes orders, shows
payment pages, sends webhooks and keeps a ledger of what moved, all in memory: what it knows is
gone when it ends. No card is ever charged; only its own test card numbers are taken.

When it is ready it prints one line of JSON with its addresses on standard output:
  {"base_url": "http://127.0.0.1:8080", "vault_url": "http://127.0.0.1:8080/vault",
   "wallet_token_url": "http://127.0.0.1:8080/wallet-b",
   "admin_url": "http://127.0.0.1:8080/_sandbox/"}
SIGTERM or Ctrl-C ends it.)";

constexpr std::string_view kFooter =
    R"(Projects and API keys (HTTP Basic: the key is the user name, the password is empty):
  demo     sandbox-demo-key     11111111-1111-4111-8111-111111111111, a test project
  shop     sandbox-shop-key     22222222-2222-4222-8222-222222222222
  limited  sandbox-limited-key  33333333-3333-4333-8333-333333333333, may only read
  The projects of a --config take the place of these.

A TIME is an ISO 8601 one such as 2026-11-21T08:00:00Z, a DURATION one such as PT5M.

What is where:
  /v1/...              orders, captures, voids, refunds, payment links, search
  /pay/...             payment pages, for a browser
  /vault/v1/cards/     the card vault; with --vault-listen on a port of its own, without /vault
  /wallet-b/tokens/    wallet B's token service; with --wallet-token-listen without /wallet-b
  /_sandbox/           for the operator: a page with orders, webhooks and the test cards

Admin calls (from this machine only, unless --admin-anywhere; JSON in and out):
  GET  /_sandbox/orders, ledger, changes, cards, payment-links, deliveries, projects, operations,
                 clock, faults
  POST /_sandbox/clock {"advance": "PT5M"}             moves the clock ahead
  POST /_sandbox/orders/ID/pay {"outcome": "approve"}  or decline, expire, refund, chargeback,
                                                       reversal
  POST /_sandbox/orders/ID/extra ANYTHING              what the order shows as its extra, JSON or not
  POST /_sandbox/faults {...}                          a fault plan; {} ends all faults
  POST /_sandbox/seed {"orders": 100}                  POST /_sandbox/reset

Example:
  tollbridge-sandbox --listen 127.0.0.1:8080 &
  curl -u sandbox-demo-key: http://127.0.0.1:8080/v1/orders/ \
    -H 'Content-Type: application/json' -d '{"currency": "EUR", "amount": 1250}'
  Open the order_url of the answer in a browser and pay with card 4111 1111 1111 1111.
)";

/// The options as they are written, before they are looked into.
struct Texts {
  std::string listen = "127.0.0.1:8080";
  std::string vault_listen;
  std::string wallet_token_listen;
  std::string public_url;
  std::string config;
  std::string start_time;
  std::string index_lag;
  std::string own_checkout_hold;
  // Numbers too: CLI11 takes -1 for a large unsigned one.
  std::string seed = "1";
  std::string webhook_pause_ms;
  std::string deliveries_shown;
  std::string faults;
  std::string orders;
  TlsFiles tls;
  std::vector<std::string> kafka_topics;
};

Exit Fail(std::string_view what) {
  return {.code = 1, .text = std::string(kProgram) + ": " + std::string(what) + "\n"};
}

using MaybeExit = std::optional<Exit>;

void Declare(CLI::App* cli, Options* options, Texts* texts) {
  cli->footer(std::string(kFooter));
  cli->get_formatter()->column_width(38);
  const auto group = [](const char* name, std::initializer_list<CLI::Option*> members) {
    for (CLI::Option* option : members) option->group(name);
  };
  group("Addresses",
        {cli->add_option("--listen", texts->listen, "Where to listen; port 0 takes a free one")
             ->type_name("HOST:PORT")
             ->capture_default_str(),
         cli->add_option("--vault-listen", texts->vault_listen,
                         "A port of its own for the card vault")
             ->type_name("HOST:PORT"),
         cli->add_option("--wallet-token-listen", texts->wallet_token_listen,
                         "A port of its own for wallet B's token service")
             ->type_name("HOST:PORT"),
         cli->add_option("--public-url", texts->public_url,
                         "What URLs in answers begin with, else http(s)://HOST:PORT")
             ->type_name("URL"),
         cli->add_flag("--admin-anywhere", options->admin_anywhere,
                       "Admin calls from other machines too")});
  group("TLS",
        {cli->add_option("--tls-certificate", texts->tls.certificate,
                         "Certificate with its chain, a PEM file")
             ->type_name("FILE"),
         cli->add_option("--tls-key", texts->tls.key, "Its key, a PEM file")->type_name("FILE"),
         cli->add_option("--tls-self-signed", options->tls_self_signed_folder,
                         "Folder for key.pem and certificate.pem, which are made there "
                         "unless they are there and still valid")
             ->type_name("FOLDER")});
  group("State and time",
        {cli->add_option("--config", texts->config, "Projects and settings, a JSON file")
             ->type_name("FILE"),
         cli->add_option("--seed", texts->seed, "Seed of the ids it makes")
             ->type_name("N")
             ->capture_default_str(),
         cli->add_option("--start-time", texts->start_time,
                         "Where the clock stands; it then moves by the admin "
                         "call only")
             ->type_name("TIME"),
         cli->add_option("--orders", texts->orders, "Orders to begin with, of the first project")
             ->type_name("N"),
         cli->add_option("--own-checkout-hold", texts->own_checkout_hold,
                         "How long an own-checkout order stays processing, at "
                         "most and by default PT60M")
             ->type_name("DURATION")});
  group(
      "Faults and delays",
      {cli->add_option("--faults", texts->faults, "Fault plan, a JSON file")->type_name("FILE"),
       cli->add_option("--index-lag", texts->index_lag, "How old what search sees is, at most P1D")
           ->type_name("DURATION"),
       cli->add_option("--webhook-pause-ms", texts->webhook_pause_ms,
                       "Pause between the attempts of a webhook, by default 120000")
           ->type_name("N"),
       cli->add_option("--deliveries-shown", texts->deliveries_shown,
                       "Attempts at webhooks that are shown, the last ones, by default 10000")
           ->type_name("N")});
  for (const Variant& variant : AllVariants()) {
    group("To try clients of other services", {cli->add_flag("--" + std::string(variant.name))
                                                   ->description(std::string(variant.purpose))});
  }
  group("Kafka", {cli->add_flag("--kafka", options->kafka,
                                "Also runs a Kafka broker inside, on a free loopback port"),
                  cli->add_option("--kafka-topic", texts->kafka_topics,
                                  "To create on that broker; may be repeated")
                      ->type_name("NAME:PARTITIONS")});
}

/// Decimal digits, and a minus where the type has one; nullopt for the rest.
template <typename Integer>
std::optional<Integer> ToInteger(std::string_view text) {
  Integer value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`.
std::optional<ListenAddress> ParseListen(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<int> port = ToInteger<int>(text.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  if (host == "localhost") host = "127.0.0.1";
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;  // IPv6 without brackets: which part is the port?
  }
  boost::system::error_code problem;
  boost::asio::ip::make_address(host, problem);
  if (problem) return std::nullopt;
  return ListenAddress{.host = std::string(host), .port = static_cast<std::uint16_t>(*port)};
}

bool SameAddress(const ListenAddress& a, const ListenAddress& b) {
  return a.port != 0 && a.port == b.port && a.host == b.host;
}

MaybeExit ReadAddresses(const CLI::App& cli, const Texts& texts, Options* options) {
  std::vector<std::pair<std::string, ListenAddress>> taken;
  const auto read = [&](const std::string& option, const std::string& text,
                        ListenAddress* target) -> MaybeExit {
    const std::optional<ListenAddress> address = ParseListen(text);
    if (!address) {
      return Fail(option + " must be HOST:PORT with an IP address or localhost, port 0 for a " +
                  "free one");
    }
    for (const auto& [other, known] : taken) {
      if (SameAddress(known, *address)) return Fail(option + " is the same as " + other);
    }
    taken.emplace_back(option, *address);
    if (!boost::asio::ip::make_address(address->host).is_loopback()) {
      options->warnings.push_back(option + " " + text +
                                  ": other machines can reach this sandbox, whose API keys are "
                                  "well known");
    }
    *target = *address;
    return std::nullopt;
  };
  if (auto exit = read("--listen", texts.listen, &options->listen)) return exit;
  if (cli.count("--vault-listen") > 0) {
    if (auto exit = read("--vault-listen", texts.vault_listen, &options->vault_listen.emplace())) {
      return exit;
    }
  }
  if (cli.count("--wallet-token-listen") > 0) {
    if (auto exit = read("--wallet-token-listen", texts.wallet_token_listen,
                         &options->wallet_token_listen.emplace())) {
      return exit;
    }
  }
  if (cli.count("--public-url") > 0) {
    const auto url = http::ParseUrl(texts.public_url);
    if (!url.ok() || !url->query.empty()) {
      return Fail("--public-url must be an absolute http or https URL without a query");
    }
    options->public_url = texts.public_url.substr(0, texts.public_url.find_last_not_of('/') + 1);
  }
  if (options->admin_anywhere && !options->warnings.empty()) {
    options->warnings.emplace_back("--admin-anywhere: so can they its admin calls");
  }
  return std::nullopt;
}

MaybeExit ReadTls(const CLI::App& cli, const Texts& texts, Options* options) {
  const bool certificate = cli.count("--tls-certificate") > 0;
  const bool key = cli.count("--tls-key") > 0;
  if (certificate != key) {
    return Fail(certificate ? "--tls-certificate needs --tls-key"
                            : "--tls-key needs --tls-certificate");
  }
  if (cli.count("--tls-self-signed") > 0) {
    if (certificate) return Fail("--tls-self-signed goes without --tls-certificate and --tls-key");
    if (options->tls_self_signed_folder.empty()) return Fail("--tls-self-signed must be a folder");
  }
  if (certificate) options->tls = texts.tls;
  return std::nullopt;
}

MaybeExit ReadDuration(const CLI::App& cli, const std::string& option, const std::string& text,
                       Millis longest, Millis* target) {
  if (cli.count(option) == 0) return std::nullopt;
  const std::optional<Millis> duration = ParseDuration(text);
  if (!duration || *duration > longest) {
    return Fail(option + " must be an ISO 8601 duration of at most " + DurationText(longest));
  }
  *target = *duration;
  return std::nullopt;
}

MaybeExit ReadFiles(const CLI::App& cli, const Texts& texts, Options* options) {
  if (cli.count("--config") > 0) {
    absl::StatusOr<Config> config = ReadConfigFile(texts.config);
    if (!config.ok()) return Fail("--config " + std::string(config.status().message()));
    options->settings = std::move(config->settings);
    options->faults = std::move(config->faults);
    options->faults_source = texts.config + ": faults";
  }
  if (cli.count("--faults") > 0) {
    if (options->faults) return Fail("--faults goes without faults in the --config");
    absl::StatusOr<boost::json::object> plan = ReadJsonFile(texts.faults);
    if (!plan.ok()) return Fail("--faults " + std::string(plan.status().message()));
    options->faults = *std::move(plan);
    options->faults_source = texts.faults;
  }
  return std::nullopt;
}

MaybeExit ReadState(const CLI::App& cli, const Texts& texts, Options* options) {
  Settings& settings = options->settings;
  if (cli.count("--start-time") > 0) {
    options->start_time = ParseTime(texts.start_time);
    if (!options->start_time) {
      return Fail("--start-time must be an ISO 8601 time such as 2026-11-21T08:00:00Z");
    }
  }
  if (auto exit = ReadDuration(cli, "--own-checkout-hold", texts.own_checkout_hold,
                               kLongestOwnCheckoutHold, &settings.own_checkout_hold)) {
    return exit;
  }
  if (auto exit = ReadDuration(cli, "--index-lag", texts.index_lag, kLongestIndexLag,
                               &settings.index_lag)) {
    return exit;
  }
  for (const Variant& variant : AllVariants()) {
    if (cli.count("--" + std::string(variant.name)) > 0) settings.variants.*variant.on = true;
  }
  const auto seed = ToInteger<std::uint64_t>(texts.seed);
  if (!seed) return Fail("--seed must be from 0 to 18446744073709551615");
  options->seed = *seed;
  if (cli.count("--webhook-pause-ms") > 0) {
    const auto pause = ToInteger<std::int64_t>(texts.webhook_pause_ms);
    if (!pause || *pause < 1 || *pause > kMaxPauseMs) {
      return Fail("--webhook-pause-ms must be from 1 to " + std::to_string(kMaxPauseMs));
    }
    settings.webhooks.pause = Millis{*pause};
  }
  if (cli.count("--deliveries-shown") > 0) {
    const auto shown = ToInteger<std::size_t>(texts.deliveries_shown);
    if (!shown || *shown < 1 || *shown > kMostDeliveriesShown) {
      return Fail("--deliveries-shown must be from 1 to " + std::to_string(kMostDeliveriesShown));
    }
    settings.webhooks.attempts_shown = *shown;
  }
  if (cli.count("--orders") > 0) {
    const auto orders = ToInteger<std::size_t>(texts.orders);
    if (!orders || *orders > settings.max_orders) {
      return Fail("--orders must be from 0 to max_orders, which is " +
                  std::to_string(settings.max_orders));
    }
    options->orders = *orders;
  }
  return std::nullopt;
}

MaybeExit ReadTopics(const Texts& texts, Options* options) {
  std::set<std::string_view> names;
  for (const std::string& text : texts.kafka_topics) {
    const std::size_t colon = text.rfind(':');
    const std::optional<int> partitions =
        colon == std::string::npos || colon == 0
            ? std::nullopt
            : ToInteger<int>(std::string_view(text).substr(colon + 1));
    if (!partitions || *partitions < 1 || *partitions > kMaxPartitions) {
      return Fail("--kafka-topic must be NAME:PARTITIONS with 1 to 1000 partitions");
    }
    if (!names.insert(std::string_view(text).substr(0, colon)).second) {
      return Fail("--kafka-topic names " + text.substr(0, colon) + " twice");
    }
    options->kafka_topics.push_back({.name = text.substr(0, colon), .partitions = *partitions});
  }
  if (!options->kafka && !options->kafka_topics.empty()) {
    return Fail("--kafka-topic needs --kafka");
  }
  return std::nullopt;
}

}  // namespace

std::variant<Options, Exit> ParseOptions(int argc, const char* const* argv) {
  CLI::App cli{std::string(kDescription), std::string(kProgram)};
  Options options;
  Texts texts;
  Declare(&cli, &options, &texts);
  cli.set_version_flag("--version", VersionLine(kProgram));
  try {
    cli.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Exit{.code = 0, .text = cli.help()};
  } catch (const CLI::CallForVersion& version) {
    return Exit{.code = 0, .text = std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    return Fail(std::string(error.what()) + " (see --help)");
  }
  if (auto exit = ReadAddresses(cli, texts, &options)) return *exit;
  if (auto exit = ReadTls(cli, texts, &options)) return *exit;
  if (auto exit = ReadFiles(cli, texts, &options)) return *exit;
  if (auto exit = ReadState(cli, texts, &options)) return *exit;
  if (auto exit = ReadTopics(texts, &options)) return *exit;
  return options;
}

}  // namespace tollbridge::sandbox
