#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_PAYMENTS_PAYMENTS_FIXTURE_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_PAYMENTS_PAYMENTS_FIXTURE_H_

#include <vector>

#include "services/payments/methods.h"
#include "tests/support/plans_of.h"
#include "tests/unit/services/orders/orders_fixture.h"

namespace tollbridge::payments {

using orders::Is;
using orders::kAbsent;
using orders::kAmbiguous;
using orders::kNoTarget;
using orders::kOrderId;
using orders::kPresent;
using orders::kSentAt;
using orders::kTransactionId;
using orders::kUndecided;
using orders::NewId;
using orders::NoSuchOrder;
using orders::ResultAs;
using orders::SetMark;
using orders::Shop;
using orders::Upper;

/// Plans, looks and results on a service that a test scripts.
class PaymentsTest : public orders::OrdersTest {
 protected:
  std::vector<operations::PlanRegistration> Plans() const {
    return test::PlansOf(PaymentMethods(options_));
  }

  PaymentOptions options_;
};

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_PAYMENTS_PAYMENTS_FIXTURE_H_
