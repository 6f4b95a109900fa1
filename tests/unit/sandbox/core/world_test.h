#ifndef TOLLBRIDGE_TESTS_UNIT_SANDBOX_CORE_WORLD_TEST_H_
#define TOLLBRIDGE_TESTS_UNIT_SANDBOX_CORE_WORLD_TEST_H_

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/core/world.h"
#include "tests/unit/sandbox/known_values.h"
#include "tests/unit/sandbox/results.h"

namespace tollbridge::sandbox {

inline constexpr std::string_view kExpiry = "122030";

/// A world whose clock stands, with what tests of the core do over and over.
class WorldTest : public testing::Test {
 protected:
  explicit WorldTest(Settings settings = {})
      : world_(std::move(settings), 7, ParseTime("2026-11-21T08:00:00Z")) {
    world_.orders.Subscribe(
        [this](const Order& order) { changes_.emplace_back(order.id, order.status); });
  }

  const Project& demo() const { return world_.simulation.settings.projects[0]; }
  const Project& shop() const { return world_.simulation.settings.projects[1]; }
  const Order& Get(const Uuid& id) const { return *world_.orders.Find(id); }
  const Transaction& Last(const Uuid& id) const { return Get(id).transactions.back(); }
  OrderStatus Status(const Uuid& id) const { return Get(id).status; }

  /// `method` empty: the customer picks.
  static OrderDraft Draft(std::string_view method, std::int64_t amount = 1000) {
    OrderDraft draft;
    draft.order.amount = amount;
    draft.order.currency = "EUR";
    draft.order.customer_picks = method.empty();
    if (!method.empty()) {
      Transaction transaction;
      transaction.payment_method = method;
      draft.order.transactions.push_back(std::move(transaction));
    }
    return draft;
  }
  Uuid Create(OrderDraft draft) {
    auto created = world_.payments.Create(demo(), std::move(draft));
    EXPECT_TRUE(created.ok());
    return (*created)->id;
  }
  Uuid Create(std::string_view method, std::int64_t amount = 1000) {
    return Create(Draft(method, amount));
  }
  /// An order with a card transaction and this capture_mode.
  Uuid CreateWithMode(std::string_view capture_mode) {
    OrderDraft draft = Draft("credit-card");
    draft.order.transactions[0].capture_mode = capture_mode;
    return Create(std::move(draft));
  }
  /// Stores the card with the order's setup token.
  Uuid Store(const Uuid& order, std::string_view pan, std::string_view name = "A Cardholder") {
    const std::optional<Uuid> token = Uuid::Parse(Last(order).Detail("setup_token"));
    EXPECT_TRUE(token);
    auto stored = world_.vault.Store(demo().id, *token, Card(pan, name));
    EXPECT_TRUE(stored.ok());
    return stored->token;
  }
  static CardEntry Card(std::string_view pan, std::string_view name = "A Cardholder") {
    return {.pan = pan, .expiry = kExpiry, .cardholder_name = name};
  }
  std::optional<ApiError> PayOnPage(const Uuid& order, std::string_view pan) {
    return ErrorOf(world_.payments.PayWithCard(order, Last(order).id, Card(pan)));
  }
  std::optional<ApiError> Initiate(const Uuid& order, const Uuid& card) {
    return ErrorOf(world_.payments.Initiate(demo(), order, Last(order).id, card));
  }
  std::optional<ApiError> Authenticate(const Uuid& order, const Uuid& card,
                                       const std::optional<ExternalAuthentication>& external = {}) {
    return ErrorOf(world_.payments.Authenticate(demo(), order, Last(order).id, card, external));
  }
  /// A completed card payment on the hosted page.
  Uuid Paid(std::int64_t amount = 1000) {
    const Uuid order = Create("credit-card", amount);
    EXPECT_FALSE(PayOnPage(order, kApprovedPan));
    return order;
  }
  /// An authorization on the hosted page.
  Uuid Authorized(std::string_view mode = "manual") {
    const Uuid order = CreateWithMode(mode);
    EXPECT_FALSE(PayOnPage(order, kApprovedPan));
    return order;
  }

  void Advance(Millis by) {
    const Time until = world_.simulation.clock.Now() + by;
    while (world_.simulation.timeline.StepTowards(until)) {
    }
  }

  /// Statuses that the order took, as observers saw them.
  std::vector<OrderStatus> ChangesOf(const Uuid& id) const {
    std::vector<OrderStatus> out;
    for (const auto& [order, status] : changes_) {
      if (order == id) out.push_back(status);
    }
    return out;
  }
  std::vector<Effect> Effects() const {
    std::vector<Effect> out;
    for (const LedgerEntry& entry : world_.simulation.ledger.entries()) out.push_back(entry.effect);
    return out;
  }

  World world_;
  std::vector<std::pair<Uuid, OrderStatus>> changes_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_TESTS_UNIT_SANDBOX_CORE_WORLD_TEST_H_
