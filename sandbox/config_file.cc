#include "sandbox/config_file.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <utility>

#include "sandbox/config_reader.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
constexpr std::int64_t kMaxMillis = 3'600'000;
constexpr Millis kLongest = std::chrono::hours(24 * 365 * 100);
constexpr std::array<std::string_view, 4> kMethods = {"credit-card", "credit-card-oct",
                                                      "wallet-a-pay", "wallet-b-pay"};

/// `name:line:column: what` of a place in a text.
absl::Status SyntaxError(std::string_view name, std::string_view text, std::size_t offset,
                         std::string_view what) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(name), ":", 1 + std::ranges::count(before, '\n'), ":",
                   1 + before.size() - line_start, ": not JSON: ", std::string(what)));
}

absl::StatusOr<json::object> ParseObject(std::string_view text, std::string_view name) {
  json::stream_parser parser;
  boost::system::error_code problem;
  std::size_t read = parser.write_some(text.data(), text.size(), problem);
  if (!problem && read < text.size()) {
    return SyntaxError(name, text, read, "there is more after the end");
  }
  if (!problem) parser.finish(problem);
  if (problem) return SyntaxError(name, text, std::min(read, text.size()), problem.message());
  json::value value = parser.release();
  if (!value.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(std::string(name), ": must be a JSON object"));
  }
  return std::move(value.get_object());
}

absl::StatusOr<std::string> ReadText(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  text.resize(kMaxFileBytes + 1);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad() || (file.fail() && !file.eof())) {
    return absl::NotFoundError(absl::StrCat(
        path, ": cannot be read: ", errno == 0 ? "unknown error" : std::strerror(errno)));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxFileBytes) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is longer than 1 MiB"));
  }
  return text;
}

