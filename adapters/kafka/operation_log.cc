#include "adapters/kafka/operation_log.h"

#include <vector>

#include "services/domain/deterministic.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::kafka {

AsyncStatus KafkaOperationLog::Append(const operations::v1::OperationRecord& record,
                                      const ports::Context& context) {
  const std::string value = domain::SerializeDeterministically(record);
  const std::vector<RecordHeader> headers = {{"content-type", "application/protobuf"}};
  const std::string& key =
      record.has_privileged() ? record.privileged().id() : record.operation_id();
  const OutgoingRecord outgoing{Purpose::kOperations, topic_, key, value, headers};
  const absl::StatusOr<RecordPlace> place = co_await producer_.Produce(outgoing, context.deadline);
  co_return place.status();
}

}  // namespace tollbridge::kafka
