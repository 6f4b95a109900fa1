#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_UNASKED_METHOD_PORTS_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_UNASKED_METHOD_PORTS_H_

#include <cstdint>
#include <memory>

#include "base/telemetry/metrics.h"
#include "services/domain/errors.h"
#include "services/operations/method.h"
#include "tests/support/fakes/fake_operation_registry.h"
#include "tests/support/fakes/fake_order_changes.h"
#include "tests/support/fakes/fake_rng.h"

namespace tollbridge::test {

/// A store of snapshots that cannot be asked.
class DownSnapshots final : public ports::SnapshotStore {
 public:
  Async<ports::FamilyState> Load(const ports::FamilyKey&, const ports::Context&) override {
    co_return absl::UnavailableError("down");
  }
  Async<ports::SaveVerdict> Save(const ports::SaveRequest&, const ports::Context&) override {
    co_return absl::UnavailableError("down");
  }
  Async<bool> ClearOutbox(const ports::FamilyKey&, std::uint64_t, const std::string&,
                          const ports::Context&) override {
    co_return absl::UnavailableError("down");
  }
  Async<ports::PendingOutboxes> Pending(const std::string&, const ports::Context&) override {
    co_return absl::UnavailableError("down");
  }
  AsyncStatus NoteMember(const ports::MemberNote&, const ports::Context&) override {
    co_return absl::UnavailableError("down");
  }
  Async<ports::TellAgainVerdict> AskToTellAgain(const ports::TellAgainRequest&,
                                                const ports::Context&) override {
    co_return absl::UnavailableError("down");
  }
};

/// For tests whose methods ask the payment service alone.
class UnaskedMethodPorts {
 public:
  /// All outlive what is bound to them.
  operations::MethodPorts With(ports::PaymentService& service, ports::Clock& clock) {
    return {.service = service,
            .registry = registry_,
            .snapshots = snapshots_,
            .changes = changes_,
            .clock = clock,
            .metrics = metrics_,
            .plans = plans_,
            .conclusions = conclusions_};
  }

 private:
  FakeOperationRegistry registry_;
  DownSnapshots snapshots_;
  FakeOrderChanges changes_;
  telemetry::Metrics metrics_;
  operations::PlanTable plans_;
  FakeRng rng_;
  operations::Conclusions conclusions_{nullptr, rng_};
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_UNASKED_METHOD_PORTS_H_
