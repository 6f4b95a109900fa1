#include "gateway/config/payment_service_settings.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "base/core/text.h"

namespace tollbridge::gateway {
namespace {

constexpr std::string_view kCreateRefund = "create_refund";
constexpr std::string_view kPartialCapture = "partial_capture";
constexpr std::string_view kPartialVoid = "partial_void";
constexpr std::string_view kCreatePaymentLink = "create_payment_link";
constexpr std::string_view kListCurrencies = "list_currencies";
constexpr std::array kExtensions = {kCreateRefund, kPartialCapture, kPartialVoid,
                                    kCreatePaymentLink, kListCurrencies};

bool Has(const PaymentServiceConfig& service, std::string_view extension) {
  return std::ranges::find(service.extensions, extension) != service.extensions.end();
}

}  // namespace

std::vector<std::string> AllExtensions() { return {kExtensions.begin(), kExtensions.end()}; }

void DescribePaymentService(config::Section& section, PaymentServiceConfig* service) {
  payment_service::Describe(section, &service->origins);
  section.TextList("extensions", &service->extensions,
                   "Optional endpoints that this payment service offers, any of " +
                       absl::StrJoin(AllExtensions(), ", ") +
                       "; without one its calls answer UNIMPLEMENTED");
  payments::Describe(section, &service->options);
  payment_service::Describe(section, &service->settings);
}

std::vector<std::string> PaymentServiceProblems(const PaymentServiceConfig& service) {
  std::vector<std::string> problems;
  std::set<std::string> named;
  for (const std::string& extension : service.extensions) {
    if (std::ranges::find(kExtensions, extension) == kExtensions.end()) {
      std::string problem =
          absl::StrCat("payment_service.extensions: there is no extension '", extension, "'");
      const std::string nearest = NearestName(extension, AllExtensions());
      if (!nearest.empty()) absl::StrAppend(&problem, "; is '", nearest, "' meant?");
      problems.push_back(std::move(problem));
    } else if (!named.insert(extension).second) {
      problems.push_back(absl::StrCat("payment_service.extensions: names '", extension, "' twice"));
    }
  }
  if (service.settings.rate_gate.first_pause > service.settings.rate_gate.longest_pause) {
    problems.emplace_back(
        "payment_service.rate_limit_pause: must not be longer than rate_limit_longest_pause");
  }
  for (const auto& [name, value] :
       {std::pair{"wallet_a_name", &service.settings.wallet_names.wallet_a},
        std::pair{"wallet_b_name", &service.settings.wallet_names.wallet_b}}) {
    if (value->empty()) problems.push_back(absl::StrCat("payment_service.", name, ": is required"));
  }
  return problems;
}

payments::PaymentOptions MakePaymentOptions(const PaymentServiceConfig& service) {
  payments::PaymentOptions options = service.options;
  options.create_refund = Has(service, kCreateRefund);
  options.partial_capture = Has(service, kPartialCapture);
  options.partial_void = Has(service, kPartialVoid);
  options.create_payment_link = Has(service, kCreatePaymentLink);
  options.list_currencies = Has(service, kListCurrencies);
  return options;
}

payment_service::BreakerSettings MakeBreakerSettings(const Config& config) {
  payment_service::BreakerSettings settings = config.payment_service.settings.breaker;
  settings.patience = std::min(settings.patience, config.operations.settings.attempt_deadline);
  return settings;
}

}  // namespace tollbridge::gateway
