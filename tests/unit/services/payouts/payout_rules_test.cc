#include <string>
#include <vector>

#include "services/payouts/create_payout_rules.h"
#include "services/payouts/get_payout.h"
#include "tests/support/fails_with.h"
#include "tests/unit/services/payouts/payouts_fixture.h"

namespace tollbridge::payouts {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Paths(const v1::CreatePayoutRequest& request) {
  std::vector<std::string> paths;
  for (const domain::FieldViolation& violation :
       CreatePayoutViolations(request, &operations::TestProject())) {
    paths.push_back(violation.field);
  }
  return paths;
}

class PayoutRulesTest : public PayoutTest {};

TEST_F(PayoutRulesTest, ACardAndAVaultTokenAreDestinations) {
  EXPECT_THAT(Paths(Request(true)), IsEmpty());
  EXPECT_THAT(Paths(Request(false)), IsEmpty());
}

TEST_F(PayoutRulesTest, NamesEverythingThatIsWrong) {
  v1::CreatePayoutRequest request;
  request.set_description("paid [tb:0123456789abcdef]");
  (*request.mutable_extra()->mutable_fields())["tollbridge_operation"].set_string_value("x");
  request.mutable_customer()->set_country("AU");
  EXPECT_THAT(Paths(request), ElementsAre("description", "extra.tollbridge_operation",
                                          "destination", "customer.state"));
}

TEST_F(PayoutRulesTest, TheStateIsNeededInThreeCountriesAndListedInTwo) {
  v1::CreatePayoutRequest request = Request(true);
  const auto with = [&](const std::string& country, const std::string& state) {
    request.mutable_customer()->set_country(country);
    request.mutable_customer()->set_state(state);
    return Paths(request);
  };
  for (const char* country : {"US", "CA", "AU"}) {
    EXPECT_THAT(with(country, ""), ElementsAre("customer.state")) << country;
  }
  EXPECT_THAT(with("DE", ""), IsEmpty());
  EXPECT_THAT(with("US", "NY"), IsEmpty());
  EXPECT_THAT(with("US", "ON"), ElementsAre("customer.state"));
  EXPECT_THAT(with("CA", "ON"), IsEmpty());
  EXPECT_THAT(with("AU", "NS"), IsEmpty());
}

class GetPayoutTest : public PayoutTest {
 protected:
  absl::StatusOr<v1::GetPayoutResponse> Get(const std::string& id) {
    v1::GetPayoutRequest request;
    request.set_order_id(id);
    return test::Await(
        context_, GetPayout(payout_service_, operations::TestProject(), request, CallContext()));
  }
};

TEST_F(GetPayoutTest, ShowsThePayoutWithoutTheMark) {
  const v1::CreatePayoutResponse paid = Result(Pay(Request(true)));
  const auto got = Get(paid.order().id());
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->order().id(), paid.order().id());
  EXPECT_FALSE(got->order().has_extra());
}

TEST_F(GetPayoutTest, AnOrderThatPaysInIsNoPayoutAndNeitherIsAnUnknownOne) {
  payments::v1::CreateOrderRequest payment;
  payment.add_transactions()->set_payment_method("credit-card");
  const common::v1::Order order = payout_service_.MakeOrder(payment);
  payout_service_.PutOrder(order);
  for (const std::string& id : {order.id(), std::string(kToken)}) {
    const auto got = Get(id);
    EXPECT_THAT(got, FailsWith(StatusCode::kNotFound, "PAYOUT_NOT_FOUND"));
  }
}

TEST_F(GetPayoutTest, AnErrorIsPassedOn) {
  payout_service_.FailReads(absl::UnavailableError("no answer"));
  EXPECT_EQ(Get(kToken).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tollbridge::payouts
