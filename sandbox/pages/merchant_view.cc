#include "sandbox/pages/merchant_view.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "base/core/text.h"
#include "sandbox/core/result.h"
#include "sandbox/pages/form.h"
#include "sandbox/pages/money_text.h"
#include "sandbox/pages/same_origin.h"
#include "sandbox/pages/table.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::size_t kMaxRefilledBytes = 40;
constexpr std::size_t kMaxDetailBytes = 4'096;
/// An order can have as many refunds as its amount has units.
constexpr std::size_t kMaxRelated = 100;
constexpr std::string_view kAmountError =
    "Enter a whole number of the smallest unit, or leave it empty.";

/// A path and not a whole address: the operator may know this server by another name.
std::string ViewAddress(const Uuid& order) { return "/_sandbox/view/" + order.ToString() + "/"; }

std::string_view NameOf(Relation relation) {
  switch (relation) {
    case Relation::kNone:
      return "order";
    case Relation::kRefund:
      return "refund";
    case Relation::kCapture:
      return "capture";
    case Relation::kVoid:
      return "void";
    case Relation::kChargeback:
      return "chargeback";
    case Relation::kReversal:
      return "reversal";
  }
  return "";
}

/// Rows of a list of names and values.
class Facts {
 public:
  /// `html` is HTML; nothing is added where it is empty.
  void Add(std::string_view name, std::string_view html) {
    if (html.empty()) return;
    rows_ += "<dt>" + std::string(name) + "</dt><dd>" + std::string(html) + "</dd>";
  }
  void AddText(std::string_view name, const std::optional<std::string>& text) {
    if (text && !text->empty()) Add(name, Shown(*text));
  }
  std::string Draw() const { return "<dl>" + rows_ + "</dl>"; }

 private:
  std::string rows_;
};

std::string OrderFacts(const Site& site, const Order& order) {
  const Project* project = site.world->FindProject(order.project_id);
  Facts facts;
  facts.Add("Status", "<strong id=\"status\">" + std::string(Text(order.status)) + "</strong>");
  facts.AddText("Reason", order.reason);
  facts.Add("Amount", Shown(MoneyText(order.amount, order.currency)));
  facts.AddText("Merchant's reference", order.merchant_order_id);
  facts.AddText("Description", order.description);
  facts.Add("Project", project == nullptr ? "" : Shown(project->name));
  facts.Add("Created", FormatTime(order.created));
  facts.Add("Modified", FormatTime(order.modified));
  if (order.completed) facts.Add("Completed", FormatTime(*order.completed));
  facts.AddText("return_url", order.return_url);
  facts.AddText("failure_url", order.failure_url);
  facts.AddText("webhook_url", order.webhook_url);
  if (order.payment_link) {
    facts.Add("Payment link",
              Link(site.addresses->LinkPage(*order.payment_link), order.payment_link->ToString()));
  }
  if (order.relation == Relation::kNone) {
    facts.Add("Hosted page", Link(site.addresses->OrderPage(order.id), "what the customer sees"));
  }
  return facts.Draw();
}

std::string Events(const Transaction& transaction) {
  Table table("Events of " + transaction.id.ToString(), {{"Occurred"}, {"Event"}});
  for (const EventRecord& record : transaction.events) {
    table.Add({FormatTime(record.occurred), std::string(Text(record.event))});
  }
  return table.Draw("Nothing has happened.");
}

std::string TransactionFacts(const Transaction& transaction, const std::string& currency) {
  Facts facts;
  facts.Add("Status", std::string(Text(transaction.status)));
  facts.AddText("Method", transaction.payment_method);
  facts.AddText("Brand", transaction.payment_method_brand);
  facts.AddText("Type", transaction.transaction_type);
  facts.Add("Amount", Shown(MoneyText(transaction.amount, currency)));
  facts.Add("Direction", transaction.debit ? "debit" : "credit");
  if (!transaction.capture_mode.empty()) {
    facts.AddText("Capture mode", transaction.capture_mode);
    facts.Add("Captured", Shown(MoneyText(transaction.captured_amount, currency)));
    facts.Add("Voided", Shown(MoneyText(transaction.voided_amount, currency)));
  }
  facts.AddText("Outcome",
                transaction.response_code.empty()
                    ? ""
                    : transaction.response_code + " " + transaction.response_code_description);
  if (!transaction.details.empty()) {
    facts.Add("Details", Shown(boost::json::serialize(transaction.details), kMaxDetailBytes));
  }
  return "<h3>" + transaction.id.ToString() + "</h3>" + facts.Draw() + Events(transaction);
}

