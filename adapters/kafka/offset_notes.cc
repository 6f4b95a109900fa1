#include "adapters/kafka/offset_notes.h"

#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>

#include "adapters/kafka/handles.h"
#include "base/telemetry/log.h"

namespace tollbridge::kafka {
namespace {

constexpr std::chrono::milliseconds kLimit{5'000};

using OptionsPtr = std::unique_ptr<rd_kafka_AdminOptions_t, Deleter<rd_kafka_AdminOptions_destroy>>;
using RequestPtr = std::unique_ptr<rd_kafka_ListConsumerGroupOffsets_t,
                                   Deleter<rd_kafka_ListConsumerGroupOffsets_destroy>>;

const rd_kafka_topic_partition_list_t* Answered(rd_kafka_event_t* event) {
  if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR) return nullptr;
  std::size_t count = 0;
  const rd_kafka_group_result_t** const groups = rd_kafka_ListConsumerGroupOffsets_result_groups(
      rd_kafka_event_ListConsumerGroupOffsets_result(event), &count);
  if (count != 1 || rd_kafka_group_result_error(groups[0]) != nullptr) return nullptr;
  return rd_kafka_group_result_partitions(groups[0]);
}

}  // namespace

void SetOffset(rd_kafka_topic_partition_t& partition, std::int64_t offset,
               std::int32_t leader_epoch, std::string_view note) {
  partition.offset = offset;
  rd_kafka_topic_partition_set_leader_epoch(&partition, leader_epoch);
  if (note.empty()) return;
  // The list that it belongs to frees it.
  partition.metadata = rd_kafka_mem_malloc(nullptr, note.size());
  std::memcpy(partition.metadata, note.data(), note.size());
  partition.metadata_size = note.size();
}

void AskForNotes(rd_kafka_t* client, const std::string& group,
                 const rd_kafka_topic_partition_list_t* partitions, rd_kafka_queue_t* queue,
                 void* opaque) {
  const OptionsPtr options(
      rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS));
  rd_kafka_AdminOptions_set_request_timeout(options.get(), static_cast<int>(kLimit.count()),
                                            nullptr, 0);
  rd_kafka_AdminOptions_set_opaque(options.get(), opaque);
  const RequestPtr request(rd_kafka_ListConsumerGroupOffsets_new(group.c_str(), partitions));
  rd_kafka_ListConsumerGroupOffsets_t* requests[] = {request.get()};
  rd_kafka_ListConsumerGroupOffsets(client, requests, 1, options.get(), queue);
}

std::optional<std::map<std::int32_t, std::string>> TakeNotes(
    rd_kafka_event_t* event, rd_kafka_topic_partition_list_t* partitions) {
  std::map<std::int32_t, std::string> notes;
  const rd_kafka_topic_partition_list_t* const answered = Answered(event);
  if (answered == nullptr) {
    telemetry::Log(telemetry::Severity::kWarning, "hint_notes_unknown",
                   {{"error", rd_kafka_event_error_string(event)}});
    return std::nullopt;
  }
  bool all = true;
  for (int i = 0; i < answered->cnt; ++i) {
    const rd_kafka_topic_partition_t& each = answered->elems[i];
    all = all && each.err == RD_KAFKA_RESP_ERR_NO_ERROR;
    rd_kafka_topic_partition_t* const given =
        rd_kafka_topic_partition_list_find(partitions, each.topic, each.partition);
    // Below 0: nothing was committed of it yet.
    if (given == nullptr || each.err != RD_KAFKA_RESP_ERR_NO_ERROR || each.offset < 0) continue;
    given->offset = each.offset;
    rd_kafka_topic_partition_set_leader_epoch(given,
                                              rd_kafka_topic_partition_get_leader_epoch(&each));
    if (each.metadata_size > 0) {
      notes[each.partition].assign(static_cast<const char*>(each.metadata), each.metadata_size);
    }
  }
  if (!all) return std::nullopt;
  return notes;
}

}  // namespace tollbridge::kafka
