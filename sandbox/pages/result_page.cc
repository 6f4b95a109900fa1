#include "sandbox/pages/result_page.h"

#include "sandbox/pages/customer_way.h"

namespace tollbridge::sandbox {
namespace {

constexpr int kAskAgainSeconds = 5;

struct Wording {
  std::string_view title;
  std::string_view text;
};

Wording WordingOf(const Order& order) {
  switch (order.status) {
    case OrderStatus::kCompleted:
      return {"Payment completed", "Thank you. The payment succeeded."};
    case OrderStatus::kCancelled:
      return {"Payment cancelled", "The payment was cancelled. Nothing was charged."};
    case OrderStatus::kExpired:
      return {"Payment expired", "The time to pay has run out. Nothing was charged."};
    case OrderStatus::kError:
      return {"Payment failed", "The payment did not succeed. Nothing was charged."};
    case OrderStatus::kSeeTransactions:
      return {"Payment to be looked at",
              "There was more than one payment. The shop will look at it."};
    default:
      break;
  }
  if (IsUnderWay(order)) {
    return {"Payment in progress",
            "The bank has not answered yet. Do not pay again: this page asks every 5 seconds."};
  }
  if (IsPaid(order)) {
    return {"Payment received", "The payment succeeded. The shop is completing the order."};
  }
  return {"Not paid yet", "The payment is still open."};
}

/// The ways on from here, as HTML.
std::string Ways(const Site& site, const Order& order) {
  std::string out;
  const bool waits = IsUnderWay(order) || IsPaid(order);
  if (IsOpen(order) && !waits) {
    out += "<p>" + Link(site.addresses->OrderPage(order.id), "Go to the payment") + "</p>";
  }
  const PaymentLink* link =
      order.payment_link ? site.world->links.Find(*order.payment_link) : nullptr;
  if (link != nullptr && link->status == LinkStatus::kAllUnsuccessful) {
    out += "<p>" + Link(site.addresses->LinkPage(link->id), "Try again") + "</p>";
  }
  if (const std::string shop = ShopAddress(order); !shop.empty()) {
    out += "<p>" + Link(shop, "Go on to the shop") + "</p>";
  }
  return out;
}

}  // namespace

http::Response ShowResult(const Site& site, const Call& call) {
  const Order* order = OrderOf(site, call);
  if (order == nullptr) return NotFoundPage();
  const Wording wording = WordingOf(*order);
  std::string body = "<p role=\"status\">" + std::string(wording.text) + "</p>";
  body += "<dl><dt>Status</dt><dd id=\"status\">" + std::string(Text(order->status)) + "</dd>";
  if (!order->reason.empty()) {
    body += "<dt>Reason</dt><dd id=\"reason\">" + Shown(order->reason) + "</dd>";
  }
  body += "</dl>" + Draw(BillOf(site, *order)) + Ways(site, *order);
  const bool waits = IsOpen(*order) && IsUnderWay(*order);
  return Render({.title = std::string(wording.title),
                 .body = std::move(body),
                 .refresh_seconds = waits ? kAskAgainSeconds : 0});
}

}  // namespace tollbridge::sandbox
