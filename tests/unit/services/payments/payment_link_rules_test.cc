#include "services/payments/create_payment_link.h"

#include "tests/unit/services/payments/payments_fixture.h"

namespace tollbridge::payments {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Fields(const Violations& violations) {
  std::vector<std::string> fields;
  for (const domain::FieldViolation& violation : violations) fields.push_back(violation.field);
  return fields;
}

TEST(PaymentLinkRules, AreThoseOfAnOrderThatApply) {
  domain::Project project = Shop();
  v1::CreatePaymentLinkRequest request;
  request.set_description("a coffee grinder");
  EXPECT_THAT(CreatePaymentLinkViolations(request, &project), IsEmpty());
  request.set_webhook_url("https://caller.example/hook");
  request.set_description("a refund" + domain::DescriptionMark(Uuid{}));
  EXPECT_THAT(Fields(CreatePaymentLinkViolations(request, &project)),
              ElementsAre("description", "webhook_url"));
  project.allow_caller_webhook_url = true;
  EXPECT_THAT(Fields(CreatePaymentLinkViolations(request, &project)), ElementsAre("description"));
}

TEST(PaymentLinkRules, OfferNoPayout) {
  const domain::Project project = Shop();
  v1::CreatePaymentLinkRequest request;
  request.add_payment_methods("credit-card");
  EXPECT_THAT(CreatePaymentLinkViolations(request, &project), IsEmpty());
  request.add_payment_methods("credit-card-oct");
  EXPECT_THAT(Fields(CreatePaymentLinkViolations(request, &project)),
              ElementsAre("payment_methods[1]"));
}

}  // namespace
}  // namespace tollbridge::payments
