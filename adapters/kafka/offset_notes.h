#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_OFFSET_NOTES_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_OFFSET_NOTES_H_

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

/// The notes that are committed with offsets, as their metadata. For .cc files of this room.
namespace tollbridge::kafka {

/// Has `partition` say what is to be committed of it.
/// -1: the leader is not known.
void SetOffset(rd_kafka_topic_partition_t& partition, std::int64_t offset,
               std::int32_t leader_epoch, std::string_view note);

/// Asks the group what was committed of these partitions. The answer is an event on the queue, with
/// this opaque.
void AskForNotes(rd_kafka_t* client, const std::string& group,
                 const rd_kafka_topic_partition_list_t* partitions, rd_kafka_queue_t* queue,
                 void* opaque);

/// The notes in that answer, by partition. Each of `partitions` of which it tells gets the offset
/// that the note is about. nullopt where the group did not say of all of them.
std::optional<std::map<std::int32_t, std::string>> TakeNotes(
    rd_kafka_event_t* event, rd_kafka_topic_partition_list_t* partitions);

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_OFFSET_NOTES_H_
