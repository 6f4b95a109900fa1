#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_OPERATION_REGISTRY_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_OPERATION_REGISTRY_H_

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "services/domain/errors.h"
#include "services/ports/operation_registry.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::test {

/// Records that a test puts there, and what was asked about them. Used on one shard.
class FakeOperationRegistry final : public ports::OperationRegistry {
 public:
  struct Judged {
    domain::Mark mark;
    ports::FamilyKey order;
    bool paid = false;
  };

  /// By id, as they are.
  std::map<std::string, operations::v1::Operation> records;
  /// What every call answers while it is not OK.
  absl::Status down;
  /// The store is doubtful: what is not there may have been forgotten.
  bool doubtful = false;
  ports::MarkVerdict judgement = ports::MarkVerdict::kOurs;

  std::vector<ports::OperationQuery> queries;
  std::vector<ports::CloseRequest> closes;
  std::vector<ports::ConfirmRequest> confirms;
  std::vector<Judged> judged;

  static absl::Status Down() {
    return domain::MakeError(
        absl::StatusCode::kUnavailable, "the store is down",
        {.reason = domain::reason::kStoreUnavailable, .retry = domain::Retry::kSafeSameKey});
  }

  Async<operations::v1::Operation> Read(const std::string& project, const Uuid& id,
                                        const ports::Context&) override {
    if (!down.ok()) co_return down;
    const auto found = records.find(id.ToString());
    if (found == records.end() || found->second.project() != project) co_return Missing();
    co_return found->second;
  }

  /// Cursors are "after:<id>".
  Async<ports::OperationPage> List(const ports::OperationQuery& query,
                                   const ports::Context&) override {
    queries.push_back(query);
    if (!down.ok()) co_return down;
    const std::string prefix = "after:";
    if (!query.cursor.empty() && !query.cursor.starts_with(prefix)) {
      co_return domain::InvalidRequest({{"page_token", "must be of the answer before"}});
    }
    auto from = query.cursor.empty() ? records.begin()
                                     : records.upper_bound(query.cursor.substr(prefix.size()));
    ports::OperationPage page;
    for (; from != records.end() && page.operations.size() < query.limit; ++from) {
      if (Matches(query, from->second)) page.operations.push_back(from->second);
    }
    if (from != records.end()) page.next = prefix + page.operations.back().id();
    co_return page;
  }

  Async<operations::v1::Operation> Close(const ports::CloseRequest& request,
                                         const ports::Context&) override {
    if (!down.ok()) co_return down;
    closes.push_back(request);
    const auto found = records.find(request.id.ToString());
    if (found == records.end()) co_return Missing();
    operations::v1::Operation& record = found->second;
    if (record.state() != operations::v1::OPERATION_STATE_NEEDS_REVIEW &&
        record.state() != operations::v1::OPERATION_STATE_UNKNOWN) {
      co_return domain::MakeError(
          absl::StatusCode::kFailedPrecondition, "it is neither in review nor unknown",
          {.reason = domain::reason::kOperationNotInReview, .retry = domain::Retry::kAfterChange});
    }
    if (request.validate_only) co_return record;
    if (request.ask.has_value()) {
      record.mutable_approval()->set_id(request.ask->id.ToString());
      record.mutable_approval()->set_asked_by(request.ask->who);
      record.mutable_approval()->set_reason(request.ask->reason);
      record.mutable_approval()->set_resolution(request.to == operations::v1::OPERATION_STATE_DONE
                                                    ? operations::v1::RESOLUTION_DONE
                                                    : operations::v1::RESOLUTION_NOT_EXECUTED);
      co_return record;
    }
    record.set_state(request.to == operations::v1::OPERATION_STATE_DONE
                         ? operations::v1::OPERATION_STATE_DONE
                         : operations::v1::OPERATION_STATE_NOT_EXECUTED);
    record.clear_review_reason();
    co_return record;
  }

  Async<operations::v1::Operation> Confirm(const ports::ConfirmRequest& request,
                                           const ports::Context&) override {
    if (!down.ok()) co_return down;
    confirms.push_back(request);
    const auto found = records.find(request.id.ToString());
    if (found == records.end()) co_return Missing();
    found->second.mutable_approval()->set_confirmed_by(request.who);
    co_return found->second;
  }

  Async<ports::MarkVerdict> JudgeMark(const domain::Mark& mark, const ports::FamilyKey& order,
                                      bool paid, const ports::Context&) override {
    if (!down.ok()) co_return down;
    judged.push_back({.mark = mark, .order = order, .paid = paid});
    co_return judgement;
  }

 private:
  static bool Matches(const ports::OperationQuery& query,
                      const operations::v1::Operation& operation) {
    if (operation.project() != query.project) return false;
    if (!query.order_id.empty()) return operation.order_id() == query.order_id;
    switch (operation.state()) {
      case operations::v1::OPERATION_STATE_RUNNING:
        return query.state.value_or(operations::v1::OPERATION_STATE_RUNNING) ==
               operations::v1::OPERATION_STATE_RUNNING;
      case operations::v1::OPERATION_STATE_UNKNOWN:
        return query.state.value_or(operations::v1::OPERATION_STATE_UNKNOWN) ==
               operations::v1::OPERATION_STATE_UNKNOWN;
      case operations::v1::OPERATION_STATE_NEEDS_REVIEW:
        return query.state.value_or(operations::v1::OPERATION_STATE_NEEDS_REVIEW) ==
               operations::v1::OPERATION_STATE_NEEDS_REVIEW;
      default:
        return false;
    }
  }

  absl::Status Missing() const {
    if (doubtful) {
      return domain::MakeError(
          absl::StatusCode::kUnavailable, "the store has lost its memory",
          {.reason = domain::reason::kMemoryLost, .retry = domain::Retry::kSafeSameKey});
    }
    return domain::OperationNotFound();
  }
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_OPERATION_REGISTRY_H_
