#include "base/telemetry/metric_definitions.h"

namespace tollbridge::telemetry {

std::vector<MetricListing> AllMetrics() {
  std::vector<MetricListing> all;
  const auto add = [&all]<typename Def>(const Def& def) {
    if constexpr (std::is_same_v<Def, CounterDef>) {
      all.push_back({"counter", &def});
    } else if constexpr (std::is_same_v<Def, GaugeDef>) {
      all.push_back({"gauge", &def});
    } else {
      static_assert(std::is_same_v<Def, HistogramDef>);
      all.push_back({"histogram", &def});
    }
  };
  add(kRpcStarted);
  add(kRpcHandled);
  add(kRpcSeconds);
  add(kRpcOwnSeconds);
  add(kRpcUnparsable);
  add(kRpcRefusedCallers);
  add(kRpcRefusalsUnrecorded);
  add(kRpcCallerLimited);
  add(kWireRefusals);
  add(kWireConnections);
  add(kWireHeldBytes);
  add(kWireUnsentBytes);
  add(kRpcFailures);
  add(kRpcInFlight);
  add(kOutboundExchanges);
  add(kOutboundSeconds);
  add(kOutboundRetries);
  add(kOutboundRetriesDenied);
  add(kOutboundHeldBack);
  add(kOutboundBreakersOpen);
  add(kOutboundBreakerOpened);
  add(kOutboundInFlight);
  add(kOutboundAnswers);
  add(kOutboundPoolWait);
  add(kOutboundConnect);
  add(kOperations);
  add(kMoneyLimited);
  add(kOperationSettled);
  add(kOperationsReplayed);
  add(kOldestUnresolvedOperation);
  add(kOperationsUnresolved);
  add(kOperationsNeedReview);
  add(kOldestUndrainedRecord);
  add(kStoreDoubt);
  add(kEpochChanges);
  add(kOperationRecords);
  add(kRefusedCallRecords);
  add(kResolverPasses);
  add(kResolverResults);
  add(kLateEffects);
  add(kDescriptionMarksLost);
  add(kStoreClockSteps);
  add(kResultsUnrecorded);
  add(kResultsRefused);
  add(kOrphans);
  add(kOldestDueOrder);
  add(kOldestHint);
  add(kOutboxesPending);
  add(kOldestOutbox);
  add(kWebhooks);
  add(kWebhookConnectionsShed);
  add(kHints);
  add(kSweepOrders);
  add(kUnreadableOrders);
  add(kSweepFailures);
  add(kSweepEnded);
  add(kHintsDeadLettered);
  add(kHintsOfUnknownProjects);
  add(kReads);
  add(kEventsPublished);
  add(kEventsUntold);
  add(kEventsRefused);
  add(kHeartbeats);
  add(kWebhookToEvent);
  add(kChangeToEvent);
  add(kWebhookSeconds);
  add(kPoolConnections);
  add(kRedisCommands);
  add(kRedisSeconds);
  add(kRedisReconnects);
  add(kReplicasMissing);
  add(kStoreReady);
  add(kStoreMemory);
  add(kConsumerLag);
  add(kAssignedPartitions);
  add(kRebalances);
  add(kProduceSeconds);
  add(kProduceFailed);
  add(kShardLag);
  add(kCertificateNotAfter);
  add(kSecretFileFailures);
  add(kSpansDropped);
  add(kLogLines);
  add(kLogLinesDropped);
  add(kBuildInfo);
  add(kRole);
  add(kProcessCpu);
  add(kProcessResident);
  add(kProcessVirtual);
  add(kProcessOpenFds);
  add(kProcessMaxFds);
  add(kProcessStart);
  return all;
}

}  // namespace tollbridge::telemetry
