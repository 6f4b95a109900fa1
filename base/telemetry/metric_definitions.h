#ifndef TOLLBRIDGE_BASE_TELEMETRY_METRIC_DEFINITIONS_H_
#define TOLLBRIDGE_BASE_TELEMETRY_METRIC_DEFINITIONS_H_

#include <array>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/telemetry/metrics.h"

/// Every metric of the product, declared once. tests/data/metrics.golden shows the whole list.
namespace tollbridge::telemetry {

// Closed sets of label values.

inline constexpr std::array<std::string_view, 17> kGrpcCodes = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};
/// Codes with which the gateway says that it did not do its work. The first SLO counts them.
inline constexpr std::array<std::string_view, 6> kServerFaults = {
    "UNKNOWN", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"};
/// The functions of the payment service's client that exchange something.
inline constexpr std::array<std::string_view, 17> kOutboundOperations = {"create_order",
                                                                         "initiate_transaction",
                                                                         "authenticate_transaction",
                                                                         "capture_transaction",
                                                                         "void_transaction",
                                                                         "create_refund",
                                                                         "get_order",
                                                                         "list_refunds",
                                                                         "search_orders",
                                                                         "read_report",
                                                                         "create_payment_link",
                                                                         "get_payment_link",
                                                                         "list_currencies",
                                                                         "store_card",
                                                                         "exchange_wallet_b_token",
                                                                         "execute_wallet_b_payment",
                                                                         "create_wallet_a_session"};
/// held_back: turned away by a link of the pipe, see kHeldBackBy.
inline constexpr std::array<std::string_view, 5> kExchangeOutcomes = {
    "answered", "refused", "not_sent", "unknown", "held_back"};
inline constexpr std::array<std::string_view, 3> kHeldBackBy = {"breaker", "rate_limit",
                                                                "in_flight"};
inline constexpr std::array<std::string_view, 5> kOperationStates = {
    "running", "done", "unknown", "not_executed", "needs_review"};
inline constexpr std::array<std::string_view, 2> kUnresolvedStates = {"running", "unknown"};
/// ports::review.
inline constexpr std::array<std::string_view, 7> kReviewReasons = {
    "LATE_EFFECT",           "ORPHAN_PAID",        "AMOUNT_DIFFERS",     "CURRENCY_DIFFERS",
    "ABSENT_NOT_REPEATABLE", "AMBIGUOUS_EVIDENCE", "EVIDENCE_UNREADABLE"};
/// What evidence showed, and what an operation became by it. lost: another resolver moved it on.
inline constexpr std::array<std::string_view, 11> kLookResults = {
    "present", "absent",       "no_target",   "undecided", "ambiguous", "not_executed",
    "done",    "needs_review", "late_effect", "lost",      "unreadable"};
inline constexpr std::array<std::string_view, 2> kOrphanKinds = {"unpaid", "paid"};
/// overloaded: too many waited for the broker already. too_slow: the header or body did not come in
/// time.
inline constexpr std::array<std::string_view, 8> kWebhookResults = {
    "accepted",  "wrong_token", "too_large",   "too_slow",
    "malformed", "over_limit",  "unavailable", "overloaded"};
inline constexpr std::array<std::string_view, 5> kHintSources = {"webhook", "poller", "sweep",
                                                                 "report", "member"};
/// Of hints that are written again until the order is read.
inline constexpr std::array<std::string_view, 2> kRepeatingSources = {"poller", "sweep"};
/// known: the snapshot shows the same or something newer. settled: ended so long ago that nothing
/// of it would be published.
inline constexpr std::array<std::string_view, 5> kSweepResults = {"hinted", "known", "settled",
                                                                  "unreadable", "waiting"};
inline constexpr std::array<std::string_view, 6> kUnreadableCauses = {
    "too_deep", "too_large", "bad_text", "bad_json", "not_an_order", "no_id"};
/// not_taken: the topic of dead letters does not take it either, not even cut.
inline constexpr std::array<std::string_view, 4> kDeadLetterCauses = {
    "unparsable", "unreadable_answer", "unknown_project", "not_taken"};
/// lost_compare: another reader was faster. orphan: an unpaid order that is no operation's outcome.
/// dropped: given up after the tries of docs/design/events.md#what-one-read-cannot-finish.
/// forwarded: a member, passed on to its root. member_failed: saved without a member that could not
/// be read. over_budget: not asked, the project's reads of that second were spent. gone: an order
/// of ours that was not found for a day, and is not looked for any more.
inline constexpr std::array<std::string_view, 13> kReadResults = {
    "changed", "unchanged", "stale",     "lost_compare",  "orphan",      "not_found", "refused",
    "failed",  "dropped",   "forwarded", "member_failed", "over_budget", "gone"};
inline constexpr std::array<std::string_view, 1> kUntoldCauses = {"before_baseline"};
inline constexpr std::array<std::string_view, 9> kEventKinds = {
    "payment", "authorization", "account_funding", "payout",  "capture",
    "void",    "refund",        "chargeback",      "reversal"};
inline constexpr std::array<std::string_view, 7> kEventWhats = {
    "created", "processing", "completed", "failed", "cancelled", "expired", "needs_review"};
inline constexpr std::array<std::string_view, 3> kPoolStates = {"idle", "in_use", "waiting"};
inline constexpr std::array<std::string_view, 4> kRedisResults = {"ok", "error", "timeout",
                                                                  "unavailable"};
inline constexpr std::array<std::string_view, 4> kSeverities = {"debug", "info", "warning",
                                                                "error"};

/// What a process does (gateway/config/needs.h).
inline constexpr std::array<std::string_view, 4> kRoles = {"rpc", "webhooks", "events",
                                                           "reconcile"};

inline constexpr std::string_view kByDescriptors = "the compiled-in descriptors";
inline constexpr std::string_view kByBuild = "the build";
inline constexpr std::string_view kByRoles = "the roles of the process";
inline constexpr std::string_view kByConfiguration = "the projects of the configuration";
inline constexpr std::string_view kByStores = "the stores of the configuration";

inline constexpr LabelDef kGrpcServiceLabel{"grpc_service", {}, kByDescriptors};
inline constexpr LabelDef kGrpcMethodLabel{"grpc_method", {}, kByDescriptors};
inline constexpr LabelDef kGrpcCodeLabel{"grpc_code", kGrpcCodes, {}};
inline constexpr LabelDef kOutboundOperationLabel{"operation", kOutboundOperations, {}};

/// Seconds, from a Redis round trip to the longest deadline.
inline constexpr std::array<double, 14> kCallSeconds = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};
/// Seconds, from a webhook handled at once to one that had to wait for a poll the next day.
inline constexpr std::array<double, 13> kPipelineSeconds = {0.01, 0.05, 0.1, 0.5,  1,     5,    10,
                                                            30,   60,   300, 3600, 21600, 86400};

