#include "sandbox/api/payment_link_request.h"

#include <array>
#include <utility>

#include "sandbox/core/result.h"
#include "sandbox/wire/json_reader.h"
#include "sandbox/wire/order_json.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::array<std::string_view, 8> kFields{
    "merchant_order_id", "amount",     "currency",   "description", "payment_methods",
    "expiration_period", "return_url", "webhook_url"};

}  // namespace

Result<PaymentLink> ReadPaymentLinkRequest(std::string_view body, Unknown unknown) {
  JsonReader reader(ParseBody(body), kFields, unknown);
  reader.Require({"merchant_order_id", "amount", "currency"});
  PaymentLink link;
  link.merchant_order_id = reader.String("merchant_order_id").value_or("");
  if (link.merchant_order_id.empty()) reader.Refuse("merchant_order_id", "must not be empty");
  link.amount = reader.Integer("amount", 0).value_or(0);
  link.currency = reader.Currency("currency").value_or("");
  link.description = reader.String("description");
  link.payment_methods = reader.Strings("payment_methods");
  if (link.payment_methods && link.payment_methods->empty()) {
    reader.Refuse("payment_methods", "must name a method, or be absent for all");
  }
  if (reader.Duration("expiration_period")) {
    link.expiration_period = *reader.String("expiration_period");
  }
  link.return_url = reader.PageUrl("return_url");
  link.webhook_url = reader.Url("webhook_url");
  link.unknown = reader.Kept(kFields, MembersOfLinks());
  SB_RETURN_IF_ERROR(reader.Done());
  return link;
}

}  // namespace tollbridge::sandbox
