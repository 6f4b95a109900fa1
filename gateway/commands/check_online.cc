#include "gateway/commands/check_online.h"

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/system/system_clock.h"
#include "base/core/boot_clock.h"
#include "base/core/wall_time.h"
#include "base/http/client.h"
#include "base/telemetry/metrics.h"
#include "gateway/commands/run_to_end.h"
#include "gateway/commands/store_status.h"
#include "gateway/commands/topics_command.h"
#include "gateway/config/adapter_settings.h"
#include "gateway/config/certificate_files.h"
#include "gateway/config/payment_service_settings.h"
#include "gateway/config/stores.h"
#include "gateway/wiring/payment_service.h"
#include "services/domain/errors.h"
#include "services/domain/timestamps.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::gateway {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kReachTimeout{5};
/// Send windows and leases are of seconds: clocks that differ by more deserve to be looked at.
constexpr seconds kClocksApart{2};
constexpr std::chrono::days kCertificateEndsSoon{14};
/// No order of anybody: a key that is taken gets "not found".
constexpr std::string_view kNoOrder = "00000000-0000-4000-8000-000000000000";

WallTime Now() { return std::chrono::floor<milliseconds>(std::chrono::system_clock::now()); }

void CompareClocks(const std::string& about, WallTime theirs, milliseconds precision,
                   Findings* findings) {
  const auto apart = std::chrono::duration_cast<milliseconds>(theirs - Now());
  const std::string text =
      absl::StrCat(about, "its clock is ", std::chrono::abs(apart).count(), " ms ",
                   apart < apart.zero() ? "behind" : "before", " this machine's");
  const bool well = std::chrono::abs(apart) <= kClocksApart + precision;
  (well ? findings->well : findings->warnings).push_back(text);
}

void CheckEpoch(const std::string& about, const StoreStatus& status, Findings* findings) {
  if (!IsDoubtful(status)) {
    findings->well.push_back(absl::StrCat(about, "epoch ", status.epoch, ", not doubted"));
    return;
  }
  findings->warnings.push_back(absl::StrCat(
      about, status.epoch.empty() ? "it has no epoch" : absl::StrCat("epoch ", status.epoch),
      ", doubted or about to be: ", CauseOf(status), "; `tollbridge store status` tells more"));
}

void CheckStores(const Config& config, const Secrets& secrets, Findings* findings) {
  for (const Store& store : StoresOf(config)) {
    const std::string about = store.name == kOnlyStore
                                  ? "Redis: "
                                  : absl::StrCat("Redis of the store ", store.name, ": ");
    const absl::StatusOr<StoreStatus> status =
        ReadStoreStatus(config, store, secrets, Reader::kGateway);
    if (!status.ok()) {
      findings->errors.push_back(about + std::string(status.status().message()));
      continue;
    }
    for (const std::string& warning : status->warnings) {
      findings->warnings.push_back(about + warning);
    }
    CheckEpoch(about, *status, findings);
    CompareClocks(about, status->now, milliseconds(0), findings);
  }
}

void CheckTopics(const Config& config, const Secrets& secrets, Findings* findings) {
  const auto topics = TopicDifferences(config, secrets);
  if (!topics.ok()) {
    const bool of_the_sandbox = absl::IsUnimplemented(topics.status()) && !config.IsProduction();
    (of_the_sandbox ? findings->warnings : findings->errors)
        .push_back(absl::StrCat("Kafka: ", topics.status().message()));
    return;
  }
  for (const std::string& difference : *topics) findings->errors.push_back("Kafka: " + difference);
  if (topics->empty()) findings->well.emplace_back("Kafka: all topics are there as they should be");
}

/// The header Date (RFC 9110, 5.6.7), which has whole seconds.
std::optional<WallTime> DateOf(const http::Response& response) {
  const auto date = response.headers.Find("Date");
  absl::Time time;
  std::string error;
  if (!date || !absl::ParseTime("%a, %d %b %Y %H:%M:%S GMT", std::string(*date), &time, &error)) {
    return std::nullopt;
  }
  return WallTime(milliseconds(absl::ToUnixMillis(time)));
}

