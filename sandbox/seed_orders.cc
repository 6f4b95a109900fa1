#include "sandbox/seed_orders.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "sandbox/core/issuer.h"
#include "sandbox/core/random.h"
#include "sandbox/core/test_cards.h"

namespace tollbridge::sandbox {
namespace {

constexpr Millis kSpan = std::chrono::days(90);
/// Older orders are never open.
constexpr Millis kOpenFor = std::chrono::days(20);
constexpr std::string_view kValidityText = "P30D";
constexpr Millis kValidity = std::chrono::days(30);
constexpr std::string_view kCardExpiry = "122099";
constexpr std::uint64_t kCustomers = 5'000;
// Of the ids' source nothing but ids is taken: another mix must not shift them.
constexpr std::uint64_t kMixSeed = 0x5EED;

enum class Kind {
  kPaid,
  kDeclined,
  kIssuerFailed,
  kCancelled,
  kExpired,
  kNew,
  kChallenged,
  kRefund
};

/// What the orders of a shop are, one after the other and over again. Open ones become expired
/// where they are too old, a refund needs a paid order before it.
constexpr std::array<Kind, 25> kMix = {
    Kind::kPaid, Kind::kPaid,      Kind::kPaid,         Kind::kDeclined, Kind::kPaid,
    Kind::kPaid, Kind::kPaid,      Kind::kRefund,       Kind::kPaid,     Kind::kPaid,
    Kind::kPaid, Kind::kCancelled, Kind::kPaid,         Kind::kPaid,     Kind::kPaid,
    Kind::kPaid, Kind::kDeclined,  Kind::kPaid,         Kind::kExpired,  Kind::kPaid,
    Kind::kPaid, Kind::kNew,       Kind::kIssuerFailed, Kind::kPaid,     Kind::kChallenged};

std::string Numbered(std::string_view prefix, std::uint64_t number) {
  std::array<char, 24> digits{};
  std::snprintf(digits.data(), digits.size(), "%06llu", static_cast<unsigned long long>(number));
  return std::string(prefix) + digits.data();
}

class Seeder {
 public:
  Seeder(World* world, const Project& project)
      : world_(world),
        project_(project),
        mix_(world->simulation.seed ^ kMixSeed ^ world->orders.by_creation().size()),
        now_(world->simulation.clock.Now()) {
    for (std::size_t i = 0; i < TestCards().size(); ++i) {
      if (TestCards()[i].outcome == CardOutcome::kApproved) good_cards_.push_back(i);
      if (TestCards()[i].outcome == CardOutcome::kDeclined) bad_cards_.push_back(i);
      if (TestCards()[i].outcome == CardOutcome::kChallenge) challenge_card_ = i;
    }
    takes_cards_ = project.HasMethod("credit-card");
    for (const std::string& method : project.payment_methods) {
      if (method != "credit-card" && method != "credit-card-oct") wallets_.push_back(method);
    }
  }

  std::size_t Run(std::size_t count) {
    const std::uint64_t before = world_->orders.by_creation().size();
    for (std::size_t i = 0; i < count; ++i) {
      if (world_->orders.full()) return i;
      Make(kMix[i % kMix.size()], before == 0 ? SlotOf(i, count) : now_, before + i + 1);
    }
    return count;
  }

 private:
  /// One of `count` moments, ascending over kSpan; the last ones lie just before now.
  Time SlotOf(std::size_t i, std::size_t count) {
    const Millis slot = kSpan / static_cast<std::int64_t>(count);
    const Time begin = now_ - slot * static_cast<std::int64_t>(count - i);
    const auto width = static_cast<std::uint64_t>(std::max<std::int64_t>(slot.count(), 1));
    return begin + Millis{static_cast<std::int64_t>(mix_.Below(width))};
  }

