#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_OPERATION_LOG_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_OPERATION_LOG_H_

#include <functional>
#include <optional>
#include <vector>

#include "services/ports/operation_outbox.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::test {

/// Keeps what is appended, in order. Used on one shard.
class FakeOperationLog final : public ports::OperationLog {
 public:
  /// Runs within each Append before the record is taken.
  std::function<boost::asio::awaitable<void>(const operations::v1::OperationRecord&)> during_append;
  /// The operation or privileged action whose records the log never takes.
  std::optional<std::string> refuse_operation;

  AsyncStatus Append(const operations::v1::OperationRecord& record,
                     const ports::Context&) override {
    ++calls_;
    if (during_append) co_await during_append(record);
    if (!reachable_) co_return absl::UnavailableError("the broker has not acknowledged");
    if (refuse_operation ==
        (record.has_privileged() ? record.privileged().id() : record.operation_id())) {
      co_return absl::InvalidArgumentError("the broker does not take it");
    }
    records_.push_back(record);
    co_return absl::OkStatus();
  }

  /// Away: Append is UNAVAILABLE at once, and the record does not come.
  void SetReachable(bool reachable) { reachable_ = reachable; }
  const std::vector<operations::v1::OperationRecord>& records() const { return records_; }
  std::size_t calls() const { return calls_; }

 private:
  std::vector<operations::v1::OperationRecord> records_;
  std::size_t calls_ = 0;
  bool reachable_ = true;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_OPERATION_LOG_H_
