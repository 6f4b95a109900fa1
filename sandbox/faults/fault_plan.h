#ifndef TOLLBRIDGE_SANDBOX_FAULTS_FAULT_PLAN_H_
#define TOLLBRIDGE_SANDBOX_FAULTS_FAULT_PLAN_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/clock.h"
#include "sandbox/core/model.h"
#include "sandbox/core/result.h"

namespace tollbridge::sandbox {

/// The operation of rules about webhooks; every other operation is a route's name.
inline constexpr std::string_view kWebhookOperation = "webhook";

/// What goes wrong. "Effect" means that the call is carried out.
enum class FaultKind {
  kLatency,           ///< effect; the answer is held back, in real time
  kStatus,            ///< no effect; answered with a status
  kDropBefore,        ///< no effect; the connection dies
  kDropAfter,         ///< effect; the connection dies
  kReset,             ///< effect; the connection dies in the middle of the answer
  kGarble,            ///< effect; the body is damaged so that it is not JSON
  kTruncate,          ///< effect; a well-formed answer with part of the body
  kSlowBody,          ///< effect; the body trickles, in real time
  kTooManyRequests,   ///< no effect; 429
  kStatusAfter,       ///< effect; answered with an error status all the same
  kHtml,              ///< no effect; a proxy's page
  kDelayedExecution,  ///< the connection dies at once, the effect comes later
  kReadLag,           ///< reads show an earlier state
  kLose,              ///< webhook: never sent
  kDuplicate,         ///< webhook: sent more than once
  kDelay,             ///< webhook: sent later
  kReorder,           ///< webhook: sent after the next one of its order
};

struct Fault {
  FaultKind kind = FaultKind::kLatency;
  /// latency; delayed_execution, read_lag and delay, these three on the sandbox's clock.
  Millis time{0};
  /// status, status_after, html.
  int status = 0;
  /// status: the error object's type; empty: the usual one of the status.
  std::string type;
  /// status: JSON text in place of the error object.
  std::optional<std::string> body;
  /// reset: of the whole answer, header included; truncate: of the body; slow_body: per second.
  std::size_t bytes = 0;
  /// too_many_requests; nullopt: no Retry-After header.
  std::optional<std::int64_t> retry_after_seconds;
  /// duplicate: further times.
  int times = 1;
};

/// When a fault happens, and which.
struct FaultRule {
  std::string name;
  /// Empty: every operation for which the fault exists.
  std::vector<std::string> operations;
  /// Order id as text; empty: any.
  std::string order;
  std::optional<std::string> merchant_order_id;
  /// Which of the calls that match all above, counted from 1.
  std::int64_t from = 1;
  std::optional<std::int64_t> to;
  double probability = 1.0;
  /// How often at most; nullopt: always.
  std::optional<std::int64_t> times;
  Fault fault;
};

struct FaultPlan {
  /// nullopt: the sandbox's own seed.
  std::optional<std::uint64_t> seed;
  std::vector<FaultRule> rules;
  /// As it was read.
  boost::json::object source;
};

/// Reads
///     {"seed"?: N, "rules"?: [{"name"?, "on"?: {...}, "fault": {"kind": ..., ...}}]}
/// `on`: operation (one or a list of `operations`, or "webhook"), order, merchant_order_id, nth or
/// from and to, probability (0 to 1), times. `fault` by its kind:
///     latency {milliseconds}, status {status, body?, type?}, drop_before, drop_after,
///     reset {after_bytes}, garble, truncate {after_bytes}, slow_body {bytes_per_second},
///     too_many_requests {retry_after_seconds?}, status_after {status}, html {status?: 502},
///     delayed_execution {seconds}, read_lag {seconds};
///     for webhooks: lose, duplicate {times?: 1}, delay {seconds}, reorder
/// {} is the plan without faults. 422 names the field and its rule: `rules[0].on.nth must be ...`.
Result<FaultPlan> ReadFaultPlan(const boost::json::object& source,
                                std::span<const std::string_view> operations);

/// Whether it is about webhooks, and not about calls.
bool IsForWebhooks(FaultKind kind);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_FAULTS_FAULT_PLAN_H_
