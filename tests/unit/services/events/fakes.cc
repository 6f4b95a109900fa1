#include "tests/unit/services/events/fakes.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "services/domain/errors.h"

namespace tollbridge::events {

Async<common::v1::Order> ScriptedReads::GetOrder(const domain::Project&, std::string_view order_id,
                                                 const ports::Context&) {
  const std::string id(order_id);
  reads_.push_back(id);
  if (during_read) co_await during_read(id);
  if (!failure_.ok()) co_return failure_;
  if (const auto own = failures_.find(id); own != failures_.end() && !own->second.ok()) {
    co_return own->second;
  }
  if (!next_.empty()) {
    absl::StatusOr<common::v1::Order> answer = std::move(next_.front());
    next_.pop_front();
    co_return answer;
  }
  const auto found = orders_.find(id);
  if (found != orders_.end()) co_return found->second;
  co_return domain::MakeError(absl::StatusCode::kNotFound, "no such order",
                              {.reason = domain::reason::kOrderNotFound});
}

Async<ports::EventPlace> RecordedEvents::Publish(const storage::v1::OutboxEntry& event,
                                                 const ports::Context&) {
  if (!not_taken_of.empty() && event.key() == not_taken_of) {
    co_return absl::UnavailableError("the partition has no leader");
  }
  if (!down.ok()) co_return down;
  if (take_only && *take_only == 0) co_return absl::UnavailableError("the log is down");
  if (take_only) --*take_only;
  events.push_back(event);
  co_return ports::EventPlace{.offset = static_cast<std::int64_t>(events.size()) - 1};
}

void FilledFeed::Put(ports::HintRecord record) {
  records_.push_back(std::move(record));
  wake_.try_send(boost::system::error_code());
}

absl::Status FilledFeed::Start(ports::HintFeedObserver* observer) {
  observer_ = observer;
  return absl::OkStatus();
}

Async<std::vector<ports::HintRecord>> FilledFeed::Next() {
  while (!stopped && records_.empty()) {
    co_await wake_.async_receive(boost::asio::as_tuple(boost::asio::use_awaitable));
  }
  if (stopped) co_return absl::CancelledError("stopped");
  co_return std::exchange(records_, {});
}

void FilledFeed::StoreOffset(std::int32_t partition, std::int64_t next_offset, std::string note) {
  notes[partition] = std::move(note);
  // The same again with another note is no progress.
  std::vector<std::int64_t>& offsets = stored[partition];
  if (offsets.empty() || offsets.back() != next_offset) offsets.push_back(next_offset);
}

AsyncStatus FilledFeed::Stop() {
  stopped = true;
  wake_.try_send(boost::system::error_code());
  co_return absl::OkStatus();
}

}  // namespace tollbridge::events
