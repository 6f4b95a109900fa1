#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_DELIVERY_REPORT_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_DELIVERY_REPORT_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <librdkafka/rdkafka.h>

#include "adapters/kafka/record_place.h"

namespace tollbridge::kafka {

/// What an error of producing means: INVALID_ARGUMENT when the broker, or librdkafka before it,
/// will never take a record so large, FAILED_PRECONDITION when the topic takes no such records,
/// UNAVAILABLE when it may yet come.
absl::Status StatusOfProducing(rd_kafka_resp_err_t error);

/// What librdkafka's report of a delivery says: where the record lies, or StatusOfProducing. A
/// success without an offset is UNAVAILABLE: librdkafka believes in it, and no broker has answered
/// for that record (ADR 24).
absl::StatusOr<RecordPlace> ReadReport(rd_kafka_resp_err_t error, const RecordPlace& place);

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_DELIVERY_REPORT_H_
