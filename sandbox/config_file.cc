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
#include <set>
#include <utility>

#include "sandbox/core/money.h"
#include "sandbox/wire/json_reader.h"

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

/// At least one text, each once and by the rule.
void ReadTexts(JsonReader& reader, std::string_view name, JsonReader::Rule keeps,
               std::string_view rule, std::vector<std::string>* target) {
  std::optional<std::vector<std::string>> texts = reader.Texts(name, keeps, rule);
  if (!texts) return;
  if (texts->empty()) reader.Refuse(name, "must not be empty");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < texts->size(); ++i) {
    if (seen.insert((*texts)[i]).second) continue;
    reader.Refuse(absl::StrCat(std::string(name), "[", i, "]"), "is there twice");
  }
  *target = *std::move(texts);
}

void ReadMethodCurrencies(JsonReader& reader, Project* project) {
  reader.Only(kMethods);
  for (const std::string_view method : kMethods) {
    if (!reader.Has(method)) continue;
    ReadTexts(
        reader, method, [&](std::string_view currency) { return project->HasCurrency(currency); },
        "must be one of the project's currencies",
        &project->method_currencies[std::string(method)]);
  }
}

void ReadVariants(JsonReader& reader, Variants* variants) {
  std::vector<std::string> names;
  const auto find = [](std::string_view name) {
    return std::ranges::find(AllVariants(), name, &Variant::name);
  };
  ReadTexts(
      reader, "variants", [&](std::string_view name) { return find(name) != AllVariants().end(); },
      "is no variant; --help lists them", &names);
  for (const std::string& name : names) variants->*find(name)->on = true;
}

Project ReadProject(JsonReader& reader) {
  reader.Only({"name", "id", "merchant_id", "api_keys", "test", "read_only", "aft", "payouts",
               "webhook_url", "payment_methods", "currencies", "method_currencies", "trade_name"});
  reader.Require({"name", "id", "api_keys"});
  Project project;
  project.name = reader.Text("name", &IsName, "must be 1 to 64 of a-z, 0-9, - and _").value_or("");
  project.id = reader.Id("id").value_or(Uuid{});
  project.merchant_id = reader.Id("merchant_id").value_or(DefaultProjects().front().merchant_id);
  ReadTexts(reader, "api_keys", &IsKey, "must be 1 to 256 visible ASCII characters other than ':'",
            &project.api_keys);
  project.test = reader.Bool("test").value_or(project.test);
  project.read_only = reader.Bool("read_only").value_or(project.read_only);
  project.aft = reader.Bool("aft").value_or(project.aft);
  project.payouts = reader.Bool("payouts").value_or(project.payouts);
  project.webhook_url = reader.Url("webhook_url").value_or(project.webhook_url);
  ReadTexts(reader, "payment_methods", &IsMethod,
            "must be credit-card, credit-card-oct, wallet-a-pay or wallet-b-pay",
            &project.payment_methods);
  ReadTexts(reader, "currencies", &IsCurrency, "must match ^[A-Z]{3}$", &project.currencies);
  if (std::optional<JsonReader> fewer = reader.Object("method_currencies")) {
    ReadMethodCurrencies(*fewer, &project);
  }
  project.trade_name = reader.Filled("trade_name", 256).value_or(project.trade_name);
  return project;
}

/// Ids, names and keys each lead to one project.
void RefuseDuplicates(JsonReader& reader, const std::vector<Project>& projects) {
  std::map<std::string, std::string> seen;
  const auto once = [&](const std::string& kind, const std::string& value,
                        const std::string& path) {
    const auto [known, fresh] = seen.emplace(kind + value, path);
    if (!fresh) reader.Refuse(path, "is the same as " + known->second);
  };
  for (std::size_t i = 0; i < projects.size(); ++i) {
    const std::string path = absl::StrCat("projects[", i, "]");
    once("name ", projects[i].name, path + ".name");
    once("id ", projects[i].id.ToString(), path + ".id");
    for (std::size_t k = 0; k < projects[i].api_keys.size(); ++k) {
      once("key ", projects[i].api_keys[k], absl::StrCat(path, ".api_keys[", k, "]"));
    }
  }
}

void ReadProjects(JsonReader& reader, std::vector<Project>* projects) {
  if (!reader.Has("projects")) return;
  projects->clear();
  for (JsonReader& project : reader.Objects("projects")) {
    projects->push_back(ReadProject(project));
  }
  if (projects->empty()) reader.Refuse("projects", "must hold at least one project");
  RefuseDuplicates(reader, *projects);
}

void ReadWebhooks(JsonReader& reader, WebhookPolicy* policy) {
  reader.Only({"first_timeout_ms", "retry_timeout_ms", "pause_ms", "max_attempts"});
  const auto millis = [&](std::string_view name, Millis* target) {
    *target = Millis{reader.Integer(name, 1, kMaxMillis).value_or(target->count())};
  };
  millis("first_timeout_ms", &policy->first_timeout);
  millis("retry_timeout_ms", &policy->retry_timeout);
  millis("pause_ms", &policy->pause);
  policy->max_attempts =
      static_cast<int>(reader.Integer("max_attempts", 1, 100).value_or(policy->max_attempts));
}

Config ReadMembers(JsonReader& reader) {
  Config config;
  Settings& settings = config.settings;
  ReadProjects(reader, &settings.projects);
  if (std::optional<JsonReader> webhooks = reader.Object("webhooks")) {
    ReadWebhooks(*webhooks, &settings.webhooks);
  }
  const auto duration = [&](std::string_view name, Millis at_least, Millis at_most,
                            Millis* target) {
    *target = reader.Duration(name, at_least, at_most).value_or(*target);
  };
  duration("order_validity", Millis{1}, kLongest, &settings.order_validity);
  duration("own_checkout_hold", Millis{0}, kLongestOwnCheckoutHold, &settings.own_checkout_hold);
  duration("processing_time", Millis{0}, kLongest, &settings.processing_time);
  duration("index_lag", Millis{0}, kLongestIndexLag, &settings.index_lag);
  settings.requests_per_second =
      reader.Integer("requests_per_second", 0, 1'000'000).value_or(settings.requests_per_second);
  if (const std::optional<std::int64_t> orders = reader.Integer("max_orders", 1, 10'000'000)) {
    settings.max_orders = static_cast<std::size_t>(*orders);
  }
  ReadVariants(reader, &settings.variants);
  if (std::optional<JsonReader> faults = reader.Object("faults")) config.faults = faults->object();
  return config;
}

}  // namespace

absl::StatusOr<Config> ReadConfig(std::string_view text, std::string_view name) {
  absl::StatusOr<json::object> root = ParseObject(text, name);
  if (!root.ok()) return root.status();
  JsonReader reader(*std::move(root), {"projects", "webhooks", "order_validity",
                                       "own_checkout_hold", "processing_time", "index_lag",
                                       "requests_per_second", "max_orders", "variants", "faults"});
  Config config = ReadMembers(reader);
  if (reader.ok()) return config;
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(name), ": ", reader.Done().error().value));
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
