// An order that a reader sees with the mark of an operation between a resolver's look and what it
// concludes (docs/design/operations.md#rule-4).

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "services/domain/mark.h"
#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

using test::FakePaymentService;

constexpr const char* kOrder = "5f1c3a52-7a3e-4a53-9e0c-0d7d1f6f0001";

class SeenOrderTest : public EngineTest {
 protected:
  SeenOrderTest() {
    // Only a look that knows of the order finds it: no search shows it yet.
    kind_.look = [this](ports::PaymentService&,
                        const LookRequest& request) -> boost::asio::awaitable<Finding> {
      looks_.push_back(request);
      const bool shown = !request.seen_orders.empty();
      if (mark_ && !shown) {
        const absl::StatusOr<ports::MarkVerdict> verdict = co_await memory_.JudgeMark(
            *mark_, {"shop", *Uuid::Parse(kOrder)}, false, CallContext());
        EXPECT_EQ(verdict.value_or(ports::MarkVerdict::kOrphan), ports::MarkVerdict::kOurs);
      }
      co_return shown
          ? Finding{Presence::kPresent, std::make_shared<common::v1::Order>(order_), "order seen"}
          : Finding{.presence = Presence::kAbsent};
    };
    order_.set_id(kOrder);
  }

  common::v1::Order order_;
  /// Set: the order exists.
  std::optional<domain::Mark> mark_;
};

TEST_F(SeenOrderTest, IsFoundThoughTheLastReadThatAbsenceNeedsDidNotShowIt) {
  service_.AnswerNext(FakePaymentService::NoAnswer("connection reset"));
  Call("key");
  clock_.Advance(Quarantine(settings_, true));
  for (int read = 1; read < settings_.absence_reads; ++read) {
    Resolve();
    clock_.Advance(settings_.absence_read_interval);
  }
  ASSERT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
  mark_ = {.operation = OperationId(TestProject().id, "key"),
           .epoch = store_.finishes[0].epoch,
           .attempt = Record("key").attempt()};
  Resolve();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN) << "not given up over what was seen";
  Resolve();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
  EXPECT_EQ(Record("key").order_id(), kOrder);
  EXPECT_EQ(looks_.back().seen_orders, std::vector<std::string>{kOrder});
}

}  // namespace
}  // namespace tollbridge::operations