  void Make(Kind kind, Time created, std::uint64_t number) {
    if (kind == Kind::kRefund && last_paid_) {
      MakeRefund(created);
      return;
    }
    if (kind == Kind::kRefund || (kind == Kind::kChallenged && !takes_cards_)) kind = Kind::kPaid;
    const bool open = kind == Kind::kNew || kind == Kind::kChallenged;
    if (open && created < now_ - kOpenFor) kind = Kind::kExpired;
    Order draft = Draft(number);
    draft.transactions.push_back(Attempt(kind));
    Order& order = world_->orders.Add(std::move(draft));
    Date(order, created);
    Transaction& transaction = order.transactions.front();
    switch (kind) {
      case Kind::kPaid:
      case Kind::kRefund:
        End(order, TransactionStatus::kCompleted, OrderStatus::kCompleted, true);
        SetOutcome(kApproved, &transaction);
        if (transaction.payment_method == "credit-card") Approve(&transaction);
        if (!transaction.debit) last_paid_ = order.id;
        break;
      case Kind::kDeclined:
        End(order, TransactionStatus::kDeclined, OrderStatus::kError, true);
        order.reason = "declined: " + transaction.response_code_description;
        break;
      case Kind::kIssuerFailed:
        End(order, TransactionStatus::kError, OrderStatus::kError, true);
        SetOutcome(kUnavailable, &transaction);
        order.reason = kUnavailable.description;
        break;
      case Kind::kCancelled:
        End(order, TransactionStatus::kCancelled, OrderStatus::kCancelled, false);
        order.reason = "cancelled by the customer";
        break;
      case Kind::kExpired:
        End(order, TransactionStatus::kExpired, OrderStatus::kExpired, false);
        order.reason = "expired";
        break;
      case Kind::kChallenged:
        Challenge(order);
        break;
      case Kind::kNew:
        break;
    }
    if (!IsFinal(order.status)) ExpireLater(order);
  }

  Order Draft(std::uint64_t number) {
    Order order;
    order.project_id = project_.id;
    order.merchant_id = project_.merchant_id;
    order.test = project_.test;
    order.amount = 100 + static_cast<std::int64_t>(mix_.Below(50'000));
    order.currency = Currency();
    order.merchant_order_id = Numbered("seed-", number);
    order.description = "Seeded order";
    const std::uint64_t customer = 1 + mix_.Below(kCustomers);
    order.customer = R"({"merchant_customer_id":")" + Numbered("customer-", customer) +
                     R"(","email_address":"customer-)" + std::to_string(customer) +
                     R"(@shop.example","country":"FI","locale":"en"})";
    return order;
  }

  /// Every second order is in the project's main currency.
  std::string Currency() {
    const std::vector<std::string>& all = project_.currencies;
    if (project_.HasCurrency("EUR") && mix_.Below(2) == 0) return "EUR";
    return all[static_cast<std::size_t>(mix_.Below(all.size()))];
  }

  /// The one attempt at paying, as it was when it was asked for.
  Transaction Attempt(Kind kind) {
    Transaction transaction;
    const bool needs_card = kind == Kind::kDeclined || kind == Kind::kChallenged;
    const bool by_card = takes_cards_ && (needs_card || wallets_.empty() || mix_.Below(5) > 0);
    if (!by_card) {
      if (wallets_.empty()) {
        // All that this project can do is pay out.
        transaction.payment_method = "credit-card-oct";
        transaction.transaction_type = "oct";
        transaction.debit = true;
      } else {
        transaction.payment_method =
            wallets_[static_cast<std::size_t>(mix_.Below(wallets_.size()))];
      }
      if (kind == Kind::kDeclined) SetOutcome(kDoNotHonor, &transaction);
      return transaction;
    }
    transaction.payment_method = "credit-card";
    if (kind == Kind::kNew || kind == Kind::kCancelled || kind == Kind::kExpired ||
        kind == Kind::kChallenged) {
      return transaction;
    }
    const std::vector<std::size_t>& cards = kind == Kind::kDeclined ? bad_cards_ : good_cards_;
    const std::size_t index = cards[static_cast<std::size_t>(mix_.Below(cards.size()))];
    const TestCard& test_card = TestCards()[index];
    WriteCard({.test_card = index,
               .truncated_pan = TruncatePan(test_card.pan),
               .expiry = std::string(kCardExpiry)},
              &transaction);
    if (kind == Kind::kDeclined) {
      transaction.response_code = test_card.response_code;
      transaction.response_code_description = test_card.response_code_description;
    }
    return transaction;
  }

  void Approve(Transaction* transaction) {
    transaction->details["approval_code"] = mix_.Digits(6);
    transaction->details["authorization_iso_response_code"] = kApproved.code;
  }

