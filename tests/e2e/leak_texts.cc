#include "tests/e2e/leak_texts.h"

#include <google/protobuf/message.h>
#include <google/protobuf/struct.pb.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/core/card_numbers.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/card_forms.h"
#include "tests/support/process.h"
#include "tests/support/topic.h"
#include "tollbridge/options/v1/options.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/payouts/v1/payouts.pb.h"

namespace tollbridge::test {
namespace {

namespace json = boost::json;
namespace pb = google::protobuf;
namespace options = tollbridge::options::v1;
using payments::v1::CreateOrderRequest;

/// A fault plan has no more rules.
constexpr std::size_t kRulesAtOnce = 100;
constexpr std::string_view kOrderFailed = "tollbridge.payment.failed.v1";

/// Without the digits that only say how a byte or character is written: `\xc2`, `\u00a0`.
std::string WithoutEscapes(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char kind = text[at] == '\\' && at + 1 < text.size() ? text[at + 1] : '\0';
    if (kind == 'x' || kind == 'u') {
      at += kind == 'x' ? 4 : 6;
    } else {
      out.push_back(text[at++]);
    }
  }
  return out;
}

/// An identifier, what the payment service takes no other text in than its own, and what callers
/// may not fill here.
bool IsLeftOut(const pb::FieldDescriptor& field) {
  return field.name() == "merchant_order_id" || field.name() == "address_type" ||
         field.name() == "webhook_url";
}

/// The text, in an address.
std::string InAddress(const std::string& text) {
  return "https://shop.example/?text=" + boost::urls::encode(text, boost::urls::unreserved_chars);
}

/// Puts the text into every field that callers fill as they like, at any depth of what they know of
/// customers.
void FillFreeTexts(pb::Message& message, const std::string& text) {
  const pb::Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const pb::FieldDescriptor* const field = message.GetDescriptor()->field(i);
    if (field->name() == "customer") {
      FillFreeTexts(*reflection.MutableMessage(&message, field), text);
    }
    const options::FieldRules& rules = field->options().GetExtension(options::rules);
    if (!rules.free_text() || IsLeftOut(*field)) continue;
    if (field->message_type() == pb::Struct::descriptor()) {
      auto& object = static_cast<pb::Struct&>(*reflection.MutableMessage(&message, field));
      (*object.mutable_fields())["text"].set_string_value(text);
      (*object.mutable_fields())[text].set_string_value("as a name");
    } else if (rules.format() == options::FORMAT_URI) {
      reflection.SetString(&message, field, InAddress(text));
    } else if (field->is_repeated()) {
      reflection.AddString(&message, field, text);
    } else {
      reflection.SetString(&message, field, text);
    }
  }
}

template <typename Request>
bool FillIn(Mutation& mutation, const std::string& text) {
  Request request;
  if (!request.ParseFromString(mutation.request)) return false;
  FillFreeTexts(request, text);
  // Of parts: only they have a description.
  request.set_amount(1);
  mutation.request = request.SerializeAsString();
  return true;
}

bool Fill(Mutation& mutation, const std::string& text) {
  switch (mutation.kind) {
    case Kind::kCapture:
      return FillIn<payments::v1::CaptureTransactionRequest>(mutation, text);
    case Kind::kVoid:
      return FillIn<payments::v1::VoidTransactionRequest>(mutation, text);
    case Kind::kRefund:
      return FillIn<payments::v1::CreateRefundRequest>(mutation, text);
    case Kind::kPayoutByToken:
      return FillIn<payouts::v1::CreatePayoutRequest>(mutation, text);
    case Kind::kCreatePaymentLink:
      return FillIn<payments::v1::CreatePaymentLinkRequest>(mutation, text);
    default:
      return false;
  }
}

/// A rule for each of the texts `from` and up, as many as a plan takes.
std::string Plan(const std::vector<std::string>& texts, std::size_t from,
                 const std::function<json::object(std::size_t)>& rule) {
  json::array rules;
  for (std::size_t i = from; i < std::min(from + kRulesAtOnce, texts.size()); ++i) {
    rules.push_back(rule(i));
  }
  return json::serialize(json::object{{"rules", std::move(rules)}});
}

json::object StatusFault(int status, json::object body) {
  return {{"kind", "status"}, {"status", status}, {"body", std::move(body)}};
}

}  // namespace

WrittenCards::WrittenCards(Marks& marks) {
  const std::size_t forms = CardForms("0000000000000000").size();
  for (std::size_t i = 0; i < forms; ++i) {
    const std::string name = "written form " + std::to_string(i);
    numbers_.push_back(marks.CardNumberInText(name));
    texts_.push_back(CardForms(numbers_.back())[i]);
    whole_.Add(name, texts_.back());
  }
}

std::vector<std::string> WrittenCards::FoundIn(const Sink& sink) const {
  std::vector<std::string> found;
  for (const Leak& leak : whole_.Find(sink)) {
    found.push_back(sink.name + ": " + leak.mark + ", " + leak.form + ": " + leak.around);
  }
  const std::string digits = DigitsOf(WithoutEscapes(sink.content));
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    if (digits.find(numbers_[i]) == std::string::npos) continue;
    found.push_back(sink.name + ": the digits of \"" + texts_[i] + "\"");
  }
  return found;
}

std::vector<std::string> WrittenCards::FoundIn(const std::vector<Sink>& sinks) const {
  std::vector<std::string> found;
  for (const Sink& sink : sinks) {
    std::vector<std::string> more = FoundIn(sink);
    std::ranges::move(more, std::back_inserter(found));
  }
  return found;
}

RpcReply LeakTexts::Create(const std::string& key, const std::string& text) {
  CreateOrderRequest request = OrderRequest(key);
  FillFreeTexts(request, text);
  RpcReply reply = CreateOrder(stack_, request);
  sinks_.Keep(reply);
  return reply;
}

