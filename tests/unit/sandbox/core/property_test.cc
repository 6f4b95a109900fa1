// Random sequences of calls never leave the transition tables and never break an invariant. A
// failure names the seed; the steps follow from it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "sandbox/core/transitions.h"
#include "tests/unit/sandbox/core/world_test.h"

namespace tollbridge::sandbox {
namespace {

constexpr int kSequences = 150;
constexpr int kSteps = 250;

/// Whether the table has a line between the two.
template <typename Status>
bool IsInTable(std::span<const Transition<Status>> table, Status from, Status to) {
  return std::ranges::any_of(
      table, [&](const Transition<Status>& line) { return line.from == from && line.to == to; });
}

/// Changes of status that were seen in all sequences.
struct Seen {
  std::set<std::pair<OrderStatus, OrderStatus>> orders;
  std::set<std::pair<TransactionStatus, TransactionStatus>> transactions;
  std::set<std::pair<LinkStatus, LinkStatus>> links;
};

/// One sequence of calls in a world of its own.
class Sequence {
 public:
  Sequence(unsigned seed, Seen* seen)
      : dice_(seed),
        seen_(seen),
        world_(MakeSettings(seed), seed, ParseTime("2026-11-21T08:00:00Z")) {
    world_.orders.Subscribe([this](const Order& order) {
      const auto before = statuses_.find(order.id);
      const OrderStatus from = before == statuses_.end() ? OrderStatus::kNew : before->second;
      EXPECT_TRUE(IsInTable(OrderTransitions(), from, order.status))
          << Text(from) << " -> " << Text(order.status);
      seen_->orders.emplace(from, order.status);
      statuses_[order.id] = order.status;
    });
  }

  void Run() {
    for (int step = 0; step < kSteps && !testing::Test::HasFailure(); ++step) {
      Step();
      Check();
    }
  }

 private:
  static Settings MakeSettings(unsigned seed) {
    Settings settings;
    settings.max_orders = 400;
    settings.variants.pending_refunds = seed % 2 == 0;
    return settings;
  }

  std::size_t Below(std::size_t bound) { return dice_() % bound; }
  const Project& demo() const { return world_.simulation.settings.projects[0]; }
  std::string_view AnyPan() { return TestCards()[Below(TestCards().size())].pan; }
  Uuid AnyOrder() {
    const auto& all = world_.orders.by_creation();
    if (all.empty()) return {};
    // Mostly young ones: the old ones are final.
    const std::size_t span = Below(2) == 0 ? all.size() : std::min<std::size_t>(all.size(), 5);
    return all[all.size() - 1 - Below(span)];
  }
  /// A transaction of that order, now and then of no order.
  Uuid AnyTransaction(const Uuid& id) {
    const Order* order = world_.orders.Find(id);
    if (order == nullptr || order->transactions.empty() || Below(20) == 0) return Uuid();
    return order->transactions[Below(order->transactions.size())].id;
  }
  Uuid AnyCard() { return cards_.empty() ? Uuid() : cards_[Below(cards_.size())]; }
  std::optional<std::int64_t> AnyAmount() {
    if (Below(2) == 0) return std::nullopt;
    return static_cast<std::int64_t>(Below(1200)) + 1;
  }

  void Step() {
    const Uuid order = AnyOrder();
    const Uuid transaction = AnyTransaction(order);
    switch (Below(21)) {
      case 0:
      case 1:
      case 2:
        return Create();
      case 3:
        return StoreCard(order);
      case 4:
        std::ignore = world_.payments.Initiate(demo(), order, transaction, AnyCard());
        return;
      case 5:
      case 6:
        Authenticate(order, transaction);
        return;
      case 7:
        std::ignore = world_.payments.ExecuteWalletB(order, transaction, AnyCard(), Below(2) == 0);
        return;
      case 8:
        std::ignore =
            world_.payments.ChooseMethod(order, Below(2) == 0 ? "credit-card" : "wallet-a-pay");
        return;
      case 9:
      case 10:
        std::ignore = world_.payments.PayWithCard(
            order, transaction, {.pan = AnyPan(), .expiry = kExpiry, .cardholder_name = "A"});
        return;
      case 11:
        std::ignore = world_.payments.PayWithWallet(order, transaction, Below(2) == 0);
        return;
      case 12:
        std::ignore = world_.payments.EndChallenge(order, transaction, Below(3) != 0);
        return;
      case 13:
        std::ignore = world_.payments.Cancel(order);
        return;
      case 14:
        std::ignore = world_.follow_ups.Capture(order, transaction, AnyAmount(), std::nullopt);
        return;
      case 15:
        std::ignore = world_.follow_ups.Void(order, transaction, AnyAmount(), std::nullopt);
        return;
      case 16:
        std::ignore = world_.follow_ups.Refund(order, AnyAmount(), std::nullopt);
        return;
      case 17:
        return Operate(order);
      case 18:
        return Link();
      case 19:
        return TryTwice(order);
      default:
        return Advance();
    }
  }

