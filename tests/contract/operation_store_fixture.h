#ifndef TOLLBRIDGE_TESTS_CONTRACT_OPERATION_STORE_FIXTURE_H_
#define TOLLBRIDGE_TESTS_CONTRACT_OPERATION_STORE_FIXTURE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "services/domain/errors.h"
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

  static ports::StepEvidence Step(std::string order_id = "") {
    return {.name = "create_order",
            .order_id = std::move(order_id),
            .transaction_id = "",
            .amount = 1250,
            .currency = "EUR",
            .merchant_order_id = "m-1"};
  }

  static ports::FinishRequest Result(const ports::OperationIdentity& identity,
                                     ports::OperationState to, std::uint32_t attempt = 1,
                                     std::string owner = "owner-1") {
    return {.identity = identity,
            .attempt = attempt,
            .owner = std::move(owner),
            .step = Step(),
            .to = to,
            .evidence = "seen",
            .outcome = to == ports::OperationState::kDone ? "sealed" : "",
            .order = std::nullopt,
            .late_effect_is_orphan = false};
  }

  static ports::OrderEntry Entry(const std::string& order = kOrder) {
    return {.key = {.project = "shop", .root = *Uuid::Parse(order)},
            .capture_mode = "manual",
            .traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            .own_checkout = false};
  }

  absl::StatusOr<ports::ClaimResult> TryClaim(const ports::OperationIdentity& identity,
                                              std::string owner = "owner-1") {
    const ports::ClaimRequest request{
        .identity = identity, .owner = std::move(owner), .lease = kLease, .first_step = Step()};
    return Run(world_->operations().Claim(request, Within()));
  }
  ports::ClaimResult Claim(const ports::OperationIdentity& identity,
                           std::string owner = "owner-1") {
    absl::StatusOr<ports::ClaimResult> result = TryClaim(identity, std::move(owner));
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : ports::ClaimResult{};
  }
  ports::FinishVerdict Finish(const ports::FinishRequest& request) {
    const absl::StatusOr<ports::FinishVerdict> verdict =
        Run(world_->operations().Finish(request, Within()));
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return verdict.value_or(ports::FinishVerdict::kNotOurs);
  }
  absl::Status BeginStep(const ports::OperationIdentity& identity, std::uint32_t attempt,
                         const std::string& owner) {
    const ports::StepEvidence step{.name = "authenticate", .order_id = kOrder};
    return Run(world_->operations().BeginStep(identity, attempt, owner, step, Within()));
  }
  operations::v1::Operation Read(const ports::OperationIdentity& identity) {
    absl::StatusOr<operations::v1::Operation> operation =
        Run(world_->operations().Read(identity.id, Within()));
    EXPECT_TRUE(operation.ok()) << operation.status();
    return operation.ok() ? *operation : operations::v1::Operation{};
  }
  ports::FamilyState Load(const ports::FamilyKey& key) {
    absl::StatusOr<ports::FamilyState> state = Run(world_->snapshots().Load(key, Within()));
    EXPECT_TRUE(state.ok()) << state.status();
    return state.ok() ? *state : ports::FamilyState{};
  }
  void InitializeEpoch(const Uuid& epoch) {
    const absl::StatusOr<bool> wrote = Run(world_->operations().InitializeEpoch(epoch, Within()));
    ASSERT_TRUE(wrote.ok()) << wrote.status();
    ASSERT_TRUE(*wrote);
  }
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_CONTRACT_OPERATION_STORE_FIXTURE_H_
