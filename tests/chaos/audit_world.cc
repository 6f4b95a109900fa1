#include "tests/chaos/audit_world.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "services/domain/mark.h"

namespace tollbridge::chaos {
namespace {

constexpr TimeMs kStep = 10;
constexpr std::int64_t kPrice = 1250;
constexpr std::int64_t kPart = 500;
constexpr std::string_view kCurrency = "EUR";

Uuid IdOf(const std::string& name) { return Uuid::V5(Uuid{}, name); }

/// The answer to a wallet's payment shows its order only where it was recovered.
bool ShowsAmount(const std::string& rpc) {
  return rpc != "StoreCard" && rpc != "ExchangeWalletBToken" && rpc != "ExecuteWalletBPayment";
}

bool IsAboutAnOrder(const std::string& rpc) {
  return rpc != "CreateOrder" && rpc != "CreatePayout" && rpc != "CreatePaymentLink";
}

}  // namespace

std::string AuditWorld::OperationOf(const std::string& key) {
  return IdOf("operation " + key).ToString();
}

std::string AuditWorld::Id(const std::string& name) { return IdOf(name).ToString(); }

std::string AuditWorld::MarkOf(const std::string& key, int attempt) {
  return domain::ToText({.operation = IdOf("operation " + key),
                         .epoch = "0123abcd",
                         .attempt = static_cast<std::uint32_t>(attempt)});
}

AuditWorld::AuditWorld() {
  CreateAndPay("shirt", "charge", false);
  AddEffect("refund", "shirt", "shirt-refund");
  KnownOrder& refund = AddOrder("shirt-refund", "");
  refund.description = "one sleeve" + domain::DescriptionMark(IdOf("operation refund-shirt"));
  TellResult("refund-shirt", "CreateRefund", "shirt-refund");
  Done("refund-shirt", "CreateRefund", "shirt-refund");
  AddEvent("shirt-refund", "tollbridge.refund.completed.v1", 1);
  for (const std::string what : {"capture", "void"}) {
    const std::string order = "order-to-" + what;
    const std::string rpc = what == "capture" ? "CaptureTransaction" : "VoidTransaction";
    const std::string result = what + "-order";
    CreateAndPay(order, "authorize", true);
    AddOrder(result, "");
    AddEffect(what, order, result);
    TellResult(what + "-" + order, rpc, result);
    Done(what + "-" + order, rpc, result);
    AddEvent(result, "tollbridge." + what + ".completed.v1", 1);
  }
  Once("store-shirt", "StoreCard", "card", "shirt", "token of shirt");
  PayByWallet("watch");
  PayOut("prize");
  AddLink("link-1", "first link");
  TellResult("link-1", "CreatePaymentLink", "first link");
  Done("link-1", "CreatePaymentLink", "");
}

void AuditWorld::Once(const std::string& key, const std::string& rpc, const std::string& effect,
                      const std::string& order, const std::string& result) {
  AddEffect(effect, order, result);
  TellResult(key, rpc, result);
  Done(key, rpc, order);
}

void AuditWorld::PayByWallet(const std::string& name) {
  AddOrder(name, "create-" + name);
  TellResult("create-" + name, "CreateOrder", name);
  Done("create-" + name, "CreateOrder", name);
  AddEvent(name, "tollbridge.payment.created.v1", 1);
  Once("exchange-" + name, "ExchangeWalletBToken", "card", name, "token of " + name);
  Once("execute-" + name, "ExecuteWalletBPayment", "charge", name, name);
  AddEvent(name, "tollbridge.payment.completed.v1", 2);
}

void AuditWorld::PayOut(const std::string& name) {
  AddOrder(name, "payout-" + name);
  AddEffect("card", name, "token of " + name);
  Once("payout-" + name, "CreatePayout", "payout", name, name);
  AddEvent(name, "tollbridge.payout.completed.v1", 1);
}

void AuditWorld::CreateAndPay(const std::string& name, const std::string& effect, bool manual) {
  const std::string rpc = manual ? "AuthenticateTransaction" : "InitiateTransaction";
  AddOrder(name, "create-" + name).transaction_status = "completed";
  TellResult("create-" + name, "CreateOrder", name);
  Done("create-" + name, "CreateOrder", name);
  AddEvent(name, "tollbridge.payment.created.v1", 1);
  AddEffect(effect, name, name);
  TellResult("pay-" + name, rpc, name);
  Done("pay-" + name, rpc, name);
  AddEvent(name,
           manual ? "tollbridge.authorization.completed.v1" : "tollbridge.payment.completed.v1", 2);
}

Told& AuditWorld::Tell(const std::string& key, const std::string& rpc) {
  Told told;
  told.began = now_ + 1;
  told.at = now_ += kStep;
  told.key = key;
  told.operation = OperationOf(key);
  told.rpc = rpc;
  if (IsAboutAnOrder(rpc)) {
    // Keys about an order end with its name.
    const std::string order = key.substr(key.find('-') + 1);
    told.order = Id(order);
    told.transaction = Id("transaction " + order);
  }
  told.amount = rpc == "CreateRefund" ? kPart : kPrice;
  told.currency = kCurrency;
  told.code = "UNAVAILABLE";
  history.told.push_back(std::move(told));
  return history.told.back();
}

void AuditWorld::TellResult(const std::string& key, const std::string& rpc,
                            const std::string& result) {
  Told& told = Tell(key, rpc);
  told.code = "OK";
  told.result = Id(result);
  told.knowledge = "ANSWERED";
  told.digest = "bytes of " + result;
  if (!ShowsAmount(rpc)) return;
  told.told_amount = told.amount;
  told.told_currency = kCurrency;
}

void AuditWorld::TellError(const std::string& key, const std::string& rpc,
                           const std::string& reason, const std::string& retry) {
  Told& told = Tell(key, rpc);
  told.reason = reason;
  told.retry = retry;
}

OperationLine& AuditWorld::Record(const std::string& key, const std::string& rpc,
                                  const std::string& to) {
  OperationLine line;
  line.operation = OperationOf(key);
  line.rpc = "tollbridge.payments.v1.Payments/" + rpc;
  line.number =
      1 + std::ranges::count(history.operations, line.operation, &OperationLine::operation);
  line.attempt = 1;
  line.to = to;
  line.at = now_ += kStep;
  line.digest = line.operation + std::to_string(line.number);
  history.operations.push_back(std::move(line));
  return history.operations.back();
}

void AuditWorld::Done(const std::string& key, const std::string& rpc, const std::string& order) {
  Record(key, rpc, "RUNNING");
  Record(key, rpc, "DONE").order = Id(order);
}

KnownOrder& AuditWorld::AddOrder(const std::string& name, const std::string& key, int attempt) {
  KnownOrder order;
  order.id = Id(name);
  order.created = now_ += kStep;
  order.status = "completed";
  order.transaction = Id("transaction " + name);
  order.transaction_status = "completed";
  order.amount = kPrice;
  order.currency = kCurrency;
  if (!key.empty()) order.mark = MarkOf(key, attempt);
  history.orders.push_back(std::move(order));
  return history.orders.back();
}

Effect& AuditWorld::AddEffect(const std::string& effect, const std::string& order,
                              const std::string& result) {
  Effect entry;
  entry.at = now_ += kStep;
  entry.effect = effect;
  entry.order = Id(order);
  entry.transaction = Id("transaction " + order);
  entry.result = Id(result);
  entry.cause = effect;
  if (effect != "card") {
    entry.amount = effect == "refund" ? kPart : kPrice;
    entry.currency = kCurrency;
  }
  history.ledger.push_back(std::move(entry));
  return history.ledger.back();
}

Effect& AuditWorld::AddLink(const std::string& key, const std::string& link) {
  Effect entry;
  entry.at = now_ += kStep;
  entry.effect = "payment_link";
  entry.result = Id(link);
  entry.cause = "create_payment_link";
  entry.reference = key;
  entry.amount = kPrice;
  entry.currency = kCurrency;
  history.ledger.push_back(std::move(entry));
  return history.ledger.back();
}

void AuditWorld::AddEvent(const std::string& order, const std::string& type,
                          std::int64_t sequence) {
  history.events.push_back({.order = Id(order),
                            .stream = "stream of " + order,
                            .type = type,
                            .sequence = sequence,
                            .digest = order + type + std::to_string(sequence)});
}

OpenLine& AuditWorld::Leave(const std::string& key, const std::string& rpc,
                            const std::string& state, const std::string& reason) {
  Record(key, rpc, state).review_reason = reason;
  history.open.push_back({.operation = OperationOf(key),
                          .rpc = "tollbridge.payments.v1.Payments/" + rpc,
                          .state = state,
                          .review_reason = reason,
                          .order = {},
                          .evidence = "what was seen"});
  return history.open.back();
}

Told& AuditWorld::told(const std::string& key) {
  const auto found = std::ranges::find(history.told, key, &Told::key);
  if (found == history.told.end()) throw std::runtime_error("nobody has used the key " + key);
  return *found;
}

std::set<std::string> Kinds(const Report& report) {
  std::set<std::string> kinds;
  for (const Finding& finding : report.contradictions) kinds.insert(finding.kind);
  return kinds;
}

}  // namespace tollbridge::chaos
