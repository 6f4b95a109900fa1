#include "sandbox/search/csv_stream.h"

#include <utility>

#include "sandbox/search/csv_report.h"

namespace tollbridge::sandbox {

CsvStream::CsvStream(const World* world, std::vector<Uuid> ids, Millis lag)
    : world_(world), ids_(std::move(ids)), lag_(lag) {}

Async<std::string> CsvStream::Next() {
  std::string piece;
  if (!begun_) AppendCsvHeader(&piece);
  begun_ = true;
  const Time as_of = world_->simulation.clock.Now() - lag_;
  while (next_ < ids_.size() && piece.size() < kCsvChunkBytes) {
    const Order* order = world_->orders.AsOf(ids_[next_++], as_of);
    if (order != nullptr) AppendCsvRows(*order, &piece);
  }
  co_return piece;
}

}  // namespace tollbridge::sandbox
