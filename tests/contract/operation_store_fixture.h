#ifndef TOLLBRIDGE_TESTS_CONTRACT_OPERATION_STORE_FIXTURE_H_
#define TOLLBRIDGE_TESTS_CONTRACT_OPERATION_STORE_FIXTURE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "services/domain/errors.h"
#include "services/operations/lifecycle.h"
#include "tests/contract/store_world.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::test {

/// What the suites of the operation store share.
class OperationStoreContractTest : public StoreContractTest {
 protected:
  static constexpr ports::Millis kLease{30'000};
  static constexpr const char* kOrder = "5f1c3a52-7a3e-4a53-9e0c-0d7d1f6f0001";
  static constexpr const char* kOtherOrder = "5f1c3a52-7a3e-4a53-9e0c-0d7d1f6f0002";

  static Uuid Id(std::uint8_t number) { return Uuid::V4({0xaa, number}); }

  static ports::OperationIdentity Identity(std::uint8_t number,
                                           std::optional<std::string> gate = std::nullopt) {
    return {.id = Id(number),
            .rpc = "tollbridge.payments.v1.Payments/CreateOrder",
            .project = "shop",
            .fingerprints = {{.key_id = "k1", .digest = "digest"}},
            .capture_mode = "manual",
            .traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            .gate_order = std::move(gate)};
  }

  static ports::StepTarget Step(std::string order_id = "") {
    return {.name = "create_order",
            .order_id = std::move(order_id),
            .transaction_id = "",
            .amount = 1250,
            .currency = "EUR",
            .merchant_order_id = "m-1"};
  }

  /// Evidence would show what an earlier run did: said with each claim.
  bool evidence_shows_ = false;

  /// A result of the epoch that the last claim was in.
  ports::FinishRequest Result(const ports::OperationIdentity& identity, ports::OperationState to,
                              std::uint32_t attempt = 1, std::string owner = "owner-1") const {
    return {.identity = identity,
            .attempt = attempt,
            .epoch = epoch_,
            .owner = std::move(owner),
            .step = Step(),
            .to = to,
            .review_reason =
                to == operations::v1::OPERATION_STATE_NEEDS_REVIEW ? ports::review::kAmbiguous : "",
            .reason = "seen",
            .knowledge = to == operations::v1::OPERATION_STATE_DONE
                             ? operations::v1::KNOWLEDGE_ANSWERED
                             : operations::v1::KNOWLEDGE_UNSPECIFIED,
            .outcome = to == operations::v1::OPERATION_STATE_DONE ? "sealed" : "",
            .order = std::nullopt,
            .late_effect_is_orphan = false};
  }
  /// The same, concluded by who took the operation from the due queue.
  ports::FinishRequest Conclusion(const ports::OperationIdentity& identity,
                                  ports::OperationState to, std::string token = "token-1") const {
    ports::FinishRequest request = Result(identity, to, 1, std::move(token));
    request.by_resolver = true;
    return request;
  }

  static ports::OrderEntry Entry(const std::string& order = kOrder) {
    return {.key = {.project = "shop", .root = *Uuid::Parse(order)},
            .capture_mode = "manual",
            .traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            .own_checkout = false};
  }

  absl::StatusOr<ports::ClaimResult> TryClaim(const ports::OperationIdentity& identity,
                                              std::string owner = "owner-1") {
    ports::ClaimRequest request{.identity = identity,
                                .owner = std::move(owner),
                                .lease = kLease,
                                .good_for = std::chrono::seconds(5),
                                .first_step = Step()};
    if (evidence_shows_) request.looked_for = Step();
    return Run(world_->operations().Claim(request, Within()));
  }
  ports::ClaimResult Claim(const ports::OperationIdentity& identity,
                           std::string owner = "owner-1") {
    absl::StatusOr<ports::ClaimResult> result = TryClaim(identity, std::move(owner));
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    epoch_ = result->epoch;
    return *result;
  }
  ports::FinishVerdict Finish(const ports::FinishRequest& request) {
    const absl::StatusOr<ports::FinishVerdict> verdict =
        Run(world_->operations().Finish(request, Within()));
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return verdict.value_or(ports::FinishVerdict::kNotOurs);
  }
  /// For the epoch that the last claim was in.
  absl::Status BeginStep(const ports::OperationIdentity& identity, std::uint32_t attempt,
                         const std::string& owner) {
    const ports::ClaimResult claim{.attempt = attempt, .epoch = epoch_};
    const ports::StepTarget step{.name = "authenticate", .order_id = kOrder};
    return Run(world_->operations().BeginStep(identity, claim, owner, step, kLease, Within()));
  }
  void Release(const ports::OperationIdentity& identity, const std::string& owner = "owner-1") {
    const absl::Status released = Run(world_->operations().Release(identity, owner, Within()));
    EXPECT_TRUE(released.ok()) << released;
  }
  ports::DueOperations TakeDue(std::size_t limit = 100, const std::string& token = "token-1") {
    absl::StatusOr<ports::DueOperations> due =
        Run(world_->unresolved().TakeDue("shop", limit, token, kLease, Within()));
    EXPECT_TRUE(due.ok()) << due.status();
    return due.ok() ? *std::move(due) : ports::DueOperations{};
  }
  bool Reschedule(const ports::DueOperation& operation, ports::Millis next_look,
                  std::uint32_t misses = 0, const std::string& token = "token-1") {
    return Reschedule(operation, {.after = next_look, .misses = misses}, token);
  }
  bool Reschedule(const ports::DueOperation& operation, const ports::NextLook& next,
                  const std::string& token = "token-1") {
    const absl::StatusOr<bool> done =
        Run(world_->unresolved().Reschedule(operation, token, next, Within()));
    EXPECT_TRUE(done.ok()) << done.status();
    return done.value_or(false);
  }
  ports::UnresolvedSurvey Survey() {
    absl::StatusOr<ports::UnresolvedSurvey> survey =
        Run(world_->unresolved().Survey("shop", Within()));
    EXPECT_TRUE(survey.ok()) << survey.status();
    return survey.ok() ? *std::move(survey) : ports::UnresolvedSurvey{};
  }
  absl::StatusOr<operations::v1::Operation> TryRead(const Uuid& id) {
    return Run(world_->registry().Read("shop", id, Within()));
  }
  operations::v1::Operation Read(const ports::OperationIdentity& identity) {
    absl::StatusOr<operations::v1::Operation> operation = TryRead(identity.id);
    EXPECT_TRUE(operation.ok()) << operation.status();
    if (!operation.ok()) return {};
    // Whatever the scripts did to it is in the table that the guide draws.
    for (const operations::v1::Transition& transition : operation->transitions()) {
      const bool noted = transition.from() == transition.to();  // an orphan, without a change
      EXPECT_TRUE(noted || operations::IsChange(transition.from(), transition.to()))
          << transition.ShortDebugString();
    }
    return *std::move(operation);
  }
  ports::FamilyState Load(const ports::FamilyKey& key) {
    absl::StatusOr<ports::FamilyState> state = Run(world_->snapshots().Load(key, Within()));
    EXPECT_TRUE(state.ok()) << state.status();
    return state.ok() ? *state : ports::FamilyState{};
  }
  ports::MarkVerdict Judge(const ports::OperationIdentity& identity, std::uint32_t attempt,
                           const std::string& order, bool paid = false) {
    const domain::Mark mark{.operation = identity.id, .epoch = epoch_, .attempt = attempt};
    const absl::StatusOr<ports::MarkVerdict> verdict =
        Run(world_->registry().JudgeMark(mark, Entry(order).key, paid, Within()));
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return verdict.value_or(ports::MarkVerdict::kOurs);
  }

  std::string epoch_ = "00000000";
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_CONTRACT_OPERATION_STORE_FIXTURE_H_