  void Create() {
    static constexpr std::string_view kMethods[] = {
        "", "credit-card", "credit-card", "credit-card-oct", "wallet-a-pay", "wallet-b-pay"};
    static constexpr std::string_view kModes[] = {"", "", "manual", "delayed"};
    OrderDraft draft;
    draft.order.amount = Below(10) == 0 ? 0 : 1000;
    draft.order.currency = "EUR";
    if (Below(3) == 0) draft.order.expiration_period = "PT10M";
    const std::string_view method = kMethods[Below(std::size(kMethods))];
    draft.order.customer_picks = method.empty();
    if (!method.empty()) {
      Transaction transaction;
      transaction.payment_method = method;
      if (method == "credit-card") transaction.capture_mode = kModes[Below(std::size(kModes))];
      if (method == "credit-card-oct") {
        transaction.transaction_type = "oct";
        transaction.debit = true;
        if (!cards_.empty() && Below(2) == 0) {
          transaction.details["vault_token"] = AnyCard().ToString();
        }
      }
      draft.order.transactions.push_back(std::move(transaction));
    }
    const auto created = world_.payments.Create(demo(), std::move(draft));
    if (created.ok()) RememberToken(**created);
  }

  void RememberToken(const Order& order) {
    if (order.transactions.empty()) return;
    const auto token = Uuid::Parse(order.transactions[0].Detail("setup_token"));
    if (token) tokens_.push_back({*token, world_.simulation.clock.Now(), false});
  }

  /// A setup token is good once, and for 300 seconds.
  void StoreCard(const Uuid& /*order*/) {
    if (tokens_.empty()) return;
    Token& token = tokens_[Below(tokens_.size())];
    const bool good =
        !token.used && world_.simulation.clock.Now() - token.issued <= std::chrono::seconds(300);
    const auto stored = world_.vault.Store(
        demo().id, token.id, {.pan = AnyPan(), .expiry = kExpiry, .cardholder_name = "A"});
    EXPECT_EQ(stored.ok(), good);
    if (!stored.ok()) return;
    token.used = true;
    cards_.push_back(stored->token);
  }

  void Authenticate(const Uuid& order, const Uuid& transaction) {
    std::optional<ExternalAuthentication> external;
    if (Below(2) == 0) external = ExternalAuthentication{"AAAB", "2.2.0", "challenge", "ds"};
    std::ignore = world_.payments.Authenticate(demo(), order, transaction, AnyCard(), external);
  }

  /// A customer who goes back and pays again while the first issuer has not answered.
  void TryTwice(const Uuid& order) {
    for (const std::string_view pan : {kLatePan, kApprovedPan}) {
      const auto chosen = world_.payments.ChooseMethod(order, "credit-card");
      if (chosen.ok()) {
        std::ignore = world_.payments.PayWithCard(
            order, *chosen, {.pan = pan, .expiry = kExpiry, .cardholder_name = "A"});
      }
    }
  }

  void Operate(const Uuid& order) {
    switch (Below(5)) {
      case 0:
        std::ignore = world_.Approve(order);
        return;
      case 1:
        std::ignore = world_.Decline(order);
        return;
      case 2:
        std::ignore = world_.payments.Expire(order);
        return;
      case 3:
        std::ignore = world_.follow_ups.Chargeback(order, AnyAmount());
        return;
      default:
        std::ignore = world_.follow_ups.Reversal(order, AnyAmount());
        return;
    }
  }

  void Link() {
    if (links_.empty() || Below(3) == 0) {
      PaymentLink draft;
      draft.merchant_order_id = "link";
      draft.amount = 500;
      draft.currency = "EUR";
      draft.expiration_period = Below(2) == 0 ? "PT20M" : "";
      const auto link = world_.links.Create(demo(), std::move(draft));
      links_.push_back((*link)->id);
      link_statuses_[links_.back()] = LinkStatus::kNew;
      return;
    }
    const PaymentLink& link = *world_.links.Find(links_[Below(links_.size())]);
    if (link.status == LinkStatus::kExpired && !link.orders.empty()) {
      std::ignore = world_.payments.Approve(link.orders.back());
      return;
    }
    std::ignore = world_.links.StartAttempt(link.id, "credit-card");
  }

