#include <chrono>
#include <string>
#include <vector>

#include "services/domain/errors.h"
#include "services/vault/exchange_wallet_b_token.h"
#include "services/vault/store_card.h"
#include "tests/support/fails_with.h"
#include "tests/unit/services/vault/vault_fixture.h"

namespace tollbridge::vault {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PlansTest : public VaultTest {
 protected:
  operations::Plan Plan(const std::string& method, const google::protobuf::Message& request) {
    absl::StatusOr<operations::Plan> plan = Registration(method).make(project_, request);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? *std::move(plan) : operations::Plan();
  }
};

TEST_F(PlansTest, StoreCardSendsItsRequestAndTakesNoGate) {
  const v1::StoreCardRequest request = CardRequestOf("key");
  const operations::Plan plan = Plan("StoreCard", request);
  EXPECT_EQ(plan.project->name, "shop");
  EXPECT_EQ(plan.idempotency_key, "key");
  EXPECT_EQ(plan.gate_order, std::nullopt);
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].kind, &StoreCardStep());
  ports::StepTarget target;
  target.name = "store_card";
  EXPECT_EQ(plan.steps[0].target, target) << "nothing of the card, and no token";
  Send(plan);
  EXPECT_EQ(service_.stored.SerializeAsString(), request.SerializeAsString());
  EXPECT_EQ(service_.write_before, BootTime{std::chrono::seconds(7)});
}

TEST_F(PlansTest, ExchangeLeavesItsTransactionAsEvidence) {
  const v1::ExchangeWalletBTokenRequest request = ExchangeRequestOf("key");
  const operations::Plan plan = Plan("ExchangeWalletBToken", request);
  EXPECT_EQ(plan.gate_order, std::nullopt);
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].kind, &ExchangeWalletBTokenStep());
  ports::StepTarget target;
  target.name = "exchange_wallet_b_token";
  target.transaction_id = orders::kTransactionId;
  EXPECT_EQ(plan.steps[0].target, target);
  EXPECT_FALSE(plan.check_before_sending) << "the payload says nothing of its expiry";
  Send(plan);
  EXPECT_EQ(service_.exchanged.SerializeAsString(), request.SerializeAsString());
  EXPECT_EQ(service_.write_before, BootTime{std::chrono::seconds(7)});
}

TEST_F(PlansTest, CardDataIsWipedOnceItWasSent) {
  const operations::Plan store = Plan("StoreCard", CardRequestOf("key"));
  Send(store);
  ASSERT_NE(service_.seen_stored, nullptr);
  EXPECT_EQ(service_.stored.pan(), kPan);
  EXPECT_THAT(service_.seen_stored->pan(), IsEmpty());
  const operations::Plan exchange = Plan("ExchangeWalletBToken", ExchangeRequestOf("key"));
  Send(exchange);
  ASSERT_NE(service_.seen_exchanged, nullptr);
  EXPECT_EQ(service_.exchanged.wallet_pay_message(), kWalletMessage);
  EXPECT_THAT(service_.seen_exchanged->wallet_pay_message(), IsEmpty());
}

TEST_F(PlansTest, WipingLeavesTheCallersRequestAlone) {
  const v1::StoreCardRequest request = CardRequestOf("key");
  Send(Plan("StoreCard", request));
  EXPECT_EQ(request.pan(), kPan) << "the fingerprint is taken of it";
}

TEST_F(PlansTest, StoreCardIsRefusedFromTheMonthAfterItsExpiry) {
  const operations::Plan plan = Plan("StoreCard", CardRequestOf("key"));
  ASSERT_TRUE(plan.check_before_sending);
  using std::chrono::sys_days;
  using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)
  EXPECT_TRUE(plan.check_before_sending(sys_days(2030y / 12 / 31) + 23h).ok());
  const absl::Status refused = plan.check_before_sending(sys_days(2031y / 1 / 2) + 0h);
  EXPECT_THAT(refused, FailsWith(StatusCode::kInvalidArgument, domain::reason::kInvalidRequest));
  EXPECT_EQ(refused.ToString().find("122030"), std::string::npos) << "repeats the value";
}

TEST_F(PlansTest, NeitherCanBeReadBackAndTheSetupTokenIsTheGuard) {
  for (const auto* kind : {&StoreCardStep(), &ExchangeWalletBTokenStep()}) {
    EXPECT_FALSE(kind->look) << kind->name;
    EXPECT_TRUE(kind->spends_setup_token) << kind->name;
    EXPECT_TRUE(kind->service_guards_repeat) << kind->name;
    EXPECT_TRUE(kind->completes) << kind->name;
    EXPECT_EQ(kind->on_absence, operations::OnAbsence::kNotExecuted) << kind->name;
  }
}

}  // namespace
}  // namespace tollbridge::vault
