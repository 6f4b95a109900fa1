#ifndef TOLLBRIDGE_BASE_TELEMETRY_METRIC_LABELS_H_
#define TOLLBRIDGE_BASE_TELEMETRY_METRIC_LABELS_H_

#include <array>
#include <string_view>

#include "base/telemetry/metrics.h"

/// What the labels of metric_definitions.h can say, and the buckets of its histograms.
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
inline constexpr std::array<std::string_view, 6> kOperationStates = {
    "running", "done", "unknown", "not_executed", "needs_review", "awaits_approval"};
inline constexpr std::array<std::string_view, 3> kUnresolvedStates = {"running", "unknown",
                                                                      "awaits_approval"};
/// Of those without an outcome whose age counts.
inline constexpr std::array<std::string_view, 2> kAgingStates = {"unknown", "needs_review"};
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
/// Why a store has a new epoch (adapters/redis/scripts/learn_epoch.lua). failover: another server
/// was promoted. restart: another process answers, and nothing shows that it was a replica.
inline constexpr std::array<std::string_view, 3> kEpochCauses = {"memory_lost", "restart",
                                                                 "failover"};
inline constexpr std::array<std::string_view, 5> kRedisResults = {"ok", "error", "refused",
                                                                  "timeout", "unavailable"};
/// What records are for; which topics they are on is configured. kafka::Purpose.
inline constexpr std::array<std::string_view, 5> kProducePurposes = {
    "hints", "events", "heartbeats", "operations", "dead_letters"};
/// late: not acknowledged by the deadline. unavailable: the brokers, or the client, did not take
/// it. not_open: it is not known yet whether the topics last. The others: the topic does not take
/// it.
inline constexpr std::array<std::string_view, 5> kProduceFailures = {
    "late", "unavailable", "not_open", "too_large", "refused"};
/// What cannot be taken. secret: a file of lines. tls: certificates, keys, authorities and lists of
/// revocations. redis, kafka: what the server does not accept. callers: the configuration.
inline constexpr std::array<std::string_view, 6> kSecretKinds = {
    "secret", "tls", "operation_keys", "redis", "kafka", "callers"};
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
inline constexpr std::string_view kByScripts = "adapters/redis/scripts";
inline constexpr std::string_view kByPartitions = "kafka.partitions";
inline constexpr std::string_view kByShards = "process.shards";
inline constexpr std::string_view kByReasons = "tests/data/reasons.golden";
inline constexpr std::string_view kByCertificates = "the files of the configuration";

inline constexpr LabelDef kGrpcServiceLabel{"grpc_service", {}, kByDescriptors};
inline constexpr LabelDef kGrpcMethodLabel{"grpc_method", {}, kByDescriptors};
inline constexpr LabelDef kGrpcCodeLabel{"grpc_code", kGrpcCodes, {}};
inline constexpr LabelDef kPurposeLabel{"purpose", kProducePurposes, {}};
/// other: of no project that is configured, as a webhook without a token.
inline constexpr LabelDef kProjectLabel{"project", {}, kByConfiguration};
inline constexpr LabelDef kOutboundOperationLabel{"operation", kOutboundOperations, {}};

/// Seconds, from a Redis round trip at its quickest to its longest deadline.
inline constexpr std::array<double, 14> kStoreSeconds = {
    0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5};
/// Seconds, from a quick call to the longest deadline.
inline constexpr std::array<double, 14> kCallSeconds = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};
/// Seconds, from a webhook handled at once to one that had to wait for a poll the next day.
inline constexpr std::array<double, 13> kPipelineSeconds = {0.01, 0.05, 0.1, 0.5,  1,     5,    10,
                                                            30,   60,   300, 3600, 21600, 86400};

}  // namespace tollbridge::telemetry

#endif  // TOLLBRIDGE_BASE_TELEMETRY_METRIC_LABELS_H_