// Inbound RPCs.

inline constexpr CounterDef kRpcStarted{"grpc_server_started_total",
                                        "RPCs that began, by method.",
                                        {kGrpcServiceLabel, kGrpcMethodLabel}};
inline constexpr CounterDef kRpcHandled{"grpc_server_handled_total",
                                        "RPCs that ended, by method and status code.",
                                        {kGrpcServiceLabel, kGrpcMethodLabel, kGrpcCodeLabel}};
inline constexpr HistogramDef kRpcSeconds{"grpc_server_handling_seconds",
                                          "Time from the request to the status of an RPC.",
                                          {kGrpcServiceLabel, kGrpcMethodLabel},
                                          kCallSeconds};
inline constexpr CounterDef kRpcUnparsable{"grpc_server_unparsable_total",
                                           "Requests whose bytes are not the method's message.",
                                           {kGrpcServiceLabel, kGrpcMethodLabel}};

// Callers.

inline constexpr std::array<std::string_view, 2> kCallerRefusals = {"CALLER_UNKNOWN",
                                                                    "PERMISSION_DENIED"};
inline constexpr CounterDef kRpcRefusedCallers{
    "tollbridge_rpc_refused_callers_total",
    "RPCs refused for who called, by method and reason.",
    {kGrpcServiceLabel, kGrpcMethodLabel, {"reason", kCallerRefusals, {}}}};
/// bound: more of one caller in a minute, or of all at once, than are recorded. full: nobody drains
/// them. store: it was away, or its answer did not come.
inline constexpr std::array<std::string_view, 3> kUnrecordedCauses = {"bound", "full", "store"};
inline constexpr CounterDef kRpcRefusalsUnrecorded{
    "tollbridge_rpc_refusals_unrecorded_total",
    "RPCs refused for want of a permission that have no record of their own, by cause.",
    {{"cause", kUnrecordedCauses, {}}}};