bool IsCurrency(std::string_view text) {
  return text.size() == 3 && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool IsMethod(std::string_view text) { return std::ranges::find(kMethods, text) != kMethods.end(); }

/// What HTTP Basic can carry as a user name.
bool IsKey(std::string_view text) {
  return !text.empty() && text.size() <= 256 &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f' && c != ':'; });
}

bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

Project ReadProject(const json::object& object, const std::string& path,
                    std::optional<std::string>* error) {
  ConfigReader reader(object, path,
                      {"name", "id", "merchant_id", "api_keys", "test", "read_only", "aft",
                       "payouts", "webhook_url", "payment_methods", "currencies", "trade_name"},
                      error);
  Project project;
  project.merchant_id = DefaultProjects().front().merchant_id;
  for (const std::string_view needed : {"name", "id", "api_keys"}) reader.Require(needed);
  reader.Text("name", &IsName, "must be 1 to 64 of a-z, 0-9, - and _", &project.name);
  reader.Id("id", &project.id);
  reader.Id("merchant_id", &project.merchant_id);
  reader.Texts("api_keys", &IsKey, "must be 1 to 256 visible ASCII characters other than ':'",
               &project.api_keys);
  reader.Bool("test", &project.test);
  reader.Bool("read_only", &project.read_only);
  reader.Bool("aft", &project.aft);
  reader.Bool("payouts", &project.payouts);
  reader.Url("webhook_url", &project.webhook_url);
  reader.Texts("payment_methods", &IsMethod,
               "must be credit-card, credit-card-oct, wallet-a-pay or wallet-b-pay",
               &project.payment_methods);
  reader.Texts("currencies", &IsCurrency, "must match ^[A-Z]{3}$", &project.currencies);
  reader.Text(
      "trade_name", [](std::string_view text) { return !text.empty() && text.size() <= 256; },
      "must have 1 to 256 bytes", &project.trade_name);
  return project;
}

/// Ids, names and keys each lead to one project.
std::optional<std::string> FindDuplicate(const std::vector<Project>& projects) {
  std::map<std::string, std::string> seen;
  const auto duplicate = [&](const std::string& kind, const std::string& value,
                             const std::string& path) -> std::optional<std::string> {
    const auto [known, fresh] = seen.emplace(kind + value, path);
    if (fresh) return std::nullopt;
    return path + ": is the same as " + known->second;
  };
  for (std::size_t i = 0; i < projects.size(); ++i) {
    const std::string path = absl::StrCat("projects[", i, "]");
    if (auto error = duplicate("name ", projects[i].name, path + ".name")) return error;
    if (auto error = duplicate("id ", projects[i].id.ToString(), path + ".id")) return error;
    for (std::size_t k = 0; k < projects[i].api_keys.size(); ++k) {
      const std::string key_path = absl::StrCat(path, ".api_keys[", k, "]");
      if (auto error = duplicate("key ", projects[i].api_keys[k], key_path)) return error;
    }
  }
  return std::nullopt;
}

std::vector<Project> ReadProjects(const json::array& array, std::optional<std::string>* error) {
  std::vector<Project> projects;
  for (const json::value& value : array) {
    const std::string path = absl::StrCat("projects[", projects.size(), "]");
    if (!value.is_object()) {
      *error = path + ": must be an object";
    } else {
      projects.push_back(ReadProject(value.get_object(), path, error));
    }
    if (*error) return projects;
  }
  *error = array.empty() ? "projects: must hold at least one project" : FindDuplicate(projects);
  return projects;
}

void ReadWebhooks(const json::object& object, WebhookPolicy* policy,
                  std::optional<std::string>* error) {
  ConfigReader reader(object, "webhooks",
                      {"first_timeout_ms", "retry_timeout_ms", "pause_ms", "max_attempts"}, error);
  const auto millis = [&](std::string_view name, Millis* target) {
    std::int64_t count = target->count();
    reader.Integer(name, 1, kMaxMillis, &count);
    *target = Millis{count};
  };
  millis("first_timeout_ms", &policy->first_timeout);
  millis("retry_timeout_ms", &policy->retry_timeout);
  millis("pause_ms", &policy->pause);
  std::int64_t attempts = policy->max_attempts;
  reader.Integer("max_attempts", 1, 100, &attempts);
  policy->max_attempts = static_cast<int>(attempts);
}

Config ReadMembers(const json::object& root, std::optional<std::string>* error) {
  Config config;
  Settings& settings = config.settings;
  ConfigReader reader(
      root, "",
      {"projects", "webhooks", "order_validity", "own_checkout_hold", "processing_time",
       "index_lag", "requests_per_second", "max_orders", "faults"},
      error);
  if (const json::array* projects = reader.Array("projects")) {
    settings.projects = ReadProjects(*projects, error);
  }
  if (const json::object* webhooks = reader.Object("webhooks")) {
    ReadWebhooks(*webhooks, &settings.webhooks, error);
  }
  reader.Duration("order_validity", Millis{1}, kLongest, &settings.order_validity);
  reader.Duration("own_checkout_hold", Millis{0}, kLongestOwnCheckoutHold,
                  &settings.own_checkout_hold);
  reader.Duration("processing_time", Millis{0}, kLongest, &settings.processing_time);
  reader.Duration("index_lag", Millis{0}, kLongestIndexLag, &settings.index_lag);
  reader.Integer("requests_per_second", 0, 1'000'000, &settings.requests_per_second);
  auto max_orders = static_cast<std::int64_t>(settings.max_orders);
  reader.Integer("max_orders", 1, 10'000'000, &max_orders);
  settings.max_orders = static_cast<std::size_t>(max_orders);
  if (const json::object* faults = reader.Object("faults")) config.faults = *faults;
  return config;
}

}  // namespace

absl::StatusOr<Config> ReadConfig(std::string_view text, std::string_view name) {
  const absl::StatusOr<json::object> root = ParseObject(text, name);
  if (!root.ok()) return root.status();
  std::optional<std::string> error;
  Config config = ReadMembers(*root, &error);
  if (error) return absl::InvalidArgumentError(absl::StrCat(std::string(name), ": ", *error));
  return config;
}

absl::StatusOr<Config> ReadConfigFile(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadText(path);
  if (!text.ok()) return text.status();
  return ReadConfig(*text, path);
}

absl::StatusOr<json::object> ReadJsonFile(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadText(path);
  if (!text.ok()) return text.status();
  return ParseObject(*text, path);
}

}  // namespace tollbridge::sandbox
