#include "sandbox/admin/admin_routes.h"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <limits>
#include <memory>
#include <utility>

#include "sandbox/core/result.h"
#include "sandbox/wire/error_response.h"
#include "sandbox/wire/json_reader.h"
#include "sandbox/wire/json_text.h"

namespace tollbridge::sandbox {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

using SharedBackend = std::shared_ptr<const AdminBackend>;

Result<http::Response> ShowLedger(const AdminBackend& backend, const Call& /*call*/) {
  std::string out;
  JsonText text(&out);
  text.Open('[');
  for (const LedgerEntry& entry : backend.world->simulation.ledger.entries()) {
    text.Open('{');
    text.Text("effect", Text(entry.effect));
    text.When("at", entry.at);
    text.Id("project_id", entry.project_id);
    text.Id("order_id", entry.order_id);
    text.Id("transaction_id", entry.transaction_id);
    text.Id("result_order_id", entry.result_order_id);
    text.Number("amount", entry.amount);
    text.Text("currency", entry.currency);
    text.Text("operation", entry.cause.operation);
    text.Number("request", static_cast<std::int64_t>(entry.cause.request));
    text.Close('}');
  }
  text.Close(']');
  return JsonResponse(200, std::move(out));
}

/// What moves no money and so is not in the ledger, but is there once or twice all the same.
Result<http::Response> ShowCards(const AdminBackend& backend, const Call& /*call*/) {
  std::string out;
  JsonText text(&out);
  text.Open('[');
  for (const CardVault::Stored& card : backend.world->vault.stored()) {
    text.Open('{');
    text.When("at", card.at);
    text.Id("project_id", card.setup.project);
    text.Id("order_id", card.setup.order);
    text.Id("transaction_id", card.setup.transaction);
    text.Id("vault_token", card.vault_token);
    text.Text("operation", card.cause.operation);
    text.Number("request", static_cast<std::int64_t>(card.cause.request));
    text.Close('}');
  }
  text.Close(']');
  return JsonResponse(200, std::move(out));
}

Result<http::Response> ShowPaymentLinks(const AdminBackend& backend, const Call& /*call*/) {
  std::vector<const PaymentLink*> links;
  for (const auto& [id, link] : backend.world->links.all()) links.push_back(&link);
  std::ranges::sort(links, {}, &PaymentLink::created);
  std::string out = "[";
  for (const PaymentLink* link : links) {
    if (out.size() > 1) out += ',';
    out += LinkToJson(*link, backend.world->orders, *backend.addresses);
  }
  out += ']';
  return JsonResponse(200, std::move(out));
}

Result<http::Response> Deliveries(const AdminBackend& backend, const Call& /*call*/) {
  return JsonResponse(200, json::serialize(backend.deliveries()));
}

Result<http::Response> ShowChanges(const AdminBackend& backend, const Call& /*call*/) {
  std::string out;
  JsonText text(&out);
  text.Open('[');
  for (const StatusChange& change : backend.world->orders.changes()) {
    text.Open('{');
    text.Id("order_id", change.order);
    text.Text("status", Text(change.status));
    text.When("at", change.at);
    text.Close('}');
  }
  text.Close(']');
  return JsonResponse(200, std::move(out));
}

Result<http::Response> ShowReads(const AdminBackend& backend, const Call& /*call*/) {
  std::string out;
  JsonText text(&out);
  text.Open('[');
  for (const auto& [order, reads] : backend.world->reads) {
    text.Open('{');
    text.Id("order_id", order);
    text.Number("reads", reads);
    text.Close('}');
  }
  text.Close(']');
  return JsonResponse(200, std::move(out));
}

/// nullopt when `limit` is there and is no number from 1 to kMaxOrdersListed.
std::optional<std::size_t> LimitOf(const Call& call) {
  const std::optional<std::string_view> given = call.target->Query("limit");
  if (!given) return kDefaultOrdersListed;
  std::size_t limit = 0;
  const char* end = given->data() + given->size();
  const auto [read_to, problem] = std::from_chars(given->data(), end, limit);
  if (problem != std::errc{} || read_to != end || limit < 1 || limit > kMaxOrdersListed) {
    return std::nullopt;
  }
  return limit;
}

/// Where the listed orders begin among `ids`: with the newest `limit`, or where `after` says.
/// nullopt when `after` is there and names no order.
std::optional<std::size_t> BeginOf(const Call& call, const std::vector<Uuid>& ids,
                                   std::size_t limit) {
  const std::optional<std::string_view> after = call.target->Query("after");
  if (!after) return ids.size() - std::min(ids.size(), limit);
  if (after->empty()) return 0;
  const std::optional<Uuid> last = Uuid::Parse(*after);
  // Whoever pages asks for the end more often than for the beginning.
  const auto found = last ? std::find(ids.rbegin(), ids.rend(), *last) : ids.rend();
  if (found == ids.rend()) return std::nullopt;
  return static_cast<std::size_t>(ids.rend() - found);
}

Result<http::Response> ListOrders(const AdminBackend& backend, const Call& call) {
  const std::optional<std::size_t> limit = LimitOf(call);
  if (!limit) {
    return Invalid("limit must be from 1 to " + std::to_string(kMaxOrdersListed));
  }
  const std::vector<Uuid>& ids = backend.world->orders.by_creation();
  const std::optional<std::size_t> begin = BeginOf(call, ids, *limit);
  if (!begin) return Invalid("after must be empty or the id of an order");
  const std::size_t end = *begin + std::min(ids.size() - *begin, *limit);
  std::string out = "[";
  for (std::size_t i = *begin; i < end; ++i) {
    if (out.size() > 1) out += ',';
    AppendOrder(*backend.world->orders.Find(ids[i]), *backend.addresses, &out);
  }
  out += ']';
  return JsonResponse(200, std::move(out));
}

Result<http::Response> ShowClock(const AdminBackend& backend, const Call& /*call*/) {
  const Clock& clock = backend.world->simulation.clock;
  return JsonResponse(200, json::serialize(json::object{{"now", FormatTime(clock.Now())},
                                                        {"stands", clock.stands()}}));
}

/// `backend` comes by value, so that it lives for as long as this does.
asio::awaitable<http::Response> MoveClock(SharedBackend backend, const Call& call) {
  JsonReader body(ParseBodyOrNone(call.request->body), {"advance"});
  body.Require({"advance"});
  const std::optional<Millis> by = body.Duration("advance", Millis{0}, kLongestAdvance);
  if (const Result<void> read = body.Done(); !read.ok()) co_return ToResponse(read.error());
  co_await backend->advance(*by);
  co_return ToResponse(ShowClock(*backend, call));
}

Result<http::Response> ShowFaults(const AdminBackend& backend, const Call& /*call*/) {
  return JsonResponse(200, json::serialize(backend.fault_plan()));
}

Result<http::Response> SetFaults(const AdminBackend& backend, const Call& call) {
  SB_ASSIGN_OR_RETURN(const json::object body, ParseBodyOrNone(call.request->body));
  SB_RETURN_IF_ERROR(backend.set_fault_plan(body));
  return ShowFaults(backend, call);
}

Result<http::Response> Reset(const AdminBackend& backend, const Call& call) {
  const JsonReader body(ParseBodyOrNone(call.request->body), {});
  SB_RETURN_IF_ERROR(body.Done());
  backend.world->Reset();
  backend.clear_rest();
  return JsonResponse(200, "{}");
}

/// nullptr when no project has that name.
const Project* FindByName(const World& world, std::string_view name) {
  const std::vector<Project>& projects = world.simulation.settings.projects;
  const auto found =
      std::ranges::find_if(projects, [&](const Project& project) { return project.name == name; });
  return found == projects.end() ? nullptr : &*found;
}

Result<http::Response> Seed(const AdminBackend& backend, const Call& call) {
  const World& world = *backend.world;
  const std::size_t held = world.orders.by_id().size();
  const std::size_t most = world.simulation.settings.max_orders;
  const std::size_t room = most - std::min(most, held);
  JsonReader body(ParseBodyOrNone(call.request->body), {"orders", "project"});
  body.Require({"orders"});
  const auto count = static_cast<std::size_t>(
      body.Integer("orders", 0, std::numeric_limits<std::int32_t>::max()).value_or(0));
  if (count > room) {
    body.Refuse("orders", "must be at most " + std::to_string(room) +
                              ": the sandbox holds max_orders = " + std::to_string(most));
  }
  const std::optional<std::string> name = body.String("project");
  const Project* project =
      name ? FindByName(world, *name) : &world.simulation.settings.projects.front();
  if (project == nullptr) body.Refuse("project", "names no project");
  SB_RETURN_IF_ERROR(body.Done());
  const std::size_t seeded = backend.seed(*project, count);
  return JsonResponse(200, json::serialize(json::object{{"seeded", seeded},
                                                        {"orders", world.orders.by_id().size()}}));
}

/// Which keys of a project are good from now on, as the payment service's own pages let a merchant
/// say.
Result<http::Response> SetApiKeys(const AdminBackend& backend, const Call& call) {
  JsonReader body(ParseBodyOrNone(call.request->body), {"project", "api_keys"});
  body.Require({"project", "api_keys"});
  const std::string name = body.String("project").value_or("");
  std::vector<std::string> keys = body.Strings("api_keys").value_or(std::vector<std::string>());
  std::vector<Project>& projects = backend.world->simulation.settings.projects;
  const auto project = std::ranges::find(projects, name, &Project::name);
  if (project == projects.end()) body.Refuse("project", "names no project");
  SB_RETURN_IF_ERROR(body.Done());
  project->api_keys = std::move(keys);
  return JsonResponse(200, json::serialize(json::object{{"api_keys", project->api_keys.size()}}));
}

Result<http::Response> Answer(const AdminBackend& backend, const Result<Uuid>& outcome) {
  if (!outcome.ok()) return outcome.error();
  const Order* order = backend.world->orders.Find(*outcome);
  return JsonResponse(200, OrderToJson(*order, *backend.addresses));
}

using Paid = Result<Uuid>;

Paid Changed(const Uuid& order, const Result<void>& done) {
  if (!done.ok()) return done.error();
  return order;
}

Paid Made(const FollowUps::Made& made) {
  if (!made.ok()) return made.error();
  return (*made)->id;
}

struct Outcome {
  std::string_view name;
  bool takes_amount = false;
  Paid (*happen)(World& world, const Uuid& order, std::optional<std::int64_t> amount);
};

/// What the pages' buttons do. The first three change the order, the others make a new one of it.
constexpr std::array<Outcome, 6> kOutcomes{{
    {"approve", false,
     [](World& world, const Uuid& order, std::optional<std::int64_t>) {
       return Changed(order, world.Approve(order));
     }},
    {"decline", false,
     [](World& world, const Uuid& order, std::optional<std::int64_t>) {
       return Changed(order, world.Decline(order));
     }},
    {"expire", false,
     [](World& world, const Uuid& order, std::optional<std::int64_t>) {
       return Changed(order, world.payments.Expire(order));
     }},
    {"chargeback", true,
     [](World& world, const Uuid& order, std::optional<std::int64_t> amount) {
       return Made(world.follow_ups.Chargeback(order, amount));
     }},
    {"refund", true,
     [](World& world, const Uuid& order, std::optional<std::int64_t> amount) {
       return Made(world.follow_ups.Refund(order, amount, std::nullopt));
     }},
    {"reversal", true,
     [](World& world, const Uuid& order, std::optional<std::int64_t> amount) {
       return Made(world.follow_ups.Reversal(order, amount));
     }},
}};

Result<http::Response> Pay(const AdminBackend& backend, const Call& call) {
  const std::optional<Uuid> id = Uuid::Parse(call.parameters[0]);
  if (!id || backend.world->orders.Find(*id) == nullptr) return NotFound();
  JsonReader body(ParseBodyOrNone(call.request->body), {"outcome", "amount"});
  body.Require({"outcome"});
  const std::optional<std::string> wanted = body.String("outcome");
  const std::optional<std::int64_t> amount =
      body.Integer("amount", 1, std::numeric_limits<std::int64_t>::max());
  const auto outcome = std::ranges::find_if(
      kOutcomes, [&](const Outcome& candidate) { return candidate.name == wanted; });
  if (outcome == kOutcomes.end()) {
    body.Refuse("outcome", "must be approve, decline, expire, chargeback, refund or reversal");
  } else if (amount && !outcome->takes_amount) {
    body.Refuse("amount", "goes with chargeback, refund and reversal only");
  }
  SB_RETURN_IF_ERROR(body.Done());
  return Answer(backend, outcome->happen(*backend.world, *id, amount));
}

/// Not even JSON is asked for: orders that no client can read are made like this.
Result<http::Response> SetExtra(const AdminBackend& backend, const Call& call) {
  const std::optional<Uuid> id = Uuid::Parse(call.parameters[0]);
  if (!id || backend.world->orders.Find(*id) == nullptr) return NotFound();
  backend.world->orders.Edit(*id).extra = call.request->body;
  return JsonResponse(200, "{}");
}

Result<http::Response> Operations(const AdminBackend& backend, const Call& /*call*/) {
  json::array out;
  for (const std::string_view name : backend.operations()) out.emplace_back(name);
  return JsonResponse(200, json::serialize(out));
}

/// What their keys are stays out: this may be read by anyone on the machine.
Result<http::Response> Projects(const AdminBackend& backend, const Call& /*call*/) {
  json::array out;
  for (const Project& project : backend.world->simulation.settings.projects) {
    out.push_back({{"name", project.name},
                   {"id", project.id.ToString()},
                   {"merchant_id", project.merchant_id.ToString()},
                   {"trade_name", project.trade_name},
                   {"test", project.test},
                   {"read_only", project.read_only},
                   {"aft", project.aft},
                   {"payouts", project.payouts}});
  }
  return JsonResponse(200, json::serialize(out));
}

Result<http::Response> MakeWalletB(const AdminBackend& backend, const Call& call) {
  constexpr auto kFields =
      std::to_array<std::string_view>({"pan", "expirationMonth", "expirationYear", "authMethod"});
  JsonReader body(ParseBodyOrNone(call.request->body), kFields);
  body.Require(kFields);
  WalletBEntry card;
  card.pan = body.Digits("pan", 12, 19).value_or("");
  card.expiration_month = static_cast<int>(body.Integer("expirationMonth", 1, 12).value_or(0));
  card.expiration_year = static_cast<int>(body.Integer("expirationYear", 2000, 9999).value_or(0));
  card.bound_to_device =
      body.OneOf("authMethod", {"PAN_ONLY", "CRYPTOGRAM_3DS"}) == "CRYPTOGRAM_3DS";
  SB_RETURN_IF_ERROR(body.Done());
  return JsonResponse(
      200, json::serialize(json::object{{"walletPayMessage", backend.wallet_b_message(card)}}));
}

}  // namespace