/// The names of base/wire/limits.h.
inline constexpr std::array<std::string_view, 19> kWireRefusalCauses = {
    "connections",  "address",       "no_descriptors", "handshake",       "protocol",
    "streams",      "request_bytes", "header_bytes",   "request_timeout", "held_bytes",
    "unsent_bytes", "compressed",    "resets",         "settings",        "pings",
    "empty_frames", "keepalive",     "stalled",        "malformed"};
inline constexpr CounterDef kWireRefusals{
    "tollbridge_rpc_wire_refusals_total",
    "Connections and requests that the gRPC port refused or ended, by the bound or the rule.",
    {{"cause", kWireRefusalCauses, {}}}};
inline constexpr GaugeDef kWireConnections{
    "tollbridge_rpc_connections", "Open connections of the gRPC port.", {}};
inline constexpr GaugeDef kWireHeldBytes{
    "tollbridge_rpc_held_bytes", "Bytes of requests that are not there in whole.", {}};
inline constexpr GaugeDef kWireUnsentBytes{
    "tollbridge_rpc_unsent_bytes", "Bytes of answers that wait for their callers.", {}};

// Outbound exchanges with the payment service.

inline constexpr CounterDef kOutboundExchanges{
    "tollbridge_outbound_exchanges_total",
    "HTTP attempts at the payment service, by client operation and what is known of them.",
    {kOutboundOperationLabel, {"outcome", kExchangeOutcomes, {}}}};
inline constexpr HistogramDef kOutboundSeconds{"tollbridge_outbound_seconds",
                                               "Time of one HTTP attempt at the payment service.",
                                               {kOutboundOperationLabel},
                                               kCallSeconds};
inline constexpr CounterDef kOutboundRetries{
    "tollbridge_outbound_retries_total",
    "Attempts after the first: of reads, and of mutations of which no byte had left.",
    {kOutboundOperationLabel}};
inline constexpr CounterDef kOutboundRetriesDenied{
    "tollbridge_outbound_retries_denied_total",
    "Attempts after the first that were not made because the retry budget was spent.",
    {kOutboundOperationLabel}};
inline constexpr CounterDef kOutboundHeldBack{
    "tollbridge_outbound_held_back_total",
    "Attempts that were turned away before anything was tried, by what turned them away.",
    {{"by", kHeldBackBy, {}}}};
inline constexpr GaugeDef kOutboundBreakersOpen{
    "tollbridge_outbound_breakers_open",
    "Breakers that are not closed; each shard has one for each host.",
    {}};
inline constexpr CounterDef kOutboundBreakerOpened{
    "tollbridge_outbound_breaker_opened_total",
    "How often a breaker opened, after a failed probe included.",
    {}};
inline constexpr GaugeDef kOutboundInFlight{
    "tollbridge_outbound_in_flight", "Exchanges with the payment service under way.", {}};

// Durable operations.

inline constexpr CounterDef kOperations{
    "tollbridge_operations_total",
    "Durable operations that entered a state, by RPC.",
    {{"rpc", {}, kByDescriptors}, {"state", kOperationStates, {}}}};
inline constexpr CounterDef kOperationsReplayed{"tollbridge_operations_replayed_total",
                                                "Calls answered with a stored outcome, by RPC.",
                                                {{"rpc", {}, kByDescriptors}}};
inline constexpr GaugeDef kOldestUnresolvedOperation{
    "tollbridge_oldest_unresolved_operation_seconds",
    "Age of the project's oldest operation in UNKNOWN or NEEDS_REVIEW; 0 when there is none.",
    {{"project", {}, kByConfiguration}}};
inline constexpr GaugeDef kOperationsUnresolved{
    "tollbridge_operations_unresolved",
    "Operations without an outcome that end by themselves, by project and state.",
    {{"project", {}, kByConfiguration}, {"state", kUnresolvedStates, {}}}};
inline constexpr GaugeDef kOperationsNeedReview{
    "tollbridge_operations_needs_review",
    "Operations and review records that wait for a person, by project and reason.",
    {{"project", {}, kByConfiguration}, {"reason", kReviewReasons, {}}}};
