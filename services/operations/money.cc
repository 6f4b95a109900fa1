#include "services/operations/money.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "base/core/status_macros.h"
#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "services/domain/timestamps.h"
#include "services/operations/answers.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::operations {
namespace {

constexpr std::string_view kAllCurrencies = "*";
/// Numbers in the store are exact so far: no day has more, limited or not.
constexpr std::int64_t kMostCounted = (std::int64_t{1} << 53) - 1;

const std::vector<domain::MoneyLimit>& LimitsOf(const Plan& plan) {
  return plan.money->kind == MoneyKind::kRefunds ? plan.project->refund_limits
                                                 : plan.project->payout_limits;
}

/// What must move no money is asked about also where a second person has to confirm payouts.
bool IsLimited(const Plan& plan) {
  if (!LimitsOf(plan).empty()) return true;
  return plan.money->moves_none != nullptr && !plan.project->payout_approvals.empty();
}

std::string NameOf(const Plan& plan, const domain::MoneyLimit& limit) {
  std::string name =
      absl::StrCat(std::string(MoneyKindName(plan.money->kind)), ".", limit.currency);
  if (limit.each_caller) absl::StrAppend(&name, " of ", plan.caller);
  return name;
}

std::optional<std::int64_t> UnlessZero(std::int64_t value) {
  return value == 0 ? std::nullopt : std::optional(value);
}

std::vector<ports::MoneyLimit> LimitsIn(const Plan& plan, std::string_view currency) {
  std::vector<ports::MoneyLimit> limits;
  for (const domain::MoneyLimit& limit : LimitsOf(plan)) {
    if (limit.currency != kAllCurrencies && limit.currency != currency) continue;
    limits.push_back({.name = NameOf(plan, limit),
                      .amount = UnlessZero(limit.amount),
                      .count = UnlessZero(limit.count)});
  }
  return limits;
}

/// Whether the amount alone is more than the limit that is named allows.
bool IsTooMuchAtOnce(const ports::MoneyClaim& claim, std::string_view named) {
  return std::ranges::any_of(*claim.limits, [&](const ports::MoneyLimit& limit) {
    return named == limit.name + " amount" && claim.amount > limit.amount.value_or(kMostCounted);
  });
}

/// What the order shows says nothing of a transaction that is not its own.
absl::Status CheckTransaction(const Plan& plan, const common::v1::Order& order) {
  const std::string& named = plan.steps.front().target.transaction_id;
  const bool is_its_own =
      named.empty() ||
      std::ranges::any_of(order.transactions(), [&](const common::v1::Transaction& transaction) {
        return absl::EqualsIgnoreCase(transaction.id(), named);
      });
  if (is_its_own) return absl::OkStatus();
  return domain::InvalidRequest(
      {{.field = "transaction_id", .rule = "must be of a transaction of the order"}});
}

}  // namespace

std::string_view MoneyKindName(MoneyKind kind) {
  return kind == MoneyKind::kRefunds ? "refunds" : "payouts";
}

std::optional<ports::MoneyClaim> MoneyClaimOf(const Plan& plan) {
  if (!plan.money.has_value() || !IsLimited(plan)) return std::nullopt;
  ports::MoneyClaim claim{.amount = plan.money->amount, .limits = std::nullopt};
  const bool any_hangs_on_it = std::ranges::any_of(
      LimitsOf(plan),
      [](const domain::MoneyLimit& limit) { return limit.currency != kAllCurrencies; });
  if (plan.money->moves_none != nullptr) return claim;
  if (plan.money->currency.empty() && any_hangs_on_it) return claim;
  claim.limits = LimitsIn(plan, plan.money->currency);
  if (claim.limits->empty()) return std::nullopt;
  return claim;
}

AsyncStatus LearnFromOrder(ports::PaymentService& service, const Plan& plan,
                           const ports::Context& context, std::optional<ports::MoneyClaim>& claim) {
  TB_CO_ASSIGN_OR_RETURN(
      const common::v1::Order order,
      co_await service.GetOrder(*plan.project, plan.gate_order.value_or(""), context));
  if (plan.money->moves_none != nullptr) {
    claim.reset();
    TB_CO_RETURN_IF_ERROR(CheckTransaction(plan, order));
    co_return plan.money->moves_none(order);
  }
  if (order.currency().empty()) {
    co_return domain::MakeError(
        absl::StatusCode::kInternal,
        "the order shows no currency, by which its limit of refunds is known",
        {.reason = domain::reason::kUpstreamUnreadable,
         .retry = domain::Retry::kSafeSameKey,
         .metadata = {},
         .retry_after = std::nullopt,
         .violations = {}});
  }
  claim->limits = LimitsIn(plan, absl::AsciiStrToUpper(order.currency()));
  co_return absl::OkStatus();
}

void CountMoneyLimited(telemetry::Metrics& metrics, const MoneyMoved& money,
                       std::string_view limit) {
  const std::string_view measure = limit.ends_with(" count") ? "count" : "amount";
  metrics.Get(telemetry::kMoneyLimited, {MoneyKindName(money.kind), measure}).Increment();
}

absl::Status MoneyLimitPassed(const Uuid& operation_id, const ports::MoneyClaim& claim,
                              const ports::ClaimResult& claimed, WallTime now) {
  // The clocks differ by a little: the day ends at midnight.
  const auto ends = std::chrono::round<std::chrono::days>(now + claimed.retry_after);
  const bool never = claim.limits.has_value() && IsTooMuchAtOnce(claim, claimed.limit);
  return domain::MakeError(
      absl::StatusCode::kFailedPrecondition,
      absl::StrCat("a limit of the day would be passed: ", claimed.limit, "; nothing was sent"),
      {.reason = domain::reason::kMoneyLimit,
       .retry = never ? domain::Retry::kAfterChange : domain::Retry::kSafeSameKey,
       .metadata = {{"operation_id", operation_id.ToString()},
                    {"limit", claimed.limit},
                    {"day_ends", domain::ToRfc3339(ends)}},
       .retry_after = never ? std::nullopt : std::optional(claimed.retry_after),
       .violations = {}});
}

}  // namespace tollbridge::operations
