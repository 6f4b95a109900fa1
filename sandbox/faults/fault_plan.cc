#include "sandbox/faults/fault_plan.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "base/core/uuid.h"
#include "sandbox/core/result.h"
#include "sandbox/wire/json_reader.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxRules = 100;
constexpr std::size_t kMaxOperations = 100;
constexpr std::size_t kLongestName = 100;
constexpr std::size_t kLongestReference = 4096;
constexpr std::int64_t kMaxCount = 1'000'000'000;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 30;
constexpr std::int64_t kMaxLatency = 600'000;
constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kMaxDuplicates = 100;

struct Kind {
  std::string_view name;
  FaultKind kind;
};

constexpr std::array<Kind, 17> kKinds = {{
    {"latency", FaultKind::kLatency},
    {"status", FaultKind::kStatus},
    {"drop_before", FaultKind::kDropBefore},
    {"drop_after", FaultKind::kDropAfter},
    {"reset", FaultKind::kReset},
    {"garble", FaultKind::kGarble},
    {"truncate", FaultKind::kTruncate},
    {"slow_body", FaultKind::kSlowBody},
    {"too_many_requests", FaultKind::kTooManyRequests},
    {"status_after", FaultKind::kStatusAfter},
    {"html", FaultKind::kHtml},
    {"delayed_execution", FaultKind::kDelayedExecution},
    {"read_lag", FaultKind::kReadLag},
    {"lose", FaultKind::kLose},
    {"duplicate", FaultKind::kDuplicate},
    {"delay", FaultKind::kDelay},
    {"reorder", FaultKind::kReorder},
}};

Millis Seconds(JsonReader& reader) {
  reader.Only({"kind", "seconds"});
  reader.Require({"seconds"});
  return Millis{std::llround(reader.Number("seconds", 0, kDay).value_or(0) * 1000)};
}

std::size_t Bytes(JsonReader& reader, std::string_view field, std::int64_t least) {
  reader.Only({"kind", field});
  reader.Require({field});
  return static_cast<std::size_t>(reader.Integer(field, least, kMaxBytes).value_or(least));
}

int Status(JsonReader& reader, std::int64_t least) {
  reader.Require({"status"});
  return static_cast<int>(reader.Integer("status", least, 599).value_or(500));
}

/// What a fault of that kind needs to know.
void ReadDetails(JsonReader& reader, Fault* fault) {
  switch (fault->kind) {
    case FaultKind::kLatency:
      reader.Only({"kind", "milliseconds"});
      reader.Require({"milliseconds"});
      fault->time = Millis{reader.Integer("milliseconds", 0, kMaxLatency).value_or(0)};
      break;
    case FaultKind::kStatus:
      reader.Only({"kind", "status", "type", "body"});
      fault->status = Status(reader, 200);
      fault->type = reader.Filled("type", kLongestName).value_or("");
      // null is a body too.
      if (const json::value* body = reader.object().if_contains("body")) {
        fault->body = json::serialize(*body);
      }
      if (fault->body && !fault->type.empty()) reader.Refuse("type", "cannot stand beside body");
      break;
    case FaultKind::kReset:
    case FaultKind::kTruncate:
      fault->bytes = Bytes(reader, "after_bytes", 0);
      break;
    case FaultKind::kSlowBody:
      fault->bytes = Bytes(reader, "bytes_per_second", 1);
      break;
    case FaultKind::kTooManyRequests:
      reader.Only({"kind", "retry_after_seconds"});
      fault->retry_after_seconds = reader.Integer("retry_after_seconds", 0, kDay);
      break;
    case FaultKind::kStatusAfter:
      reader.Only({"kind", "status"});
      fault->status = Status(reader, 400);
      break;
    case FaultKind::kHtml:
      reader.Only({"kind", "status"});
      fault->status = reader.Has("status") ? Status(reader, 400) : 502;
      break;
    case FaultKind::kDelayedExecution:
    case FaultKind::kReadLag:
    case FaultKind::kDelay:
      fault->time = Seconds(reader);
      break;
    case FaultKind::kDuplicate:
      reader.Only({"kind", "times"});
      fault->times = static_cast<int>(reader.Integer("times", 1, kMaxDuplicates).value_or(1));
      break;
    case FaultKind::kDropBefore:
    case FaultKind::kDropAfter:
    case FaultKind::kGarble:
    case FaultKind::kLose:
    case FaultKind::kReorder:
      reader.Only({"kind"});
      break;
  }
}

