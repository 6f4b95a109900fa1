#include "sandbox/faults/fault_injector.h"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <utility>

#include "sandbox/core/result.h"
#include "sandbox/faults/damaged_answers.h"

namespace tollbridge::sandbox {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

/// Effects that are still to come. Each holds a request, so more are given up.
constexpr long kMaxLateEffects = 1'000;

/// Whether the rule's `on` fits, but for what counts calls.
bool Fits(const FaultRule& rule, std::string_view operation, const FaultSubject& subject) {
  const bool operation_fits =
      rule.operations.empty()
          ? IsForWebhooks(rule.fault.kind) == (operation == kWebhookOperation)
          : std::ranges::find(rule.operations, operation) != rule.operations.end();
  return operation_fits &&
         (rule.order.empty() || http::EqualsIgnoreCase(rule.order, subject.order)) &&
         (!rule.merchant_order_id || *rule.merchant_order_id == subject.merchant_order_id);
}

}  // namespace

FaultInjector::FaultInjector(Simulation* simulation, asio::any_io_executor executor)
    : simulation_(simulation), executor_(std::move(executor)), random_(simulation->seed) {}

void FaultInjector::SetPlan(FaultPlan plan) {
  plan_ = std::move(plan);
  Restart();
}

Result<void> FaultInjector::SetPlan(const json::object& plan,
                                    std::span<const std::string_view> operations) {
  SB_ASSIGN_OR_RETURN(FaultPlan read, ReadFaultPlan(plan, operations));
  SetPlan(std::move(read));
  return {};
}

void FaultInjector::Restart() {
  counts_.assign(plan_.rules.size(), Counts{});
  random_ = Random(plan_.seed.value_or(simulation_->seed));
}

Millis FaultInjector::longest_read_lag() const {
  Millis longest{0};
  for (const FaultRule& rule : plan_.rules) {
    if (rule.fault.kind == FaultKind::kReadLag) longest += rule.fault.time;
  }
  return longest;
}

json::object FaultInjector::ToJson() const {
  json::array hits;
  for (std::size_t i = 0; i < plan_.rules.size(); ++i) {
    json::object row;
    row["rule"] = i;
    if (!plan_.rules[i].name.empty()) row["name"] = plan_.rules[i].name;
    row["matched"] = counts_[i].matched;
    row["hits"] = counts_[i].hits;
    hits.push_back(std::move(row));
  }
  json::object out;
  out["plan"] = plan_.source;
  out["hits"] = std::move(hits);
  return out;
}

bool FaultInjector::Fires(const FaultRule& rule, Counts& counts) {
  if (counts.matched < rule.from || (rule.to && counts.matched > *rule.to)) return false;
  if (rule.times && counts.hits >= *rule.times) return false;
  if (rule.probability < 1 && !random_.Chance(rule.probability)) return false;
  ++counts.hits;
  return true;
}

FaultInjector::Verdict FaultInjector::Decide(std::string_view operation,
                                             const FaultSubject& subject) {
  Verdict verdict;
  for (std::size_t i = 0; i < plan_.rules.size(); ++i) {
    const FaultRule& rule = plan_.rules[i];
    if (!Fits(rule, operation, subject)) continue;
    ++counts_[i].matched;
    const bool adds_up =
        rule.fault.kind == FaultKind::kLatency || rule.fault.kind == FaultKind::kReadLag;
    if ((!adds_up && verdict.fault) || !Fires(rule, counts_[i])) continue;
    if (!adds_up) {
      verdict.fault = rule.fault;
    } else if (rule.fault.kind == FaultKind::kLatency) {
      verdict.latency += rule.fault.time;
    } else {
      verdict.read_lag += rule.fault.time;
    }
  }
  return verdict;
}

asio::awaitable<http::Response> FaultInjector::Around(std::string_view operation,
                                                      FaultSubject subject, Serve serve) {
  const Verdict verdict = Decide(operation, subject);
  http::Response response;
  if (verdict.fault) {
    response = co_await Answer(*verdict.fault, verdict.read_lag, std::move(serve));
  } else {
    response = serve(verdict.read_lag);
  }
  if (verdict.latency > Millis{0}) {
    asio::steady_timer timer(executor_, verdict.latency);
    boost::system::error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  co_return response;
}

asio::awaitable<http::Response> FaultInjector::Answer(Fault fault, Millis read_lag, Serve serve) {
  switch (fault.kind) {
    case FaultKind::kStatus:
      co_return StatusAnswer(fault);
    case FaultKind::kDropBefore:
      co_return NoAnswer();
    case FaultKind::kTooManyRequests:
      co_return TooManyRequestsAnswer(fault);
    case FaultKind::kHtml:
      co_return ProxyPage(fault.status);
    case FaultKind::kDelayedExecution:
      co_return ExecuteLater(fault, read_lag, std::move(serve));
    default:
      break;
  }
  http::Response response = serve(read_lag);
  switch (fault.kind) {
    case FaultKind::kDropAfter:
      co_return NoAnswer();
    case FaultKind::kStatusAfter:
      co_return ErrorAnswer(fault.status, "");
    case FaultKind::kReset:
      response.reset_after_bytes = fault.bytes;
      break;
    case FaultKind::kGarble:
      response = Garbled(std::move(response));
      break;
    case FaultKind::kTruncate:
      response = co_await CutShort(std::move(response), fault.bytes);
      break;
    case FaultKind::kSlowBody:
      response = Slowed(std::move(response), fault.bytes, executor_);
      break;
    default:
      break;
  }
  co_return response;
}

http::Response FaultInjector::ExecuteLater(const Fault& fault, Millis read_lag, Serve serve) {
  if (late_effects_.use_count() <= kMaxLateEffects) {
    simulation_->timeline.After(fault.time, [serve = std::move(serve), read_lag,
                                             counted = late_effects_] { serve(read_lag); });
  }
  return NoAnswer();
}

std::optional<Fault> FaultInjector::OnWebhook(const Order& order) {
  if (empty()) return std::nullopt;
  return Decide(kWebhookOperation, {.order = order.id.ToString(),
                                    .merchant_order_id = order.merchant_order_id.value_or("")})
      .fault;
}

}  // namespace tollbridge::sandbox