std::string Related(const Site& site, const Order& order) {
  Table table("The one it was made from, and the last ones made from it, newest first",
              {{"Order", Column::kId}, {"Relation"}, {"Status"}, {"Amount", Column::kNumber}});
  const auto add = [&](const Uuid& id, const std::string& relation) {
    const Order* other = site.world->orders.Find(id);
    if (other == nullptr) return;
    table.Add({ViewLink(id), relation, std::string(Text(other->status)),
               Shown(MoneyText(other->amount, other->currency))});
  };
  if (order.related_order) {
    add(*order.related_order, "this is its " + std::string(NameOf(order.relation)));
  }
  const std::size_t shown = std::min(order.children.size(), kMaxRelated);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [relation, id] = order.children[order.children.size() - 1 - i];
    add(id, std::string(NameOf(relation)));
  }
  return table.Draw("There are none.");
}

/// What is wrong with a form that was sent.
struct Refusal {
  int status = 200;
  std::string message;  ///< plain text; "": nothing is wrong
  std::string amount;   ///< as it was typed
  std::string amount_error;
};

std::string Buttons(const Order& order, const Refusal& refusal) {
  std::string out = "<form method=\"post\" action=\"" + ViewAddress(order.id) + "\">";
  out += "<p>" + Button("action", "approve", "Approve") + Button("action", "decline", "Decline") +
         Button("action", "expire", "Expire") + "</p>";
  out += Draw(TextField{.name = "amount",
                        .label = "Amount to take back",
                        .hint = "In the smallest unit; empty: all that is left.",
                        .autocomplete = "off",
                        .inputmode = "numeric",
                        .required = false,
                        .value = std::string(Truncated(refusal.amount, kMaxRefilledBytes)),
                        .error = refusal.amount_error});
  return out + "<p>" + Button("action", "refund", "Refund") +
         Button("action", "chargeback", "Chargeback") + Button("action", "reversal", "Reversal") +
         "</p></form>";
}

http::Response View(const Site& site, const Order& order, const Refusal& refusal) {
  std::string body = "<p><a href=\"/_sandbox/\">All orders</a></p>";
  if (!refusal.message.empty()) body += Alert("refused", EscapeHtml(refusal.message));
  body += OrderFacts(site, order) + "<h2>What happens next</h2>" + Buttons(order, refusal);
  body += "<h2>Transactions</h2>";
  if (order.transactions.empty()) body += "<p>There are none yet.</p>";
  for (const Transaction& transaction : order.transactions) {
    body += TransactionFacts(transaction, order.currency);
  }
  body += "<h2>Related orders</h2>" + Related(site, order);
  return Render({.title = "Order " + order.id.ToString(),
                 .body = std::move(body),
                 .status = refusal.status,
                 .wide = true,
                 .forms_stay_here = true});
}

/// false where the text is neither empty nor a number.
bool ReadAmount(std::string_view text, std::optional<std::int64_t>* amount) {
  if (text.empty()) return true;
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || value < 0) return false;
  *amount = value;
  return true;
}

Result<void> Changed(const FollowUps::Made& made) {
  if (!made.ok()) return made.error();
  return {};
}

Result<void> Perform(World& world, const Uuid& order, std::string_view action,
                     std::optional<std::int64_t> amount) {
  if (action == "approve") return world.Approve(order);
  if (action == "decline") return world.Decline(order);
  if (action == "expire") return world.payments.Expire(order);
  if (action == "refund") return Changed(world.follow_ups.Refund(order, amount, std::nullopt));
  if (action == "chargeback") return Changed(world.follow_ups.Chargeback(order, amount));
  if (action == "reversal") return Changed(world.follow_ups.Reversal(order, amount));
  return Invalid("there is no such action");
}

http::Response NoSuchOrder() {
  return Render({.title = "Not found",
                 .body = "<p>There is no such order.</p><p><a href=\"/_sandbox/\">All "
                         "orders</a></p>",
                 .status = 404,
                 .forms_stay_here = true});
}

}  // namespace

http::Response ShowView(const Site& site, const Call& call) {
  const Order* order = OrderOf(site, call);
  return order == nullptr ? NoSuchOrder() : View(site, *order, {});
}

http::Response Act(const Site& site, const Call& call) {
  if (!IsFromOwnPage(call.request->headers)) {
    return Render({.title = "Refused",
                   .body = "<p>This form was sent by a page of another site.</p>",
                   .status = 403,
                   .forms_stay_here = true});
  }
  const Order* order = OrderOf(site, call);
  if (order == nullptr) return NoSuchOrder();
  const Form form(call.request->body);
  std::optional<std::int64_t> amount;
  if (!ReadAmount(form["amount"], &amount)) {
    return View(site, *order,
                {.status = 422,
                 .message = "Nothing was done: the amount cannot be read.",
                 .amount = std::string(form["amount"]),
                 .amount_error = std::string(kAmountError)});
  }
  const Result<void> done = Perform(*site.world, order->id, form["action"], amount);
  if (!done.ok()) {
    return View(site, *order,
                {.status = done.error().status,
                 .message = Plain(done.error()),
                 .amount = std::string(form["amount"]),
                 .amount_error = ""});
  }
  return SeeOther(ViewAddress(order->id));
}

std::string ViewLink(const Uuid& order) { return Link(ViewAddress(order), order.ToString()); }

}  // namespace tollbridge::sandbox