void ReadFault(JsonReader& reader, Fault* fault) {
  std::array<std::string_view, kKinds.size()> names;
  std::ranges::transform(kKinds, names.begin(), &Kind::name);
  reader.Require({"kind"});
  const std::optional<std::string> name = reader.OneOf("kind", names);
  if (!name) return;
  fault->kind = std::ranges::find(kKinds, *name, &Kind::name)->kind;
  ReadDetails(reader, fault);
}

bool IsOperation(const json::value& value, std::span<const std::string_view> operations) {
  if (!value.is_string()) return false;
  const std::string_view name = value.get_string();
  return name == kWebhookOperation || std::ranges::find(operations, name) != operations.end();
}

void ReadOperations(JsonReader& reader, std::span<const std::string_view> operations,
                    FaultRule* rule) {
  const json::value* value = reader.object().if_contains("operation");
  if (value == nullptr || value->is_null()) return;
  json::array names;
  if (value->is_array()) {
    names = value->get_array();
  } else {
    names.push_back(*value);
  }
  if (names.empty() || names.size() > kMaxOperations) {
    reader.Refuse("operation", "must be an operation or a list of 1 to 100 of them");
    return;
  }
  for (const json::value& name : names) {
    if (!IsOperation(name, operations)) {
      reader.Refuse("operation", "must be a known operation, or a list of them");
      return;
    }
    rule->operations.emplace_back(name.get_string());
  }
}

void ReadOccurrence(JsonReader& reader, FaultRule* rule) {
  const auto nth = reader.Integer("nth", 1, kMaxCount);
  const auto from = reader.Integer("from", 1, kMaxCount);
  const auto to = reader.Integer("to", 1, kMaxCount);
  if (nth && (from || to)) reader.Refuse("nth", "cannot stand beside from and to");
  rule->from = nth ? *nth : from.value_or(1);
  rule->to = nth ? nth : to;
  if (rule->to && *rule->to < rule->from) reader.Refuse("to", "must not be less than from");
  rule->probability = reader.Number("probability", 0, 1).value_or(1);
  rule->times = reader.Integer("times", 1, kMaxCount);
}

void ReadOn(JsonReader& reader, std::span<const std::string_view> operations, FaultRule* rule) {
  reader.Only(
      {"operation", "order", "merchant_order_id", "nth", "from", "to", "probability", "times"});
  ReadOperations(reader, operations, rule);
  if (const std::optional<Uuid> order = reader.Id("order")) rule->order = order->ToString();
  rule->merchant_order_id = reader.Filled("merchant_order_id", kLongestReference);
  ReadOccurrence(reader, rule);
}

/// A fault of webhooks on calls, or the other way round, would never happen.
void CheckThatItCanHappen(const FaultRule& rule, JsonReader& reader) {
  for (const std::string& operation : rule.operations) {
    const bool webhook = operation == kWebhookOperation;
    if (webhook == IsForWebhooks(rule.fault.kind)) continue;
    reader.Refuse("fault.kind", webhook ? "is not for webhooks" : "is for webhooks only");
  }
}

FaultRule ReadRule(JsonReader& reader, std::span<const std::string_view> operations) {
  FaultRule rule;
  reader.Only({"name", "on", "fault"});
  reader.Require({"fault"});
  rule.name = reader.Filled("name", kLongestName).value_or("");
  if (std::optional<JsonReader> on = reader.Object("on")) ReadOn(*on, operations, &rule);
  if (std::optional<JsonReader> fault = reader.Object("fault")) ReadFault(*fault, &rule.fault);
  CheckThatItCanHappen(rule, reader);
  return rule;
}

}  // namespace

bool IsForWebhooks(FaultKind kind) {
  return kind == FaultKind::kLose || kind == FaultKind::kDuplicate || kind == FaultKind::kDelay ||
         kind == FaultKind::kReorder;
}

Result<FaultPlan> ReadFaultPlan(const json::object& source,
                                std::span<const std::string_view> operations) {
  FaultPlan plan;
  plan.source = source;
  JsonReader reader(source, {"seed", "rules"});
  if (const std::optional<std::int64_t> seed =
          reader.Integer("seed", 0, std::numeric_limits<std::int64_t>::max())) {
    plan.seed = static_cast<std::uint64_t>(*seed);
  }
  std::vector<JsonReader> rules = reader.Objects("rules");
  if (rules.size() > kMaxRules) reader.Refuse("rules", "must be a list of at most 100 rules");
  for (JsonReader& rule : rules) {
    if (reader.ok()) plan.rules.push_back(ReadRule(rule, operations));
  }
  SB_RETURN_IF_ERROR(reader.Done());
  return plan;
}

}  // namespace tollbridge::sandbox