inline constexpr GaugeDef kOldestUndrainedRecord{
    "tollbridge_oldest_undrained_operation_record_seconds",
    "Age of the project's oldest transition that is not on the operations topic yet; 0 when there "
    "is none.",
    {{"project", {}, kByConfiguration}}};
inline constexpr GaugeDef kStoreDoubt{
    "tollbridge_store_doubt_seconds",
    "For how long yet the store may have forgotten operations of the project; 0: not in doubt.",
    {{"project", {}, kByConfiguration}}};
inline constexpr CounterDef kOperationRecords{
    "tollbridge_operation_records_total",
    "Transitions of operations confirmed by the broker; repeats are counted again.",
    {}};
inline constexpr CounterDef kRefusedCallRecords{
    "tollbridge_refused_call_records_total",
    "Records of refused calls confirmed by the broker; repeats are counted again.",
    {}};
inline constexpr CounterDef kResolverPasses{
    "tollbridge_resolver_passes_total",
    "Passes over the project's operations whose evidence is due that came to their end.",
    {{"project", {}, kByConfiguration}}};
inline constexpr CounterDef kResolverResults{
    "tollbridge_resolver_results_total",
    "Looks at the evidence of operations, by what was seen and by what became of them.",
    {{"result", kLookResults, {}}}};
inline constexpr CounterDef kLateEffects{
    "tollbridge_late_effects_total",
    "Successes that came after their operation or attempt was given up, by RPC.",
    {{"rpc", {}, kByDescriptors}}};
inline constexpr CounterDef kDescriptionMarksLost{
    "tollbridge_description_marks_lost_total",
    "Answers that show a description without the operation's mark, which was sent in it.",
    {{"project", {}, kByConfiguration}}};
inline constexpr CounterDef kStoreClockSteps{
    "tollbridge_store_clock_steps_total",
    "Steps of the store's clock against the process' own, as the resolver of the project saw them.",
    {{"project", {}, kByConfiguration}}};
inline constexpr GaugeDef kResultsUnrecorded{
    "tollbridge_results_unrecorded",
    "Results of operations that the store has not taken yet; they are tried again.",
    {}};
inline constexpr CounterDef kResultsRefused{
    "tollbridge_results_refused_total",
    "Tries to record a result that the store refused, and not for being away.",
    {}};
inline constexpr CounterDef kOrphans{
    "tollbridge_orphans_total",
    "Reads of orders that carry a mark and are no operation's outcome.",
    {{"kind", kOrphanKinds, {}}}};

// Webhooks to events.

inline constexpr GaugeDef kOldestDueOrder{
    "tollbridge_due_orders_oldest_seconds",
    "How long the order that is most overdue has not been read, hinted at or not; 0 when none is.",
    {}};
inline constexpr GaugeDef kOldestHint{
    "tollbridge_hints_oldest_seconds",
    "Age of the oldest hint taken from the hints topic and not finished; 0 when there is none.",
    {}};
inline constexpr GaugeDef kOutboxesPending{
    "tollbridge_outboxes_pending",
    "Families of the project whose decided events are not known to be published yet.",
    {{"project", {}, kByConfiguration}}};
inline constexpr GaugeDef kOldestOutbox{
    "tollbridge_outboxes_oldest_seconds",
    "Age of the project's oldest decided events that are not known to be published; 0 when there "
    "are none.",
    {{"project", {}, kByConfiguration}}};
inline constexpr CounterDef kWebhooks{"tollbridge_webhooks_total",
                                      "Webhook deliveries, by what became of them.",
                                      {{"result", kWebhookResults, {}}}};
inline constexpr CounterDef kWebhookConnectionsShed{
    "tollbridge_webhook_connections_shed_total",
    "Connections of the ingress that were closed while they waited for their peer, for others.",
    {}};
inline constexpr CounterDef kHints{"tollbridge_hints_total",
                                   "Hints written to the hints topic, by where they came from.",
                                   {{"source", kHintSources, {}}}};
inline constexpr CounterDef kSweepOrders{
    "tollbridge_sweep_orders_total",
    "Orders that the search sweep found, by what became of them.",
    {{"result", kSweepResults, {}}}};
inline constexpr CounterDef kUnreadableOrders{
    "tollbridge_unreadable_orders_total",
    "Orders in pages of searches that cannot be read and were passed over, by what is wrong.",
    {{"cause", kUnreadableCauses, {}}}};
