#include "sandbox/core/projects.h"

#include <algorithm>
#include <optional>

#include "base/core/encoding.h"
#include "base/http/message.h"

namespace tollbridge::sandbox {
namespace {

const Uuid kMerchant = *Uuid::Parse("99999999-9999-4999-8999-999999999999");

bool Contains(const std::vector<std::string>& list, std::string_view wanted) {
  return std::ranges::find(list, wanted) != list.end();
}

}  // namespace

bool Project::HasMethod(std::string_view method) const { return Contains(payment_methods, method); }

bool Project::HasCurrency(std::string_view currency) const {
  return Contains(currencies, currency);
}

const std::vector<std::string>& Project::CurrenciesOf(std::string_view method) const {
  const auto fewer = method_currencies.find(method);
  return fewer == method_currencies.end() ? currencies : fewer->second;
}

bool Project::Takes(std::string_view method, std::string_view currency) const {
  return !method_currencies.contains(method) || Contains(CurrenciesOf(method), currency);
}

std::vector<Project> DefaultProjects() {
  Project demo;
  demo.name = "demo";
  demo.id = *Uuid::Parse("11111111-1111-4111-8111-111111111111");
  demo.merchant_id = kMerchant;
  demo.api_keys = {"sandbox-demo-key"};
  demo.test = true;

  Project shop = demo;
  shop.name = "shop";
  shop.id = *Uuid::Parse("22222222-2222-4222-8222-222222222222");
  shop.api_keys = {"sandbox-shop-key"};
  shop.test = false;

  Project limited = shop;
  limited.name = "limited";
  limited.id = *Uuid::Parse("33333333-3333-4333-8333-333333333333");
  limited.api_keys = {"sandbox-limited-key"};
  limited.read_only = true;
  return {demo, shop, limited};
}

const Project* Authenticate(const std::vector<Project>& projects, std::string_view authorization) {
  constexpr std::string_view kScheme = "Basic ";
  if (!http::EqualsIgnoreCase(authorization.substr(0, kScheme.size()), kScheme)) return nullptr;
  const std::optional<std::string> credentials = Base64Decode(authorization.substr(kScheme.size()));
  // The password is empty, so the key is all but the colon at the end.
  if (!credentials || !credentials->ends_with(':')) return nullptr;
  const std::string_view key = std::string_view(*credentials).substr(0, credentials->size() - 1);
  for (const Project& project : projects) {
    for (const std::string& good : project.api_keys) {
      if (ConstantTimeEqual(good, key)) return &project;
    }
  }
  return nullptr;
}

}  // namespace tollbridge::sandbox
