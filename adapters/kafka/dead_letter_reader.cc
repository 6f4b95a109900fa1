#include "adapters/kafka/dead_letter_reader.h"

#include <absl/status/status.h>
#include <absl/strings/numbers.h>

#include <string_view>

#include "base/core/rfc3339.h"
#include "base/core/status_macros.h"

namespace tollbridge::kafka {
namespace {

constexpr std::chrono::milliseconds kPoll{100};

template <typename Number>
Number NumberOr(const std::string& text, Number otherwise) {
  Number number = 0;
  return absl::SimpleAtoi(text, &number) ? number : otherwise;
}

WallTime TimeOr(const std::string& text, WallTime otherwise) {
  return ParseRfc3339(text).value_or(otherwise);
}

void ReadHeader(std::string_view name, const std::string& value, ports::DeadLetter* letter) {
  if (name == "cause") letter->cause = value;
  if (name == "tries") letter->tries = NumberOr<std::uint32_t>(value, 1);
  if (name == "first_failure") letter->first_failure = TimeOr(value, {});
  if (name == "last_failure") letter->last_failure = TimeOr(value, {});
  if (name == "original_partition") letter->record.partition = NumberOr<std::int32_t>(value, -1);
  if (name == "original_offset") letter->record.offset = NumberOr<std::int64_t>(value, -1);
  if (name == "cut" && !letter->cut_from) letter->cut_from.emplace();
  if (name == "value_bytes" && letter->cut_from) {
    letter->cut_from->value_bytes = NumberOr<std::uint64_t>(value, 0);
  }
  if (name == "value_sha256" && letter->cut_from) letter->cut_from->value_sha256 = value;
}

StoredLetter LetterOf(TailedRecord record) {
  StoredLetter stored;
  std::string_view traceparent;
  std::string_view tracestate;
  stored.place = {.partition = record.partition, .offset = record.offset};
  stored.letter.record.partition = -1;
  stored.letter.record.offset = -1;
  for (const auto& [name, value] : record.headers) {
    ReadHeader(name, value, &stored.letter);
    if (name == "traceparent") traceparent = value;
    if (name == "tracestate") tracestate = value;
  }
  stored.letter.record.trace = telemetry::TraceContext::FromHeaders(traceparent, tracestate)
                                   .value_or(telemetry::TraceContext{});
  stored.letter.record.key = std::move(record.key);
  stored.letter.record.value = std::move(record.value);
  return stored;
}

}  // namespace

absl::StatusOr<std::unique_ptr<DeadLetterReader>> DeadLetterReader::Open(
    const ClientSettings& settings, const std::string& topic, std::chrono::milliseconds timeout) {
  TB_ASSIGN_OR_RETURN(auto tail, EventTail::Open(settings, topic, true, timeout));
  return std::unique_ptr<DeadLetterReader>(new DeadLetterReader(std::move(tail)));
}

absl::StatusOr<std::optional<StoredLetter>> DeadLetterReader::Next(
    std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (!tail_->AtEnd()) {
    if (std::chrono::steady_clock::now() >= end) {
      return absl::UnavailableError("Kafka: the next dead letter did not come in time");
    }
    TB_ASSIGN_OR_RETURN(std::optional<TailedRecord> record, tail_->Next(kPoll));
    if (record) return LetterOf(*std::move(record));
  }
  return std::nullopt;
}

absl::StatusOr<StoredLetter> DeadLetterReader::ReadAt(const RecordPlace& place,
                                                      std::chrono::milliseconds timeout) {
  TB_ASSIGN_OR_RETURN(TailedRecord record, tail_->ReadAt(place, timeout));
  return LetterOf(std::move(record));
}

}  // namespace tollbridge::kafka
