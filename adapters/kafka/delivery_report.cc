#include "adapters/kafka/delivery_report.h"

#include <absl/strings/str_cat.h>

#include "base/core/status_macros.h"

namespace tollbridge::kafka {

absl::Status StatusOfProducing(rd_kafka_resp_err_t error) {
  switch (error) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
      return absl::OkStatus();
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE:
      return absl::InvalidArgumentError(absl::StrCat("kafka: ", rd_kafka_err2str(error)));
    case RD_KAFKA_RESP_ERR_INVALID_RECORD:
      return absl::FailedPreconditionError(absl::StrCat("kafka: ", rd_kafka_err2str(error)));
    default:
      return absl::UnavailableError(absl::StrCat("kafka: ", rd_kafka_err2str(error)));
  }
}

absl::StatusOr<RecordPlace> ReadReport(rd_kafka_resp_err_t error, const RecordPlace& place) {
  TB_RETURN_IF_ERROR(StatusOfProducing(error));
  if (place.offset < 0) {
    return absl::UnavailableError(
        "kafka: reported delivered, and no broker has said where it lies");
  }
  return place;
}

}  // namespace tollbridge::kafka
