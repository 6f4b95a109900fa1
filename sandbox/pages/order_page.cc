#include "sandbox/pages/order_page.h"

#include <algorithm>
#include <vector>

#include "sandbox/core/result.h"
#include "sandbox/pages/customer_way.h"
#include "sandbox/pages/form.h"

namespace tollbridge::sandbox {
namespace {

std::vector<std::string> Offered(const Site& site, const Order& order) {
  const Project* project = site.world->FindProject(order.project_id);
  if (project == nullptr) return {};
  return site.world->payments.OfferedMethods(*project, order);
}

bool HasFailedAttempt(const Order& order) {
  return std::ranges::any_of(order.transactions, [](const Transaction& transaction) {
    return transaction.status == TransactionStatus::kDeclined ||
           transaction.status == TransactionStatus::kError;
  });
}

/// `refused`, plain text: why the form was not taken; "": it is shown for the first time.
http::Response Choice(const Site& site, const Order& order, int status, std::string_view refused,
                      std::string_view method_error) {
  std::string body;
  if (!refused.empty()) {
    body += Alert("refused", EscapeHtml(refused));
  } else if (HasFailedAttempt(order)) {
    body += Alert("declined", "The payment was declined. You can try again.");
  }
  for (const Transaction& transaction : order.transactions) {
    if (transaction.status != TransactionStatus::kPending) continue;
    body += "<p>A payment waits for your confirmation: " +
            Link(site.addresses->ChallengePage(order.id, transaction.id), "confirm it") + ".</p>";
  }
  const Bill bill = BillOf(site, order);
  body +=
      Draw(bill) + DrawMethodChoice(Offered(site, order), method_error) + CancelForm(site, order);
  return Render({.title = "Pay " + bill.amount, .body = std::move(body), .status = status});
}

http::Response Cancel(const Site& site, const Order& order) {
  const Result<void> cancelled = site.world->payments.Cancel(order.id);
  // A second press, or one that came too late: the customer sees how it stands.
  if (!cancelled.ok()) return SeeOther(site.addresses->ResultPage(order.id));
  return SeeOther(WayOut(order, *site.addresses));
}

}  // namespace

http::Response ShowOrder(const Site& site, const Call& call) {
  const Order* order = OrderOf(site, call);
  if (order == nullptr) return NotFoundPage();
  if (!IsOpen(*order) || IsUnderWay(*order) || IsPaid(*order)) {
    return SeeOther(site.addresses->ResultPage(order->id));
  }
  if (!order->customer_picks && !order->transactions.empty()) {
    return SeeOther(PageOf(*order, order->transactions.front(), *site.addresses));
  }
  return Choice(site, *order, 200, "", "");
}

http::Response ChooseMethod(const Site& site, const Call& call) {
  const Order* order = OrderOf(site, call);
  if (order == nullptr) return NotFoundPage();
  const Form form(call.request->body);
  if (form["action"] == "cancel") return Cancel(site, *order);
  if (!IsOpen(*order)) return SeeOther(site.addresses->ResultPage(order->id));
  if (!order->customer_picks && !order->transactions.empty()) {
    return SeeOther(PageOf(*order, order->transactions.front(), *site.addresses));
  }
  const std::vector<std::string> offered = Offered(site, *order);
  const std::string_view method = form["method"];
  if (std::ranges::find(offered, method) == offered.end()) {
    return Choice(site, *order, 422, "The payment method is not chosen yet.",
                  "Choose one of these methods.");
  }
  const Result<Uuid> chosen = site.world->payments.ChooseMethod(order->id, method);
  if (!chosen.ok()) {
    return Choice(site, *order, chosen.error().status, Plain(chosen.error()), "");
  }
  return SeeOther(site.addresses->TransactionPage(order->id, *chosen));
}

}  // namespace tollbridge::sandbox
