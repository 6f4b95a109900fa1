#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_ORDERS_ORDERS_FIXTURE_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_ORDERS_ORDERS_FIXTURE_H_

#include <memory>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "services/domain/mark.h"
#include "services/domain/refusal.h"
#include "services/domain/timestamps.h"
#include "services/operations/evidence.h"
#include "services/operations/identity.h"
#include "services/operations/plan.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/scripted_orders.h"

namespace tollbridge::orders {

inline const std::string kOrderId = "0b8a1f5e-7f5c-4a0e-9d53-0c6f2f6c1a01";
inline const std::string kTransactionId = "0b8a1f5e-7f5c-4a0e-9d53-0c6f2f6c1a02";
inline constexpr WallTime kSentAt{std::chrono::milliseconds(1767323045678)};

inline domain::Project Shop() {
  domain::Project project;
  project.name = "shop";
  project.id = *Uuid::Parse("3b241101-e2bb-4255-8caf-4136c566a962");
  project.webhook_url = "https://hooks.example/webhooks/secret-token";
  return project;
}

inline std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

inline std::string NewId(int number) {
  return Uuid::V5(Uuid{}, "order " + std::to_string(number)).ToString();
}

inline void SetMark(common::v1::Order& order, const Uuid& operation,
                    const std::string& epoch = "e1", std::uint32_t attempt = 1) {
  (*order.mutable_extra()->mutable_fields())[std::string(domain::kMarkField)].set_string_value(
      domain::ToText({.operation = operation, .epoch = epoch, .attempt = attempt}));
}

/// What a read says when the payment service's answer is a 404 with the error object.
inline absl::Status NoSuchOrder() {
  return domain::ToError({.http_status = 404, .type = "NotFoundError"});
}

/// Plans, looks and results on a service that a test scripts.
class OrdersTest : public ::testing::Test {
 protected:
  OrdersTest() {
    look_.project = &project_;
    look_.operation = operation_;
    look_.step.order_id = kOrderId;
    look_.step.transaction_id = kTransactionId;
    look_.sent_at = kSentAt;
  }

  /// The order that steps are about, with its transaction, status new.
  common::v1::Order& Root() {
    common::v1::Order& order = service_.orders[kOrderId];
    if (order.id().empty()) {
      order.set_id(kOrderId);
      order.set_status(common::v1::ORDER_STATUS_NEW);
      auto* transaction = order.add_transactions();
      transaction->set_id(kTransactionId);
      transaction->set_status(common::v1::TRANSACTION_STATUS_NEW);
      transaction->set_amount(1000);
    }
    return order;
  }

  operations::Finding Look(const operations::StepKind& kind) {
    return test::Await(context_, kind.look(service_, look_));
  }

  /// Sends the plan's only step.
  ports::Answer Send(const operations::Plan& plan) {
    operations::StepContext step;
    step.mark = "the mark";
    step.guard.write_before = BootTime{std::chrono::seconds(7)};
    return test::Await(context_, plan.steps.at(0).send(service_, step));
  }

  static common::v1::Order Order(const std::string& id) {
    common::v1::Order order;
    order.set_id(id);
    order.set_amount(500);
    order.set_currency("EUR");
    order.set_webhook_url("https://hooks.example/webhooks/secret-token");
    SetMark(order, Uuid{});
    return order;
  }

  boost::asio::io_context context_;
  test::ScriptedOrders service_;
  domain::Project project_ = Shop();
  domain::Projects projects_{{Shop()}};
  Uuid operation_ = operations::OperationId(Shop().id, "key");
  operations::LookRequest look_;
};

MATCHER_P(Is, presence, "") { return arg.presence == presence; }

inline constexpr auto kPresent = operations::Presence::kPresent;
inline constexpr auto kAbsent = operations::Presence::kAbsent;
inline constexpr auto kNoTarget = operations::Presence::kNoTarget;
inline constexpr auto kUndecided = operations::Presence::kUndecided;
inline constexpr auto kAmbiguous = operations::Presence::kAmbiguous;

template <typename Message>
const Message& ResultAs(const operations::Finding& finding) {
  return dynamic_cast<const Message&>(*finding.result);
}

}  // namespace tollbridge::orders

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_ORDERS_ORDERS_FIXTURE_H_
