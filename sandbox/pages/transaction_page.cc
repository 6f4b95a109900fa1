#include "sandbox/pages/transaction_page.h"

#include "sandbox/core/result.h"
#include "sandbox/pages/card_form.h"
#include "sandbox/pages/customer_way.h"
#include "sandbox/pages/form.h"

namespace tollbridge::sandbox {
namespace {

enum class Kind { kCardForm, kStoredCard, kWallet, kPayout };

Kind KindOf(const Transaction& transaction) {
  if (transaction.payment_method == "credit-card-oct") return Kind::kPayout;
  if (transaction.payment_method != "credit-card") return Kind::kWallet;
  return IsOneClick(transaction) ? Kind::kStoredCard : Kind::kCardForm;
}

bool CanBePaid(const Attempt& attempt) {
  return IsOpen(*attempt.order) && attempt.transaction->status == TransactionStatus::kNew;
}

std::string AlertOf(const CardErrors& errors) {
  return errors.general.empty() ? "" : Alert("refused", EscapeHtml(errors.general));
}

std::string StoredCardForm(const Transaction& transaction) {
  return "<p>Pay with card <strong id=\"card\">" + EscapeHtml(LastFour(transaction)) +
         "</strong></p><form method=\"post\"><p>" + Button("action", "pay", "Pay with this card") +
         "</p></form>";
}

std::string WalletSheet(const Transaction& transaction) {
  return "<p>This stands in for the sheet that " + MethodName(transaction.payment_method) +
         " shows on the device.</p><form method=\"post\"><p>" +
         Button("outcome", "approve", "Approve") + Button("outcome", "decline", "Decline", true) +
         "</p></form>";
}

/// Back to the methods, where the customer picks.
std::string OtherMethod(const Site& site, const Order& order) {
  if (!order.customer_picks) return "";
  return "<p>" + Link(site.addresses->OrderPage(order.id), "Choose another method") + "</p>";
}

http::Response PageFor(const Site& site, const Attempt& attempt, int status, const TypedCard& card,
                       const CardErrors& errors) {
  const Order& order = *attempt.order;
  const Bill bill = BillOf(site, order);
  const bool verifies = order.amount == 0;
  std::string body;
  switch (KindOf(*attempt.transaction)) {
    case Kind::kPayout:
      return Render({.title = "A payout needs no customer",
                     .body = AlertOf(errors) + "<p>The shop pays out " + Shown(bill.amount) +
                             " by itself. There is nothing to do on this page.</p>",
                     .status = status});
    case Kind::kWallet:
      body = AlertOf(errors) + Draw(bill) + WalletSheet(*attempt.transaction);
      break;
    case Kind::kStoredCard:
      body = AlertOf(errors) + Draw(bill) + StoredCardForm(*attempt.transaction);
      break;
    case Kind::kCardForm:
      body = Draw(bill) + DrawCardForm(card, errors, verifies ? "Verify the card" : "Pay");
      break;
  }
  body += OtherMethod(site, order) + CancelForm(site, order);
  return Render({.title = verifies ? "Verify your card" : "Pay " + bill.amount,
                 .body = std::move(body),
                 .status = status});
}

/// The payment was taken in, but what became of it was not learned.
http::Response OutcomeUnknown(const Site& site, const Order& order, int status) {
  return Render(
      {.title = "Payment in progress",
       .body =
           Alert("unknown", "It could not be learned how the payment ended. Do not pay again.") +
           "<p>" + Link(site.addresses->ResultPage(order.id), "See how the payment stands") +
           "</p>",
       .status = status});
}

Result<void> Pay(const Site& site, const Attempt& attempt, const TypedCard& card,
                 const Form& form) {
  Payments& payments = site.world->payments;
  const Uuid& order = attempt.order->id;
  const Uuid& transaction = attempt.transaction->id;
  switch (KindOf(*attempt.transaction)) {
    case Kind::kPayout:
      return Invalid("a payout needs no customer");
    case Kind::kWallet:
      if (form["outcome"] != "approve" && form["outcome"] != "decline") {
        return Invalid("neither Approve nor Decline was pressed");
      }
      return payments.PayWithWallet(order, transaction, form["outcome"] == "approve");
    case Kind::kStoredCard:
      return payments.PayWithStoredCard(order, transaction);
    case Kind::kCardForm:
      break;
  }
  return payments.PayWithCard(
      order, transaction, {.pan = card.pan, .expiry = card.expiry, .cardholder_name = card.name});
}

}  // namespace

http::Response ShowTransaction(const Site& site, const Call& call) {
  const std::optional<Attempt> attempt = AttemptOf(site, call);
  if (!attempt) return NotFoundPage();
  const bool payout = KindOf(*attempt->transaction) == Kind::kPayout;
  if (!payout && !CanBePaid(*attempt)) {
    return SeeOther(PageOf(*attempt->order, *attempt->transaction, *site.addresses));
  }
  return PageFor(site, *attempt, 200, {}, {});
}

http::Response PayOnPage(const Site& site, const Call& call) {
  const std::optional<Attempt> attempt = AttemptOf(site, call);
  if (!attempt) return NotFoundPage();
  const Form form(call.request->body);
  const Kind kind = KindOf(*attempt->transaction);
  // A second press of the button pays nothing, and goes where the first one went.
  if (kind != Kind::kPayout && !CanBePaid(*attempt)) {
    return SeeOther(WayAfter(*attempt->order, *attempt->transaction, *site.addresses));
  }
  const TypedCard card = ReadCard(form);
  if (kind == Kind::kCardForm) {
    const CardErrors seen = Look(card);
    if (!seen.none()) return PageFor(site, *attempt, 422, card, seen);
  }
  if (const Result<void> paid = Pay(site, *attempt, card, form); !paid.ok()) {
    const ApiError& error = paid.error();
    if (attempt->transaction->status == TransactionStatus::kAccepted) {
      return OutcomeUnknown(site, *attempt->order, error.status);
    }
    return PageFor(site, *attempt, error.status, card, Sort(error));
  }
  return SeeOther(WayAfter(*attempt->order, *attempt->transaction, *site.addresses));
}

}  // namespace tollbridge::sandbox
