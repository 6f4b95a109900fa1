#ifndef TOLLBRIDGE_BASE_TELEMETRY_METRIC_DEFINITIONS_H_
#define TOLLBRIDGE_BASE_TELEMETRY_METRIC_DEFINITIONS_H_

#include <array>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/telemetry/metric_labels.h"
#include "base/telemetry/metrics.h"

/// Every metric of the product, declared once. docs/metrics.md shows the whole list.
namespace tollbridge::telemetry {

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
inline constexpr HistogramDef kRpcOwnSeconds{
    "tollbridge_rpc_own_seconds",
    "Time from the request to the status of an RPC, less what it waited for the payment service; "
    "no streams.",
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

/// Settings of rpc.limits_per_caller.
inline constexpr std::array<std::string_view, 3> kCallerLimitNames = {
    "calls_per_second", "max_in_flight", "max_watchers"};
inline constexpr CounterDef kRpcCallerLimited{
    "tollbridge_rpc_caller_limited_total",
    "RPCs refused because their caller had its fill, by the limit.",
    {{"limit", kCallerLimitNames, {}}}};

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
/// Who has to do something about it. store: Redis is away, in doubt or full.
inline constexpr std::array<std::string_view, 4> kBlamed = {"caller", "payment_service", "store",
                                                            "us"};
inline constexpr CounterDef kRpcFailures{
    "tollbridge_rpc_failures_total",
    "RPCs that ended with an error, by its reason and by who is to blame for it.",
    {{"reason", {}, kByReasons}, {"blame", kBlamed, {}}}};
inline constexpr GaugeDef kRpcInFlight{"tollbridge_rpc_in_flight",
                                       "RPCs that began and have not ended, streams among them.",
                                       {{"shard", {}, kByShards}}};

// Outbound exchanges with the payment service.

inline constexpr CounterDef kOutboundExchanges{
    "tollbridge_outbound_exchanges_total",
    "HTTP attempts at the payment service, by client operation and what is known of them.",
    {kOutboundOperationLabel, {"outcome", kExchangeOutcomes, {}}, kProjectLabel}};
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
inline constexpr std::array<std::string_view, 5> kStatusClasses = {"1xx", "2xx", "3xx", "4xx",
                                                                   "5xx"};
inline constexpr CounterDef kOutboundAnswers{
    "tollbridge_outbound_answers_total",
    "Answers of the payment service, by client operation and class of HTTP status.",
    {kOutboundOperationLabel, {"status_class", kStatusClasses, {}}}};
/// payment_service::Origin.
inline constexpr std::array<std::string_view, 3> kOutboundOrigins = {"service", "vault",
                                                                     "wallet_tokens"};
inline constexpr HistogramDef kOutboundPoolWait{
    "tollbridge_outbound_pool_wait_seconds",
    "How long an attempt waited for a connection to the payment service, by host.",
    {{"origin", kOutboundOrigins, {}}},
    kCallSeconds};
inline constexpr HistogramDef kOutboundConnect{
    "tollbridge_outbound_connect_seconds",
    "Time to resolve, connect and shake hands, of attempts with a connection of their own.",
    {{"origin", kOutboundOrigins, {}}},
    kCallSeconds};

// Durable operations.

inline constexpr CounterDef kOperations{
    "tollbridge_operations_total",
    "Durable operations that entered a state, by RPC.",
    {{"rpc", {}, kByDescriptors}, {"state", kOperationStates, {}}, kProjectLabel}};
inline constexpr std::array<std::string_view, 2> kMoneyKinds = {"refunds", "payouts"};
inline constexpr std::array<std::string_view, 2> kMoneyMeasures = {"amount", "count"};
inline constexpr CounterDef kMoneyLimited{
    "tollbridge_money_limited_total",
    "Mutations refused because a limit of the day would have been passed, by what goes out and "
    "what "
    "is limited of it.",
    {{"kind", kMoneyKinds, {}}, {"measure", kMoneyMeasures, {}}}};
/// answered: in the call. recovered: by evidence of its effect. absence: there was none. person.
inline constexpr std::array<std::string_view, 4> kSettledHow = {"answered", "recovered", "absence",
                                                                "person"};
inline constexpr HistogramDef kOperationSettled{
    "tollbridge_operation_settled_seconds",
    "Time from when an operation was sent until its outcome was recorded, by what showed it.",
    {{"how", kSettledHow, {}}},
    kPipelineSeconds};
inline constexpr CounterDef kOperationsReplayed{"tollbridge_operations_replayed_total",
                                                "Calls answered with a stored outcome, by RPC.",
                                                {{"rpc", {}, kByDescriptors}}};
inline constexpr GaugeDef kOldestUnresolvedOperation{
    "tollbridge_oldest_unresolved_operation_seconds",
    "Age of the project's oldest operation in UNKNOWN or NEEDS_REVIEW, by state; 0 when there is "
    "none.",
    {{"project", {}, kByConfiguration}, {"state", kAgingStates, {}}}};
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
inline constexpr CounterDef kEpochChanges{
    "tollbridge_store_epoch_changes_total",
    "New epochs of the store, from each of which on it is doubted, by what this process saw.",
    {{"store", {}, kByStores}, {"cause", kEpochCauses, {}}}};
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
                                      "Webhook deliveries, by what became of them and the project.",
                                      {{"result", kWebhookResults, {}}, kProjectLabel}};
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
                                   "Order reads of the event pipeline, by result and project.",
                                   {{"result", kReadResults, {}}, kProjectLabel}};
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
inline constexpr HistogramDef kChangeToEvent{
    "tollbridge_change_to_event_seconds",
    "Time from a change at the payment service to the broker's confirmation of its event, by who "
    "told of it first.",
    {{"source", kHintSources, {}}},
    kPipelineSeconds};