/// Any answer will do, also a refusal: it shows that the way is open and the certificate good.
bool Reach(http::ClientOptions options, Findings* findings) {
  boost::asio::io_context context(1);
  const std::string origin = options.base_url.Origin();
  http::Client client(context.get_executor(), std::move(options));
  const http::SendResult result =
      RunToEnd(context, client.Send({.method = "HEAD", .target = "/"},
                                    {.deadline = BootClock::now() + kReachTimeout}));
  if (result.fate != http::Fate::kAnswered) {
    findings->errors.push_back(absl::StrCat("the payment service cannot be reached at ", origin,
                                            ": ", result.error.message()));
    return false;
  }
  const std::string about = absl::StrCat("the payment service at ", origin, ": ");
  findings->well.push_back(about + "reached");
  if (const auto date = DateOf(result.response)) CompareClocks(about, *date, seconds(1), findings);
  return true;
}

bool ReachOrigins(const Config& config, Findings* findings) {
  const absl::StatusOr<OriginOptions> origins = PaymentServiceOptions(config);
  if (!origins.ok()) return false;
  // Most often all are one host: what is wrong there is told once.
  std::set<std::string> reached;
  bool all = true;
  for (const std::optional<http::ClientOptions>& options : *origins) {
    if (options && reached.insert(options->base_url.Origin()).second) {
      all = Reach(*options, findings) && all;
    }
  }
  return all;
}

void CheckApiKeys(const Config& config, const Secrets& secrets, Findings* findings) {
  boost::asio::io_context context{1};
  telemetry::Metrics metrics;
  system::SystemClock clock;
  payment_service::OriginClients clients;
  const auto service = MakePaymentService({.executor = context.get_executor(),
                                           .config = config,
                                           .secrets = secrets,
                                           .clock = clock,
                                           .metrics = metrics},
                                          clients);
  if (!service.ok()) return findings->Add(service.status());
  const domain::Projects projects = MakeProjects(config, secrets, "");
  for (const domain::Project& project : projects.all()) {
    const absl::Status got =
        RunToEnd(context, (*service)->GetOrder(project, std::string(kNoOrder),
                                               {.deadline = BootClock::now() + kReachTimeout}))
            .status();
    const std::string about = absl::StrCat("the payment service, project ", project.name, ": ");
    const std::string reason = domain::ReasonOf(got);
    if (reason == domain::reason::kOrderNotFound) {
      findings->well.push_back(about + "the API key is taken");
    } else if (reason == domain::reason::kUpstreamCredentials) {
      findings->errors.push_back(about + "the API key is refused: see its api_key_file");
    } else {
      findings->errors.push_back(
          absl::StrCat(about, "the API key could not be tried: ", got.message()));
    }
  }
}

}  // namespace

void CheckOnline(const Config& config, const Needs& needs, const Secrets& secrets,
                 Findings* findings) {
  if (needs.redis) CheckStores(config, secrets, findings);
  if (needs.kafka) CheckTopics(config, secrets, findings);
  if (needs.payment_service && ReachOrigins(config, findings)) {
    CheckApiKeys(config, secrets, findings);
  }
}

void CheckCertificateEnds(const Config& config, const Secrets& secrets, Findings* findings) {
  for (const CertificateFile& each : CertificateFiles(config, secrets)) {
    const auto end = CertificateEnd(each);
    if (!end) continue;  // That it cannot be read is told elsewhere.
    const std::string text = absl::StrCat(
        each.use,
        each.authorities ? ": the last of its authorities ends " : ": its certificate ends ",
        domain::ToRfc3339(std::chrono::floor<milliseconds>(*end)));
    const auto left = *end - std::chrono::system_clock::now();
    if (left <= left.zero()) {
      findings->errors.push_back(absl::StrCat(text, ": it is over"));
    } else {
      (left < kCertificateEndsSoon ? findings->warnings : findings->well).push_back(text);
    }
  }
}

}  // namespace tollbridge::gateway
