#include "sandbox/pages/link_page.h"

#include <algorithm>
#include <vector>

#include "sandbox/core/result.h"
#include "sandbox/pages/customer_way.h"
#include "sandbox/pages/form.h"
#include "sandbox/pages/money_text.h"

namespace tollbridge::sandbox {
namespace {

const PaymentLink* LinkOf(const Site& site, const Call& call) {
  const std::optional<Uuid> id = Uuid::Parse(call.parameters[0]);
  return id ? site.world->links.Find(*id) : nullptr;
}

/// As for an order with the same payment_methods where the customer picks.
std::vector<std::string> Offered(const Site& site, const PaymentLink& link) {
  const Project* project = site.world->FindProject(link.project_id);
  if (project == nullptr) return {};
  Order order;
  order.customer_picks = true;
  order.payment_methods = link.payment_methods;
  order.currency = link.currency;
  return site.world->payments.OfferedMethods(*project, order);
}

Bill BillOf(const Site& site, const PaymentLink& link) {
  Bill bill;
  bill.shop = ShopName(site, link.project_id);
  bill.reference = link.merchant_order_id;
  if (link.description) bill.description = *link.description;
  bill.amount = MoneyText(link.amount, link.currency);
  return bill;
}

/// The page of an attempt's order: that of its one transaction.
std::string AttemptPage(const Site& site, const Order& order) {
  if (order.transactions.empty()) return site.addresses->OrderPage(order.id);
  return PageOf(order, order.transactions.front(), *site.addresses);
}

std::string Processing(const Site& site, const PaymentLink& link) {
  const Order* order = link.orders.empty() ? nullptr : site.world->orders.Find(link.orders.back());
  if (order == nullptr) return "";
  return "<p role=\"status\">A payment is in progress.</p><p>" +
         Link(AttemptPage(site, *order), "Go on with the payment") + "</p>";
}

std::string Completed(const PaymentLink& link) {
  std::string out = "<p role=\"status\">This has been paid. Thank you.</p>";
  if (link.return_url && IsWebAddress(*link.return_url)) {
    out += "<p>" + Link(*link.return_url, "Go on to the shop") + "</p>";
  }
  return out;
}

http::Response PageFor(const Site& site, const PaymentLink& link, int status,
                       std::string_view refused, std::string_view method_error) {
  const Bill bill = BillOf(site, link);
  std::string body;
  if (!refused.empty()) body += Alert("refused", EscapeHtml(refused));
  if (refused.empty() && link.status == LinkStatus::kAllUnsuccessful) {
    body += Alert("declined", "The last payment did not succeed. You can try again.");
  }
  body += Draw(bill) + "<dl><dt>Status</dt><dd id=\"status\">" + std::string(Text(link.status)) +
          "</dd></dl>";
  std::string title = "Pay " + bill.amount;
  switch (link.status) {
    case LinkStatus::kNew:
    case LinkStatus::kAllUnsuccessful:
      body += DrawMethodChoice(Offered(site, link), method_error);
      break;
    case LinkStatus::kProcessing:
      body += Processing(site, link);
      break;
    case LinkStatus::kCompleted:
      title = "Payment completed";
      body += Completed(link);
      break;
    case LinkStatus::kExpired:
      title = "Payment link expired";
      body += "<p role=\"status\">This link has expired. Ask the shop for a new one.</p>";
      break;
  }
  return Render({.title = std::move(title), .body = std::move(body), .status = status});
}

}  // namespace

http::Response ShowLink(const Site& site, const Call& call) {
  const PaymentLink* link = LinkOf(site, call);
  return link == nullptr ? NotFoundPage() : PageFor(site, *link, 200, "", "");
}

http::Response StartLinkAttempt(const Site& site, const Call& call) {
  const PaymentLink* link = LinkOf(site, call);
  if (link == nullptr) return NotFoundPage();
  const Form form(call.request->body);
  const std::string_view method = form["method"];
  const bool choosing =
      link->status == LinkStatus::kNew || link->status == LinkStatus::kAllUnsuccessful;
  const std::vector<std::string> offered = Offered(site, *link);
  if (choosing && std::ranges::find(offered, method) == offered.end()) {
    return PageFor(site, *link, 422, "The payment method is not chosen yet.",
                   "Choose one of these methods.");
  }
  const Result<const Order*> started = site.world->links.StartAttempt(link->id, method);
  if (!started.ok()) {
    return PageFor(site, *link, started.error().status, Plain(started.error()), "");
  }
  return SeeOther(AttemptPage(site, **started));
}

}  // namespace tollbridge::sandbox