inline constexpr HistogramDef kWebhookSeconds{
    "tollbridge_webhook_seconds",
    "Time from a webhook's last byte to its answer, by what became of it.",
    {{"result", kWebhookResults, {}}},
    kCallSeconds};

// The process.

inline constexpr GaugeDef kPoolConnections{
    "tollbridge_pool_connections",
    "Connections to the payment service, over all shards; waiting = calls waiting for one.",
    {{"state", kPoolStates, {}}}};
inline constexpr CounterDef kRedisCommands{
    "tollbridge_redis_commands_total",
    "Commands sent to Redis, by store and result.",
    {{"store", {}, kByStores}, {"result", kRedisResults, {}}}};
inline constexpr HistogramDef kRedisSeconds{
    "tollbridge_redis_seconds",
    "How long who runs a script of Redis waits for it, by store; other: plain commands.",
    {{"store", {}, kByStores}, {"script", {}, kByScripts}},
    kStoreSeconds};
inline constexpr CounterDef kRedisReconnects{
    "tollbridge_redis_reconnects_total",
    "How often a connection to the store was made again after it was lost.",
    {{"store", {}, kByStores}}};
inline constexpr CounterDef kReplicasMissing{
    "tollbridge_redis_replicas_missing_total",
    "Claims, steps and results that fewer replicas of the store have than redis.min_replicas.",
    {{"store", {}, kByStores}}};
inline constexpr GaugeDef kStoreReady{"tollbridge_store_ready",
                                      "1 while the store takes commands of this process, else 0.",
                                      {{"store", {}, kByStores}}};
inline constexpr GaugeDef kStoreMemory{"tollbridge_store_memory_used_ratio",
                                       "Of the memory that Redis may take (maxmemory), what it has "
                                       "taken; absent without such a bound.",
                                       {{"store", {}, kByStores}}};
inline constexpr GaugeDef kConsumerLag{
    "tollbridge_kafka_consumer_lag",
    "Hints of the partition that are there and that its reader, this process, has not taken yet.",
    {{"partition", {}, kByPartitions}}};
inline constexpr GaugeDef kAssignedPartitions{
    "tollbridge_kafka_assigned_partitions",
    "Partitions of hints that this reader has; those of all readers are all that there are.",
    {}};
inline constexpr CounterDef kRebalances{
    "tollbridge_kafka_rebalances_total",
    "How often the group gave this reader its share of the partitions, the first time included.",
    {}};
inline constexpr HistogramDef kProduceSeconds{
    "tollbridge_kafka_produce_seconds",
    "Time until the broker acknowledged a record, by what the record is for.",
    {kPurposeLabel},
    kCallSeconds};
inline constexpr CounterDef kProduceFailed{
    "tollbridge_kafka_produce_failures_total",
    "Records that were not acknowledged in time or not taken, by what they are for and why.",
    {kPurposeLabel, {"reason", kProduceFailures, {}}}};
inline constexpr GaugeDef kShardLag{
    "tollbridge_shard_lag_seconds",
    "How long a shard took to come to what it was given at the last scrape, or is taking yet.",
    {{"shard", {}, kByShards}}};
inline constexpr GaugeDef kCertificateNotAfter{
    "tollbridge_certificate_not_after_timestamp_seconds",
    "When the certificate in force for that use ends, Unix time; the first to end of a chain, the "
    "last of a file of authorities.",
    {{"use", {}, kByCertificates}}};
inline constexpr CounterDef kSecretFileFailures{"tollbridge_secret_file_read_failures_total",
                                                "Looks at what is exchanged while a process runs "
                                                "that found nothing to use, or what was refused; "
                                                "what was in force before is kept.",
                                                {{"what", kSecretKinds, {}}}};
inline constexpr CounterDef kSpansDropped{
    "tollbridge_spans_dropped_total", "Spans that the collector did not take.", {}};
inline constexpr CounterDef kLogLines{
    "tollbridge_log_lines_total", "Log lines, by severity.", {{"severity", kSeverities, {}}}};
inline constexpr CounterDef kLogLinesDropped{
    "tollbridge_log_lines_dropped_total",
    "Log lines lost because stdout did not take them, or not fast enough.",
    {}};
inline constexpr GaugeDef kBuildInfo{
    "tollbridge_build_info",
    "Always 1; the labels say what runs.",
    {{"version", {}, kByBuild}, {"revision", {}, kByBuild}, {"roles", {}, kByRoles}}};
inline constexpr GaugeDef kRole{
    "tollbridge_role", "Always 1; a series for each role of the process.", {{"role", kRoles, {}}}};

// The names that every Prometheus client gives these.

inline constexpr CounterDef kProcessCpu{
    "process_cpu_seconds_total", "CPU time of the process, user and system.", {}};
inline constexpr GaugeDef kProcessResident{
    "process_resident_memory_bytes", "Memory of the process that is in RAM.", {}};
inline constexpr GaugeDef kProcessVirtual{
    "process_virtual_memory_bytes", "Address space of the process.", {}};
inline constexpr GaugeDef kProcessOpenFds{
    "process_open_fds", "File descriptors that are open.", {}};
inline constexpr GaugeDef kProcessMaxFds{
    "process_max_fds", "File descriptors that may be open.", {}};
inline constexpr GaugeDef kProcessStart{
    "process_start_time_seconds", "When the process started, Unix time.", {}};

/// One metric with its Prometheus type, "counter", "gauge" or "histogram".
struct MetricListing {
  std::string_view type;
  const MetricDef* def;
};

/// All of the above, in that order.
std::vector<MetricListing> AllMetrics();

}  // namespace tollbridge::telemetry

#endif  // TOLLBRIDGE_BASE_TELEMETRY_METRIC_DEFINITIONS_H_
