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
#include "sandbox/faults/plan_reader.h"

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
constexpr double kDay = 86'400;
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

std::string KindNames() {
  std::string names;
  for (const Kind& kind : kKinds) {
    if (!names.empty()) names += ", ";
    names += kind.name;
  }
  return names;
}

Millis Seconds(PlanReader& reader) {
  const std::optional<double> seconds = reader.Number("seconds", 0, kDay, true);
  return Millis{std::llround(seconds.value_or(0) * 1000)};
}

std::size_t Bytes(PlanReader& reader, std::string_view field, std::int64_t least) {
  return static_cast<std::size_t>(reader.Integer(field, least, kMaxBytes, true).value_or(least));
}

int Status(PlanReader& reader, std::int64_t least, std::optional<int> usual) {
  const auto status = reader.Integer("status", least, 599, !usual.has_value());
  return static_cast<int>(status.value_or(usual.value_or(500)));
}

/// What a fault of that kind needs to know.
void ReadDetails(PlanReader& reader, Fault* fault) {
  switch (fault->kind) {
    case FaultKind::kLatency:
      fault->time = Millis{reader.Integer("milliseconds", 0, kMaxLatency, true).value_or(0)};
      break;
    case FaultKind::kStatus:
      fault->status = Status(reader, 200, std::nullopt);
      fault->type = reader.Text("type", kLongestName, false).value_or("");
      if (const json::value* body = reader.Find("body")) fault->body = json::serialize(*body);
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
      fault->retry_after_seconds =
          reader.Integer("retry_after_seconds", 0, static_cast<std::int64_t>(kDay), false);
      break;
    case FaultKind::kStatusAfter:
      fault->status = Status(reader, 400, std::nullopt);
      break;
    case FaultKind::kHtml:
      fault->status = Status(reader, 400, 502);
      break;
    case FaultKind::kDelayedExecution:
    case FaultKind::kReadLag:
    case FaultKind::kDelay:
      fault->time = Seconds(reader);
      break;
    case FaultKind::kDuplicate:
      fault->times =
          static_cast<int>(reader.Integer("times", 1, kMaxDuplicates, false).value_or(1));
      break;
    case FaultKind::kDropBefore:
    case FaultKind::kDropAfter:
    case FaultKind::kGarble:
    case FaultKind::kLose:
    case FaultKind::kReorder:
      break;
  }
}

void ReadFault(PlanReader& reader, Fault* fault) {
  const json::value* name = reader.Find("kind");
  const auto found = std::ranges::find_if(kKinds, [name](const Kind& kind) {
    return name != nullptr && name->is_string() && name->get_string() == kind.name;
  });
  if (found == kKinds.end()) {
    reader.Refuse("kind", "must be one of " + KindNames());
    return;
  }
  fault->kind = found->kind;
  ReadDetails(reader, fault);
  reader.RefuseOthers();
}

bool IsOperation(const json::value& value, std::span<const std::string_view> operations) {
  if (!value.is_string()) return false;
  const std::string_view name = value.get_string();
  return name == kWebhookOperation || std::ranges::find(operations, name) != operations.end();
}

void ReadOperations(PlanReader& reader, std::span<const std::string_view> operations,
                    FaultRule* rule) {
  const json::value* value = reader.Find("operation");
  if (value == nullptr) return;
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

void ReadOccurrence(PlanReader& reader, FaultRule* rule) {
  const auto nth = reader.Integer("nth", 1, kMaxCount, false);
  const auto from = reader.Integer("from", 1, kMaxCount, false);
  const auto to = reader.Integer("to", 1, kMaxCount, false);
  if (nth && (from || to)) reader.Refuse("nth", "cannot stand beside from and to");
  rule->from = nth ? *nth : from.value_or(1);
  rule->to = nth ? nth : to;
  if (rule->to && *rule->to < rule->from) reader.Refuse("to", "must not be less than from");
  rule->probability = reader.Number("probability", 0, 1, false).value_or(1);
  rule->times = reader.Integer("times", 1, kMaxCount, false);
}

void ReadOn(PlanReader& reader, std::span<const std::string_view> operations, FaultRule* rule) {
  ReadOperations(reader, operations, rule);
  if (const auto order = reader.Text("order", kLongestReference, false)) {
    const std::optional<Uuid> id = Uuid::Parse(*order);
    if (!id) reader.Refuse("order", "must be an order id");
    rule->order = id.value_or(Uuid{}).ToString();
  }
  rule->merchant_order_id = reader.Text("merchant_order_id", kLongestReference, false);
  ReadOccurrence(reader, rule);
  reader.RefuseOthers();
}

/// A fault of webhooks on calls, or the other way round, would never happen.
void CheckThatItCanHappen(const FaultRule& rule, PlanReader& reader) {
  for (const std::string& operation : rule.operations) {
    const bool webhook = operation == kWebhookOperation;
    if (webhook == IsForWebhooks(rule.fault.kind)) continue;
    reader.Refuse("fault.kind", webhook ? "is not for webhooks" : "is for webhooks only");
  }
}

FaultRule ReadRule(const json::value& value, const std::string& path,
                   std::span<const std::string_view> operations, std::optional<ApiError>* error) {
  FaultRule rule;
  if (!value.is_object()) {
    *error = Invalid(path + ": must be an object");
    return rule;
  }
  PlanReader reader(value.get_object(), path + ".", error);
  rule.name = reader.Text("name", kLongestName, false).value_or("");
  if (const json::object* on = reader.Object("on", false)) {
    PlanReader fields(*on, path + ".on.", error);
    ReadOn(fields, operations, &rule);
  }
  if (const json::object* fault = reader.Object("fault", true)) {
    PlanReader fields(*fault, path + ".fault.", error);
    ReadFault(fields, &rule.fault);
  }
  reader.RefuseOthers();
  CheckThatItCanHappen(rule, reader);
  return rule;
}

}  // namespace

bool IsForWebhooks(FaultKind kind) {
  return kind == FaultKind::kLose || kind == FaultKind::kDuplicate || kind == FaultKind::kDelay ||
         kind == FaultKind::kReorder;
}

Result<FaultPlan> ReadFaultPlan(const json::value& value,
                                std::span<const std::string_view> operations) {
  if (!value.is_object()) return Invalid("the fault plan must be an object");
  FaultPlan plan;
  plan.source = value.get_object();
  std::optional<ApiError> error;
  PlanReader reader(value.get_object(), "", &error);
  if (const auto seed =
          reader.Integer("seed", 0, std::numeric_limits<std::int64_t>::max(), false)) {
    plan.seed = static_cast<std::uint64_t>(*seed);
  }
  if (const json::value* rules = reader.Find("rules")) {
    if (!rules->is_array() || rules->get_array().size() > kMaxRules) {
      reader.Refuse("rules", "must be a list of at most 100 rules");
    } else {
      for (const json::value& rule : rules->get_array()) {
        if (error) break;
        const std::string path = "rules[" + std::to_string(plan.rules.size()) + "]";
        plan.rules.push_back(ReadRule(rule, path, operations, &error));
      }
    }
  }
  reader.RefuseOthers();
  if (error) return *std::move(error);
  return plan;
}

}  // namespace tollbridge::sandbox