std::vector<Route> AdminRoutes(AdminBackend given) {
  const SharedBackend backend = std::make_shared<const AdminBackend>(std::move(given));
  std::vector<Route> routes;
  const auto add = [&](std::string_view operation, std::string_view method,
                       std::string_view pattern,
                       Result<http::Response> (*handle)(const AdminBackend&, const Call&)) {
    routes.push_back({.operation = operation,
                      .method = method,
                      .pattern = pattern,
                      .access = Access::kOperator,
                      .changes = method == "POST",
                      .handle = [backend, handle](const Call& call) {
                        return ToResponse(handle(*backend, call));
                      }});
  };
  add("admin_ledger", "GET", "/_sandbox/ledger/", &ShowLedger);
  add("admin_cards", "GET", "/_sandbox/cards/", &ShowCards);
  add("admin_payment_links", "GET", "/_sandbox/payment-links/", &ShowPaymentLinks);
  add("admin_changes", "GET", "/_sandbox/changes/", &ShowChanges);
  add("admin_reads", "GET", "/_sandbox/reads/", &ShowReads);
  add("admin_deliveries", "GET", "/_sandbox/deliveries/", &Deliveries);
  add("admin_orders", "GET", "/_sandbox/orders/", &ListOrders);
  add("admin_pay", "POST", "/_sandbox/orders/{}/pay/", &Pay);
  add("admin_extra", "POST", "/_sandbox/orders/{}/extra/", &SetExtra);
  add("admin_clock", "GET", "/_sandbox/clock/", &ShowClock);
  routes.push_back(
      {.operation = "admin_move_clock",
       .method = "POST",
       .pattern = "/_sandbox/clock/",
       .access = Access::kOperator,
       .changes = true,
       .handle_later = [backend](const Call& call) { return MoveClock(backend, call); }});
  add("admin_faults", "GET", "/_sandbox/faults/", &ShowFaults);
  add("admin_set_faults", "POST", "/_sandbox/faults/", &SetFaults);
  add("admin_reset", "POST", "/_sandbox/reset/", &Reset);
  add("admin_seed", "POST", "/_sandbox/seed/", &Seed);
  add("admin_api_keys", "POST", "/_sandbox/api-keys/", &SetApiKeys);
  add("admin_operations", "GET", "/_sandbox/operations/", &Operations);
  add("admin_projects", "GET", "/_sandbox/projects/", &Projects);
  add("admin_wallet_b_message", "POST", "/_sandbox/wallet-b-message/", &MakeWalletB);
  return routes;
}

}  // namespace tollbridge::sandbox