  void Advance() {
    static constexpr int kSeconds[] = {1, 29, 60, 301, 1800, 3600, 90'000};
    const Time until =
        world_.simulation.clock.Now() + std::chrono::seconds(kSeconds[Below(std::size(kSeconds))]);
    while (world_.simulation.timeline.StepTowards(until)) {
    }
  }

  void Check() {
    for (const auto& [id, order] : world_.orders.by_id()) {
      for (const Transaction& transaction : order.transactions) CheckTransaction(transaction);
      CheckHold(order);
      EXPECT_LE(order.refunded_amount, order.amount);
      EXPECT_LE(order.charged_back_amount, order.amount);
      EXPECT_LE(order.reversed_amount, order.amount);
      EXPECT_EQ(order.completed.has_value(), order.status == OrderStatus::kCompleted ||
                                                 order.status == OrderStatus::kSeeTransactions);
      EXPECT_GE(order.modified, order.created);
      if (order.relation != Relation::kNone) CheckOrigin(order);
    }
    for (auto& [id, before] : link_statuses_) {
      const PaymentLink& link = *world_.links.Find(id);
      // Several lines may have been walked within one step.
      EXPECT_TRUE(link.status == before || Reaches(before, link.status))
          << Text(before) << " -> " << Text(link.status);
      EXPECT_EQ(link.status == LinkStatus::kCompleted, link.completed_order.has_value());
      seen_->links.emplace(before, link.status);
      before = link.status;
    }
    CheckLedger();
  }

  void CheckTransaction(const Transaction& transaction) {
    EXPECT_EQ(transaction.events.front().event, TransactionStatus::kNew);
    EXPECT_EQ(transaction.events.back().event, transaction.status);
    for (std::size_t i = 1; i < transaction.events.size(); ++i) {
      EXPECT_TRUE(IsInTable(TransactionTransitions(), transaction.events[i - 1].event,
                            transaction.events[i].event));
      seen_->transactions.emplace(transaction.events[i - 1].event, transaction.events[i].event);
      EXPECT_GE(transaction.events[i].occurred, transaction.events[i - 1].occurred);
    }
    EXPECT_GE(transaction.remaining_authorized(), 0);
    EXPECT_FALSE(transaction.details.contains("cvc"));
    if (transaction.is_capturable) {
      EXPECT_EQ(transaction.status, TransactionStatus::kCompleted);
      EXPECT_GT(transaction.remaining_authorized(), 0);
    }
  }

  /// Own checkout: processing for at most 60 minutes after its transaction was final.
  void CheckHold(const Order& order) const {
    if (order.status != OrderStatus::kProcessing || order.transactions.size() != 1) return;
    const Transaction& transaction = order.transactions[0];
    if (!transaction.own_checkout || !IsFinal(transaction.status)) return;
    EXPECT_LT(world_.simulation.clock.Now() - transaction.events.back().occurred,
              std::chrono::minutes(60));
  }

  void CheckOrigin(const Order& order) const {
    const Order* origin = world_.orders.Find(*order.related_order);
    ASSERT_NE(origin, nullptr);
    EXPECT_TRUE(std::ranges::count(origin->children, std::pair(order.relation, order.id)) == 1);
    EXPECT_EQ(origin->currency, order.currency);
  }

  /// What the ledger says of one transaction adds up: paid once, never taken more than that.
  void CheckLedger() const {
    struct Sums {
      int paid = 0;
      std::int64_t amount = 0;
      std::int64_t taken_and_released = 0;
      std::int64_t refunded = 0;
    };
    std::map<Uuid, Sums> sums;
    for (const LedgerEntry& entry : world_.simulation.ledger.entries()) {
      Sums& of = sums[entry.transaction_id];
      switch (entry.effect) {
        case Effect::kCharge:
        case Effect::kAuthorize:
        case Effect::kPayout:
          ++of.paid;
          of.amount = entry.amount;
          break;
        case Effect::kCapture:
        case Effect::kVoid:
          of.taken_and_released += entry.amount;
          break;
        case Effect::kRefund:
          of.refunded += entry.amount;
          break;
        default:
          break;
      }
    }
    for (const auto& [transaction, of] : sums) {
      EXPECT_LE(of.paid, 1);
      if (of.paid == 1) EXPECT_LE(of.taken_and_released, of.amount);
      if (of.paid == 1) EXPECT_LE(of.refunded, of.amount);
    }
  }

  static bool Reaches(LinkStatus from, LinkStatus to) {
    std::set<LinkStatus> reached = {from};
    for (std::size_t round = 0; round < LinkTransitions().size(); ++round) {
      for (const Transition<LinkStatus>& line : LinkTransitions()) {
        if (reached.contains(line.from)) reached.insert(line.to);
      }
    }
    return reached.contains(to);
  }

  struct Token {
    Uuid id;
    Time issued;
    bool used;
  };

  std::mt19937 dice_;
  Seen* seen_;
  World world_;
  std::map<Uuid, OrderStatus> statuses_;
  std::vector<Token> tokens_;
  std::vector<Uuid> cards_;
  std::vector<Uuid> links_;
  std::map<Uuid, LinkStatus> link_statuses_;
};

TEST(PropertyTest, RandomSequencesWalkEachLineOfTheTablesAndNoOther) {
  Seen seen;
  for (unsigned seed = 1; seed <= kSequences; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Sequence(seed, &seen).Run();
    if (HasFailure()) return;
  }
  // Else the sequences would show nothing about that line.
  for (const auto& line : OrderTransitions()) {
    EXPECT_TRUE(seen.orders.contains({line.from, line.to}))
        << Text(line.from) << " -> " << Text(line.to);
  }
  for (const auto& line : TransactionTransitions()) {
    EXPECT_TRUE(seen.transactions.contains({line.from, line.to}))
        << Text(line.from) << " -> " << Text(line.to);
  }
  for (const auto& line : LinkTransitions()) {
    EXPECT_TRUE(seen.links.contains({line.from, line.to}))
        << Text(line.from) << " -> " << Text(line.to);
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
