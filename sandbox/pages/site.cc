#include "sandbox/pages/site.h"

#include "sandbox/pages/form.h"
#include "sandbox/pages/money_text.h"

namespace tollbridge::sandbox {

const Order* OrderOf(const Site& site, const Call& call) {
  const std::optional<Uuid> id = Uuid::Parse(call.parameters[0]);
  return id ? site.world->orders.Find(*id) : nullptr;
}

std::optional<Attempt> AttemptOf(const Site& site, const Call& call) {
  const Order* order = OrderOf(site, call);
  const std::optional<Uuid> id = Uuid::Parse(call.parameters[1]);
  const Transaction* transaction = order != nullptr && id ? order->FindTransaction(*id) : nullptr;
  if (transaction == nullptr) return std::nullopt;
  return Attempt{.order = order, .transaction = transaction};
}

http::Response NotFoundPage() {
  return Render({.title = "Not found",
                 .body = "<p>There is no such payment. The address may be incomplete, or the "
                         "sandbox was reset.</p>",
                 .status = 404});
}

std::string ShopName(const Site& site, const Uuid& project) {
  const Project* found = site.world->FindProject(project);
  return found == nullptr ? "" : found->trade_name;
}

std::string Draw(const Bill& bill) {
  std::string out = "<dl>";
  const auto row = [&](std::string_view name, std::string_view id, std::string_view value) {
    if (value.empty()) return;
    out += "<dt>" + std::string(name) + "</dt><dd id=\"" + std::string(id) + "\">" + Shown(value) +
           "</dd>";
  };
  row("Shop", "shop", bill.shop);
  row("Order", "reference", bill.reference);
  row("For", "description", bill.description);
  row("Amount", "amount", bill.amount);
  return out + "</dl>";
}

Bill BillOf(const Site& site, const Order& order) {
  Bill bill;
  bill.shop = order.merchant_name.value_or(ShopName(site, order.project_id));
  if (order.merchant_order_id) bill.reference = *order.merchant_order_id;
  if (order.description) bill.description = *order.description;
  bill.amount = MoneyText(order.amount, order.currency);
  return bill;
}

std::string CancelForm(const Site& site, const Order& order) {
  return "<form method=\"post\" action=\"" + EscapeHtml(site.addresses->OrderPage(order.id)) +
         "\"><p>" + Button("action", "cancel", "Cancel the payment", true) + "</p></form>";
}

std::string Plain(const ApiError& error) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"pan ", "The card number "}, {"expiry ", "The expiry date "}, {"name ", "The name "}};
  for (const auto& [field, words] : kNames) {
    if (error.value.starts_with(field)) {
      return std::string(words) + error.value.substr(field.size()) + ".";
    }
  }
  return "This is not possible: " + error.value + ".";
}

}  // namespace tollbridge::sandbox
