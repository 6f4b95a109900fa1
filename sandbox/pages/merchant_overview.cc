#include "sandbox/pages/merchant_overview.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <vector>

#include "sandbox/core/test_cards.h"
#include "sandbox/pages/merchant_view.h"
#include "sandbox/pages/money_text.h"
#include "sandbox/pages/table.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::size_t kShownOrders = 50;
constexpr std::size_t kShownDeliveries = 20;
constexpr std::size_t kMaxDeliveryFields = 12;

std::string Counts(const World& world) {
  constexpr std::array<OrderStatus, 7> kAll = {OrderStatus::kNew,
                                               OrderStatus::kProcessing,
                                               OrderStatus::kCompleted,
                                               OrderStatus::kCancelled,
                                               OrderStatus::kExpired,
                                               OrderStatus::kError,
                                               OrderStatus::kSeeTransactions};
  std::array<std::size_t, kAll.size()> counts{};
  for (const auto& [id, order] : world.orders.by_id()) {
    ++counts[static_cast<std::size_t>(std::ranges::find(kAll, order.status) - kAll.begin())];
  }
  std::string out = "<dl>";
  const auto row = [&](std::string_view name, std::string_view id, std::string value) {
    out +=
        "<dt>" + std::string(name) + "</dt><dd id=\"" + std::string(id) + "\">" + value + "</dd>";
  };
  row("Time", "now", FormatTime(world.simulation.clock.Now()));
  row("Orders", "orders", std::to_string(world.orders.by_creation().size()));
  for (std::size_t i = 0; i < kAll.size(); ++i) {
    if (counts[i] == 0) continue;
    row(Text(kAll[i]), "orders-" + std::string(Text(kAll[i])), std::to_string(counts[i]));
  }
  row("Payment links", "links", std::to_string(world.links.size()));
  row("Effects on money", "effects", std::to_string(world.simulation.ledger.entries().size()));
  return out + "</dl>";
}

std::string LastOrders(const World& world) {
  Table table("The last orders, newest first", {{"Order", Column::kId},
                                                {"Merchant's reference"},
                                                {"Status"},
                                                {"Amount", Column::kNumber},
                                                {"Created"}});
  const std::vector<Uuid>& ids = world.orders.by_creation();
  const std::size_t shown = std::min(ids.size(), kShownOrders);
  for (std::size_t i = 0; i < shown; ++i) {
    const Order& order = *world.orders.Find(ids[ids.size() - 1 - i]);
    table.Add({ViewLink(order.id), Shown(order.merchant_order_id.value_or("")),
               std::string(Text(order.status)), Shown(MoneyText(order.amount, order.currency)),
               FormatTime(order.created)});
  }
  return table.Draw("There are no orders yet.");
}

std::string Cell(std::string_view field, const boost::json::value& value) {
  if (!value.is_string()) return Shown(boost::json::serialize(value));
  const std::string_view text = value.get_string();
  const std::optional<Uuid> id = field == "order_id" ? Uuid::Parse(text) : std::nullopt;
  return id ? ViewLink(*id) : Shown(text);
}

/// The log says itself what it knows of a delivery: each field is a column.
std::string LastDeliveries(const boost::json::array& deliveries) {
  const std::size_t shown = std::min(deliveries.size(), kShownDeliveries);
  std::vector<const boost::json::object*> rows;
  std::vector<Table::Head> heads;
  for (std::size_t i = 0; i < shown; ++i) {
    const boost::json::object* row = deliveries[deliveries.size() - 1 - i].if_object();
    if (row == nullptr) continue;
    rows.push_back(row);
    for (const auto& field : *row) {
      const std::string_view name = field.key();
      const bool known =
          std::ranges::any_of(heads, [&](const Table::Head& head) { return head.name == name; });
      if (!known && heads.size() < kMaxDeliveryFields) heads.push_back({.name = name});
    }
  }
  Table table("The last webhook deliveries, newest first", heads);
  for (const boost::json::object* row : rows) {
    std::vector<std::string> cells;
    for (const Table::Head& head : heads) {
      const boost::json::value* value = row->if_contains(head.name);
      cells.push_back(value == nullptr || value->is_null() ? "" : Cell(head.name, *value));
    }
    table.Add(cells);
  }
  return table.Draw("No webhook has been delivered yet.");
}

std::string Cards() {
  Table table("Any expiry date to come and any security code will do",
              {{"Number", Column::kId}, {"Brand"}, {"What becomes of a payment"}});
  for (const TestCard& card : TestCards()) {
    std::string brand(card.brand);
    if (!card.second_brand.empty()) brand += ", " + std::string(card.second_brand);
    table.Add({EscapeHtml(card.pan), EscapeHtml(brand), EscapeHtml(card.purpose)});
  }
  return table.Draw("There are none.");
}

}  // namespace

http::Response ShowOverview(const Site& site, const boost::json::array& deliveries) {
  return Render({.title = "Sandbox",
                 .body = Counts(*site.world) + "<h2>Orders</h2>" + LastOrders(*site.world) +
                         "<h2>Webhooks</h2>" + LastDeliveries(deliveries) + "<h2>Test cards</h2>" +
                         Cards(),
                 .wide = true,
                 .forms_stay_here = true});
}

}  // namespace tollbridge::sandbox