  /// Orders::Add has dated it now.
  static void Date(Order& order, Time created) {
    order.created = order.modified = created;
    for (Transaction& transaction : order.transactions) {
      transaction.created = transaction.modified = created;
      for (EventRecord& event : transaction.events) event.occurred = created;
    }
  }

  void AddEvent(Transaction* transaction, TransactionStatus status, Time when) {
    transaction->status = status;
    transaction->modified = when;
    transaction->events.push_back(
        {.id = world_->simulation.ids.NewUuid(), .event = status, .occurred = when});
  }

  /// A minute or so after it was created, but not in the future.
  void End(Order& order, TransactionStatus transaction, OrderStatus status, bool started) {
    const Time end = std::min(
        order.created + Millis{5'000 + static_cast<std::int64_t>(mix_.Below(115'000))}, now_);
    Transaction& attempt = order.transactions.front();
    if (started) AddEvent(&attempt, TransactionStatus::kAccepted, std::min(end, now_));
    AddEvent(&attempt, transaction, end);
    order.status = status;
    order.modified = end;
    if (status == OrderStatus::kCompleted) order.completed = end;
  }

  /// The customer is on the issuer's page; the card lies in the vault meanwhile.
  void Challenge(Order& order) {
    Transaction& transaction = order.transactions.front();
    const VaultCard& card = world_->vault.Keep(
        project_.id,
        {.pan = TestCards()[challenge_card_].pan, .expiry = kCardExpiry, .cardholder_name = ""});
    transaction.card = card.token;
    WriteCard(card, &transaction);
    AddEvent(&transaction, TransactionStatus::kPending, order.created);
    order.status = OrderStatus::kProcessing;
  }

  void ExpireLater(Order& order) {
    order.expiration_period = kValidityText;
    for (Transaction& transaction : order.transactions) {
      transaction.expiration_period = kValidityText;
    }
    world_->simulation.timeline.At(order.created + kValidity, [world = world_, id = order.id] {
      // Refused where it was paid meanwhile.
      std::ignore = world->payments.Expire(id);
    });
  }

  /// Of the last paid order, whole or half; each is refunded once.
  void MakeRefund(Time created) {
    const Order& paid = *world_->orders.Find(*last_paid_);
    Order draft;
    draft.project_id = paid.project_id;
    draft.merchant_id = paid.merchant_id;
    draft.test = paid.test;
    draft.amount = mix_.Below(2) == 0 ? paid.amount : paid.amount / 2;
    draft.currency = paid.currency;
    draft.merchant_order_id = paid.merchant_order_id;
    draft.description = paid.description;
    draft.relation = Relation::kRefund;
    draft.related_order = paid.id;
    const Transaction& payment = paid.transactions.front();
    Transaction transaction;
    transaction.payment_method = payment.payment_method;
    transaction.payment_method_brand = payment.payment_method_brand;
    transaction.debit = true;
    transaction.refund_of = payment.id;
    for (const std::string_view kept : {"truncated_pan", "card_expiry"}) {
      if (const std::string_view value = payment.Detail(kept); !value.empty()) {
        transaction.details[kept] = value;
      }
    }
    draft.transactions.push_back(std::move(transaction));
    Order& refund = world_->orders.Add(std::move(draft));
    Date(refund, created);
    End(refund, TransactionStatus::kCompleted, OrderStatus::kCompleted, true);

    Order& origin = world_->orders.Edit(*last_paid_);
    origin.children.emplace_back(Relation::kRefund, refund.id);
    origin.refunded_amount = refund.amount;
    origin.modified = created;
    last_paid_.reset();
  }

  World* world_;
  const Project& project_;
  Random mix_;
  const Time now_;
  /// Indexes into TestCards().
  std::vector<std::size_t> good_cards_;
  std::vector<std::size_t> bad_cards_;
  std::size_t challenge_card_ = 0;
  bool takes_cards_ = false;
  std::vector<std::string> wallets_;
  std::optional<Uuid> last_paid_;
};

}  // namespace

std::size_t SeedOrders(World* world, const Project& project, std::size_t count) {
  return Seeder(world, project).Run(count);
}

}  // namespace tollbridge::sandbox
