#ifndef TOLLBRIDGE_GATEWAY_WIRING_PROCESS_GAUGES_H_
#define TOLLBRIDGE_GATEWAY_WIRING_PROCESS_GAUGES_H_

#include <string>
#include <vector>

#include "base/core/shard.h"
#include "base/telemetry/metrics.h"
#include "gateway/config/certificate_files.h"
#include "gateway/wiring/stores.h"

namespace tollbridge::gateway {

/// Shows how long each shard takes to come to what it is given, as of the last scrape, or for how
/// long it has not come to it yet. `shards` outlive the metrics' last scrape.
void ReportShardLag(telemetry::Metrics& metrics, ShardPool& shards);

/// Asks each store with each scrape how much of its memory is used, and shows what it said to the
/// one before. `shard` is that of the stores; both outlive the metrics' last scrape.
void ReportStoreMemory(telemetry::Metrics& metrics, Shard& shard, const ShardStores& stores);

/// Shows when the certificates in the files end, as each scrape finds them; of a file that cannot
/// be used, when the one ends that it held before, which is the one in force.
void ReportCertificates(telemetry::Metrics& metrics, std::vector<CertificateFile> files);

/// Shows what runs, and with which roles.
void ReportBuild(telemetry::Metrics& metrics, const std::vector<std::string>& roles);

/// Counts looks at what is exchanged while the process runs that found nothing to use, by kind.
void ReportSecretFiles(telemetry::Metrics& metrics);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_PROCESS_GAUGES_H_