inline constexpr CounterDef kSweepFailures{
    "tollbridge_sweep_failures_total",
    "Passes of the search sweep that stopped at an error; they go on where they were.",
    {}};
inline constexpr GaugeDef kSweepEnded{
    "tollbridge_sweep_ended_timestamp_seconds",
    "When the last pass over the project that this process knows of came to its end, Unix time.",
    {{"project", {}, kByConfiguration}}};
inline constexpr CounterDef kHintsDeadLettered{"tollbridge_hints_dead_lettered_total",
                                               "Hints that were buried, by cause.",
                                               {{"cause", kDeadLetterCauses, {}}}};
inline constexpr CounterDef kHintsOfUnknownProjects{
    "tollbridge_hints_unknown_project_total",
    "Hints passed over since this process has no such project, by who writes them again.",
    {{"source", kRepeatingSources, {}}}};
inline constexpr CounterDef kReads{"tollbridge_reads_total",
                                   "Order reads of the event pipeline, by result.",
                                   {{"result", kReadResults, {}}}};
inline constexpr CounterDef kEventsPublished{
    "tollbridge_events_published_total",
    "Domain events confirmed by the broker, by kind and what happened.",
    {{"kind", kEventKinds, {}}, {"what", kEventWhats, {}}}};
inline constexpr CounterDef kEventsUntold{
    "tollbridge_events_untold_total",
    "Outcomes recorded without an event, by cause: of orders first seen, from before the baseline.",
    {{"cause", kUntoldCauses, {}}}};
/// too_large: for max.message.bytes of the topic. refused: the topic takes no such records.
inline constexpr std::array<std::string_view, 2> kEventRefusals = {"too_large", "refused"};
inline constexpr CounterDef kEventsRefused{
    "tollbridge_events_refused_total",
    "Tries to publish an event that the topic does not take, by cause; its family waits.",
    {{"cause", kEventRefusals, {}}}};
inline constexpr std::array<std::string_view, 2> kHeartbeatResults = {"written", "failed"};
inline constexpr CounterDef kHeartbeats{
    "tollbridge_heartbeats_total",
    "Heartbeats of partitions of events, by whether the broker confirmed them.",
    {{"result", kHeartbeatResults, {}}}};
inline constexpr HistogramDef kWebhookToEvent{
    "tollbridge_webhook_to_event_seconds",
    "Time from accepting a webhook to the broker's confirmation of the event it led to.",
    {},
    kPipelineSeconds};

// The process.

inline constexpr GaugeDef kPoolConnections{
    "tollbridge_pool_connections",
    "Connections to the payment service, over all shards; waiting = calls waiting for one.",
    {{"state", kPoolStates, {}}}};
inline constexpr CounterDef kRedisCommands{
    "tollbridge_redis_commands_total",
    "Commands sent to Redis, by store and result.",
    {{"store", {}, kByStores}, {"result", kRedisResults, {}}}};
inline constexpr GaugeDef kStoreReady{"tollbridge_store_ready",
                                      "1 while the store takes commands of this process, else 0.",
                                      {{"store", {}, kByStores}}};
inline constexpr CounterDef kLogLines{
    "tollbridge_log_lines_total", "Log lines, by severity.", {{"severity", kSeverities, {}}}};
inline constexpr CounterDef kLogLinesDropped{
    "tollbridge_log_lines_dropped_total",
    "Log lines lost because stdout did not take them fast enough.",
    {}};
inline constexpr GaugeDef kBuildInfo{
    "tollbridge_build_info",
    "Always 1; the labels say what runs.",
    {{"version", {}, kByBuild}, {"revision", {}, kByBuild}, {"roles", {}, kByRoles}}};
inline constexpr GaugeDef kRole{
    "tollbridge_role", "Always 1; a series for each role of the process.", {{"role", kRoles, {}}}};

/// One metric with its Prometheus type, "counter", "gauge" or "histogram".
struct MetricListing {
  std::string_view type;
  const MetricDef* def;
};

/// All of the above, in that order.
std::vector<MetricListing> AllMetrics();

}  // namespace tollbridge::telemetry

#endif  // TOLLBRIDGE_BASE_TELEMETRY_METRIC_DEFINITIONS_H_
