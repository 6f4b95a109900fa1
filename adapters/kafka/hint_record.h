#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_HINT_RECORD_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_HINT_RECORD_H_

#include <librdkafka/rdkafka.h>

#include "services/ports/hint_log.h"

namespace tollbridge::kafka {

/// A record of the topic of hints. For .cc files of this room.
ports::HintRecord HintRecordOf(const rd_kafka_message_t& message);

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_HINT_RECORD_H_
