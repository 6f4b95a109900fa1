#include "services/sandbox/hosted_pages.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/sandbox/html.h"

namespace tollbridge::sandbox {
namespace {

const std::vector<std::string>& ActiveMethods() {
  static const std::vector<std::string> methods = {"credit-card", "wallet-a-pay", "wallet-b-pay"};
  return methods;
}

std::string Text(const boost::json::object& object, std::string_view name) {
  const boost::json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : "";
}

/// The methods that the page offers: those of the order's payment_methods, else every active one.
std::vector<std::string> OfferedMethods(const Order& order) {
  if (!order.customer_picks && !order.transactions.empty()) {
    return {order.transactions.front().payment_method};
  }
  const boost::json::value* wanted = order.given.if_contains("payment_methods");
  std::vector<std::string> offered;
  if (wanted != nullptr && wanted->is_array()) {
    for (const boost::json::value& method : wanted->as_array()) {
      if (method.is_string()) offered.emplace_back(method.as_string());
    }
  }
  return offered.empty() ? ActiveMethods() : offered;
}

std::string MethodChoice(const Order& order) {
  std::string out = "<fieldset><legend>Payment method</legend>";
  bool first = true;
  for (const std::string& method : OfferedMethods(order)) {
    const std::string id = "method-" + EscapeHtml(method);
    out += "<p><input type=\"radio\" name=\"method\" id=\"" + id + "\" value=\"" +
           EscapeHtml(method) + "\"" + (first ? " checked" : "") + "> <label for=\"" + id + "\">" +
           EscapeHtml(method) + "</label></p>";
    first = false;
  }
  return out + "</fieldset>";
}

std::string Summary(const Order& order) {
  std::string out = "<dl><dt>Amount</dt><dd id=\"amount\">" + std::to_string(order.amount) + " " +
                    EscapeHtml(order.currency) + " (smallest unit)</dd>";
  if (const std::string reference = Text(order.given, "merchant_order_id"); !reference.empty()) {
    out += "<dt>Order</dt><dd>" + EscapeHtml(reference) + "</dd>";
  }
  if (const std::string description = Text(order.given, "description"); !description.empty()) {
    out += "<dt>For</dt><dd>" + EscapeHtml(description) + "</dd>";
  }
  return out + "</dl>";
}

http::Response NotFoundPage() {
  return HtmlResponse(404, "Not found", "<p>There is no such order.</p>");
}

}  // namespace

http::Response HostedPages::Handle(const http::Request& request, const http::Target& target) {
  const std::optional<Uuid> id =
      target.segments.size() >= 2 ? Uuid::Parse(target.segments[1]) : std::nullopt;
  const Order* order = id ? orders_->Find(*id) : nullptr;
  if (order == nullptr) return NotFoundPage();
  if (target.segments.size() >= 3 && !target.segments[2].empty()) {
    const std::string& transaction = target.segments[2];
    const bool known = std::any_of(
        order->transactions.begin(), order->transactions.end(),
        [&](const Transaction& candidate) { return candidate.id.ToString() == transaction; });
    if (!known) return NotFoundPage();
  }
  if (request.method == "POST") return Submit(*order, request);
  if (request.method == "GET" || request.method == "HEAD") return Show(*order);
  return HtmlResponse(405, "Method not allowed", "<p>This page can be shown and submitted.</p>");
}

http::Response HostedPages::Show(const Order& order) const {
  if (IsFinal(order)) {
    std::string body = "<p role=\"status\">This order is <strong id=\"status\">" +
                       EscapeHtml(order.status) + "</strong>";
    if (!order.reason.empty()) body += ": " + EscapeHtml(order.reason);
    return HtmlResponse(200, "Payment " + order.status, body + ".</p>" + Summary(order));
  }
  std::string body;
  if (!order.transactions.empty() && order.transactions.back().status == "declined") {
    body += "<p role=\"alert\" id=\"declined\">The payment was declined. You can try again.</p>";
  }
  body += Summary(order);
  body += "<form method=\"post\">" + MethodChoice(order);
  body +=
      "<p><button type=\"submit\" name=\"action\" value=\"pay\">Pay</button> "
      "<button type=\"submit\" name=\"action\" value=\"decline\" class=\"quiet\">"
      "Pay, and be declined</button></p></form>";
  return HtmlResponse(200, "Pay", body);
}

http::Response HostedPages::Submit(const Order& order, const http::Request& request) {
  const absl::StatusOr<http::QueryParameters> form = http::ParseForm(request.body);
  if (!form.ok()) return HtmlResponse(400, "Bad request", "<p>The form cannot be read.</p>");
  std::string action;
  std::string method;
  for (const auto& [name, value] : *form) {
    if (name == "action") action = value;
    if (name == "method") method = value;
  }
  const std::vector<std::string> offered = OfferedMethods(order);
  if (!method.empty() && std::find(offered.begin(), offered.end(), method) == offered.end()) {
    return HtmlResponse(400, "Bad request", "<p>This method is not offered.</p>");
  }
  std::optional<ApiError> error;
  if (action == "pay") {
    error = orders_->Approve(order.id, method, "hosted_page");
  } else if (action == "decline") {
    error = orders_->Decline(order.id, method);
  } else {
    return HtmlResponse(400, "Bad request", "<p>The form names no action.</p>");
  }
  // A second press of the button finds the order final: the customer just sees how it ended.
  http::Response response;
  response.status = 303;
  std::string location = "/pay/" + order.id.ToString() + "/";
  if (!error && order.status == "completed" && !order.return_url.empty()) {
    location = order.return_url;
  } else if (!error && order.status == "error") {
    if (!order.failure_url.empty()) {
      location = order.failure_url;
    } else if (!order.return_url.empty()) {
      location = order.return_url;
    }
  }
  response.headers.Set("Location", location);
  return response;
}

}  // namespace tollbridge::sandbox