void LeakTexts::CreateOrders() {
  for (const std::string& text : cards_.texts()) {
    const RpcReply reply = Create("text-" + std::to_string(orders_.size()), text);
    ASSERT_TRUE(reply.status.ok()) << text << ": " << reply.status.message;
    orders_.push_back(OrderOf(reply).id());
  }
}

void LeakTexts::CallWithEach(Kind kind) {
  const Mutation prepared = Prepare(stack_, kind, "texts");
  std::size_t sent = 0;
  for (const std::string& text : cards_.texts()) {
    Mutation mutation = WithKey(prepared, prepared.key + std::to_string(sent++));
    ASSERT_TRUE(Fill(mutation, text));
    const Told told = CallOnce(stack_.grpc(), mutation);
    sinks_.Keep(told.status);
    // After the first the order is another one; it is for the payment service to say so.
    EXPECT_NE(told.status.reason, "INVALID_REQUEST") << told.text();
  }
}

void LeakTexts::CallTheOthers() {
  for (const Kind kind : {Kind::kCapture, Kind::kVoid, Kind::kRefund, Kind::kPayoutByToken,
                          Kind::kCreatePaymentLink}) {
    SCOPED_TRACE(RpcOf(kind));
    CallWithEach(kind);
  }
}

void LeakTexts::BeRefusedAtTheDoor() {
  std::size_t refused = 0;
  for (std::size_t i = 0; i < cards_.texts().size(); ++i) {
    const std::string& text = cards_.texts()[i];
    const RpcReply reply = Create("door-" + std::to_string(i), text);
    EXPECT_EQ(reply.status.code_name(), HoldsCardNumber(text) ? "INVALID_ARGUMENT" : "OK") << text;
    if (reply.status.ok()) {
      orders_.push_back(OrderOf(reply).id());
      continue;
    }
    ++refused;
    CreateOrderRequest request = OrderRequest("door-id-" + std::to_string(i));
    request.set_merchant_order_id(text);
    const RpcReply of_id = CreateOrder(stack_, request);
    sinks_.Keep(of_id);
    EXPECT_EQ(of_id.status.code_name(), "INVALID_ARGUMENT") << text;
  }
  // A whole run, and no other digits in it.
  EXPECT_GE(refused, cards_.texts().size() / 4);
}

void LeakTexts::HearOrders() {
  ASSERT_EQ(orders_.size(), cards_.texts().size());
  const std::vector<std::string>& texts = cards_.texts();
  for (std::size_t from = 0; from < texts.size(); from += kRulesAtOnce) {
    stack_.SandboxFaults(Plan(texts, from, [&](std::size_t i) {
      const json::object transaction{{"id", "77777777-7777-4777-8777-777777777777"},
                                     {"status", "declined"},
                                     {"payment_method", "credit-card"},
                                     {"customer_message", texts[i]},
                                     {"reason", texts[i]}};
      const json::object order{{"id", orders_[i]},
                               {"status", "error"},
                               {"amount", 1250},
                               {"currency", "EUR"},
                               {"reason", texts[i]},
                               {"description", texts[i]},
                               {"return_url", InAddress(texts[i])},
                               {"failure_url", InAddress(texts[i])},
                               {"transactions", json::array{transaction}}};
      return json::object{{"on", {{"operation", "get_order"}, {"order", orders_[i]}}},
                          {"fault", StatusFault(200, order)}};
    }));
    for (std::size_t i = from; i < std::min(from + kRulesAtOnce, texts.size()); ++i) {
      const RpcReply reply = GetOrder(stack_, orders_[i]);
      EXPECT_EQ(OrderOf(reply).reason(), texts[i]) << "callers get it as it was written";
    }
    // Each is in an event before the service shows another order again.
    const auto events = stack_.OpenTopic("events");
    for (std::size_t i = from; i < std::min(from + kRulesAtOnce, texts.size()); ++i) {
      ASSERT_TRUE(AwaitEvent(*events, orders_[i], kOrderFailed)) << texts[i];
    }
  }
  stack_.SandboxFaults("{}");
}

void LeakTexts::HearErrors() {
  const std::vector<std::string>& texts = cards_.texts();
  for (std::size_t from = 0; from < texts.size(); from += kRulesAtOnce) {
    stack_.SandboxFaults(Plan(texts, from, [&](std::size_t i) {
      const json::object error{{"status", 400}, {"type", texts[i]}, {"value", "no: " + texts[i]}};
      return json::object{
          {"on",
           {{"operation", "create_order"}, {"merchant_order_id", "error-" + std::to_string(i)}}},
          {"fault", StatusFault(400, {{"error", error}})}};
    }));
    for (std::size_t i = from; i < std::min(from + kRulesAtOnce, texts.size()); ++i) {
      const std::string id = "error-" + std::to_string(i);
      CreateOrderRequest request = OrderRequest(id);
      request.set_merchant_order_id(id);
      const RpcReply reply = CreateOrder(stack_, request);
      sinks_.Keep(reply);
      EXPECT_EQ(reply.status.reason, "UPSTREAM_REFUSED") << reply.status.message;
    }
  }
  stack_.SandboxFaults("{}");
}

void LeakTexts::AwaitEvents() {
  const auto events = stack_.OpenTopic("events");
  std::set<std::string> untold(orders_.begin(), orders_.end());
  std::size_t looked_at = 0;
  EXPECT_TRUE(events->ReadUntil([&](const std::vector<TopicRecord>& records) {
    for (; looked_at < records.size(); ++looked_at) {
      untold.erase(records[looked_at].header("ce_subject"));
    }
    return untold.empty();
  })) << untold.size();
}

}  // namespace tollbridge::test
