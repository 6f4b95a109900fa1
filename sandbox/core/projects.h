#ifndef TOLLBRIDGE_SANDBOX_CORE_PROJECTS_H_
#define TOLLBRIDGE_SANDBOX_CORE_PROJECTS_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/uuid.h"

namespace tollbridge::sandbox {

/// A merchant's project with its API keys (docs/interface.md#authentication).
struct Project {
  std::string name;
  Uuid id;
  Uuid merchant_id;
  /// Each of them is good.
  std::vector<std::string> api_keys;
  /// Orders carry the flag is-test, and wallet B's test environment is used.
  bool test = false;
  /// Calls that change something get 403.
  bool read_only = false;
  /// Account funding is enabled.
  bool aft = true;
  /// Card payouts are activated.
  bool payouts = true;
  /// Where webhooks go when the order names no webhook_url; empty: nowhere.
  std::string webhook_url;
  /// Active payment methods.
  std::vector<std::string> payment_methods = {"credit-card", "credit-card-oct", "wallet-a-pay",
                                              "wallet-b-pay"};
  std::vector<std::string> currencies = {"AUD", "CAD", "CHF", "CZK", "DKK", "EUR", "GBP", "HUF",
                                         "JPY", "KWD", "NOK", "NZD", "PLN", "SEK", "USD"};
  /// By payment method, where it takes fewer of them.
  std::map<std::string, std::vector<std::string>, std::less<>> method_currencies;
  /// Shown on pages and to wallet A.
  std::string trade_name = "Sandbox shop";

  bool HasMethod(std::string_view method) const;
  bool HasCurrency(std::string_view currency) const;
  /// Those that a method takes.
  const std::vector<std::string>& CurrenciesOf(std::string_view method) const;
  /// Whether method_currencies leaves it that currency.
  bool Takes(std::string_view method, std::string_view currency) const;
};

/// `demo`, `shop` and `limited`: what a client can rely on without configuration.
std::vector<Project> DefaultProjects();

/// The project whose key stands in an Authorization header (`Basic base64(<API_KEY>:)`, empty
/// password); nullptr when the header is missing, broken or names no project.
const Project* Authenticate(const std::vector<Project>& projects, std::string_view authorization);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_PROJECTS_H_
