#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_REFUSED_CALLS_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_REFUSED_CALLS_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "services/ports/refused_calls.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::test {

/// Keeps the refused calls of one project in memory, or fails as a test says. Used on one shard.
class FakeRefusedCalls final : public ports::RefusedCalls {
 public:
  bool available = true;
  bool full = false;
  bool lose_drained = false;
  /// Runs within each Note before anything is kept.
  std::function<boost::asio::awaitable<void>()> during_note;
  /// Of the last Note.
  std::string project;
  ports::Context context;
  std::size_t takes = 0;

  Async<bool> Note(const std::string& of, const operations::v1::OperationRecord& record,
                   const ports::Context& within) override {
    project = of;
    context = within;
    if (during_note) co_await during_note();
    if (!available) co_return absl::UnavailableError("the store is down");
    if (full) co_return false;
    Add(record);
    co_return true;
  }
  Async<ports::RefusedCallsPage> Take(const std::string& /*project*/, const std::string& next,
                                      std::size_t limit, const ports::Context&) override {
    ++takes;
    if (!available) co_return absl::UnavailableError("the store is down");
    ports::RefusedCallsPage page;
    for (const ports::UndrainedRecord& record : records_) {
      if (!next.empty() && std::stoi(record.place) <= std::stoi(next)) continue;
      if (page.records.size() == limit) break;
      page.records.push_back(record);
    }
    if (page.records.size() == limit) page.next = page.records.back().place;
    co_return page;
  }
  AsyncStatus Drained(const std::string& /*project*/,
                      const std::vector<ports::UndrainedRecord>& records,
                      const ports::Context&) override {
    if (!available || lose_drained) co_return absl::UnavailableError("the store is down");
    for (const ports::UndrainedRecord& drained : records) {
      std::erase_if(records_, [&](const auto& one) { return one.place == drained.place; });
    }
    co_return absl::OkStatus();
  }

  void Add(const operations::v1::OperationRecord& record) {
    records_.push_back({.place = std::to_string(++places_), .record = record});
  }
  /// Those that are not drained.
  const std::vector<ports::UndrainedRecord>& records() const { return records_; }

 private:
  std::vector<ports::UndrainedRecord> records_;
  int places_ = 0;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_REFUSED_CALLS_H_
