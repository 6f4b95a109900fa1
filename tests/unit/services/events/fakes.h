#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_EVENTS_FAKES_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_EVENTS_FAKES_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "services/ports/event_log.h"
#include "services/ports/hint_log.h"
#include "services/ports/payment_service.h"
#include "tests/support/fakes/unasked_payment_service.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::events {

/// Shows orders as the test scripts them, read by read.
class ScriptedReads final : public test::UnaskedPaymentService {
 public:
  /// What GetOrder of this order answers from now on.
  void Show(const common::v1::Order& order) { orders_[order.id()] = order; }
  /// What the next reads answer, in order, before the above.
  void AnswerNext(absl::StatusOr<common::v1::Order> answer) { next_.push_back(std::move(answer)); }
  /// Reads of this order fail so until OK is given.
  void Fail(const std::string& order_id, absl::Status error) { failures_[order_id] = error; }
  /// All reads fail so until OK is given.
  void FailAll(absl::Status error) { failure_ = std::move(error); }
  /// Runs within each read, after it was counted.
  std::function<boost::asio::awaitable<void>(const std::string& order_id)> during_read;

  const std::vector<std::string>& reads() const { return reads_; }

  Async<common::v1::Order> GetOrder(const domain::Project& project, std::string_view order_id,
                                    const ports::Context& context) override;

 private:
  std::map<std::string, common::v1::Order> orders_;
  std::deque<absl::StatusOr<common::v1::Order>> next_;
  absl::Status failure_;
  std::map<std::string, absl::Status> failures_;
  std::vector<std::string> reads_;
};

/// Keeps what was published, and can be down.
class RecordedEvents final : public ports::EventLog {
 public:
  absl::Status down;
  /// Of this order none is taken.
  std::string not_taken_of;
  /// Of the next events so many are taken; then it is down.
  std::optional<std::size_t> take_only;
  std::vector<storage::v1::OutboxEntry> events;

  Async<ports::EventPlace> Publish(const storage::v1::OutboxEntry& event,
                                   const ports::Context&) override;
};

/// Keeps what was passed on, and can be down.
class RecordedHints final : public ports::HintLog {
 public:
  absl::Status down;
  std::vector<v1::Hint> hints;

  AsyncStatus Append(const v1::Hint& hint, const ports::Context&) override {
    if (!down.ok()) co_return down;
    hints.push_back(hint);
    co_return absl::OkStatus();
  }
};

/// A share of the hint log that the test fills.
class FilledFeed final : public ports::HintFeed {
 public:
  explicit FilledFeed(boost::asio::any_io_executor executor) : wake_(std::move(executor), 1000) {}

  void Put(ports::HintRecord record);
  /// The group gives these partitions.
  void Assign(const std::vector<std::int32_t>& partitions) {
    std::vector<ports::HintShare> shares;
    for (const std::int32_t partition : partitions) {
      const std::vector<std::int64_t>& offsets = stored[partition];
      shares.push_back({partition, std::nullopt, notes[partition]});
      if (!offsets.empty()) shares.back().next_offset = offsets.back();
    }
    observer_->OnAssigned(shares);
  }
  /// The group takes these partitions away.
  void Revoke(const std::vector<std::int32_t>& partitions) { observer_->OnRevoked(partitions); }

  std::map<std::int32_t, std::vector<std::int64_t>> stored;
  /// Of each partition, as it was last stored.
  std::map<std::int32_t, std::string> notes;
  std::map<std::int32_t, bool> paused;
  std::map<std::int32_t, int> pauses;  ///< how often; each drops what was fetched ahead
  bool stopped = false;

  absl::Status Start(ports::HintFeedObserver* observer) override;
  Async<std::vector<ports::HintRecord>> Next() override;
  void StoreOffset(std::int32_t partition, std::int64_t next_offset, std::string note) override;
  bool Owns(std::int32_t /*partition*/) const override { return true; }
  void Pause(std::int32_t partition) override {
    paused[partition] = true;
    ++pauses[partition];
  }
  void Resume(std::int32_t partition) override { paused[partition] = false; }
  AsyncStatus Stop() override;

 private:
  ports::HintFeedObserver* observer_ = nullptr;
  std::vector<ports::HintRecord> records_;
  boost::asio::experimental::channel<void(boost::system::error_code)> wake_;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_EVENTS_FAKES_H_
