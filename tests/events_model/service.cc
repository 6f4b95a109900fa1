#include "tests/events_model/service.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "services/domain/errors.h"
#include "services/domain/timestamps.h"
#include "tests/support/fakes/fake_search.h"
#include "tollbridge/common/v1/search.pb.h"

namespace tollbridge::events_model {

using common::v1::Order;

namespace {

absl::Status Error(absl::StatusCode code, std::string_view reason, bool answered) {
  domain::ErrorDetail detail{.reason = reason};
  if (answered) detail.metadata.emplace_back("provider_status", "500");
  return domain::MakeError(code, "the payment service is in trouble", detail);
}

absl::Status NotFound() {
  return domain::MakeError(absl::StatusCode::kNotFound, "no such order",
                           {.reason = domain::reason::kOrderNotFound});
}

absl::Status ErrorOf(Sickness sickness) {
  switch (sickness) {
    case Sickness::kUnreadable:
      return Error(absl::StatusCode::kInternal, domain::reason::kUpstreamUnreadable, false);
    case Sickness::kNotFound:
      return NotFound();
    default:
      return Error(absl::StatusCode::kUnavailable, domain::reason::kUpstreamUnavailable,
                   sickness == Sickness::kError);
  }
}

google::protobuf::Timestamp CivilTimestamp(Time time, bool whole_seconds) {
  return domain::ToTimestamp(model::Civil(whole_seconds ? time - time % kSecond : time));
}

}  // namespace

const domain::Projects& AllProjects() {
  static const domain::Projects projects = ProjectsOf(3, kProjects);
  return projects;
}

domain::Projects ProjectsOf(unsigned has, std::size_t count) {
  std::vector<domain::Project> all;
  for (std::size_t i = 0; i < count; ++i) {
    if (((has >> i) & 1U) == 0) continue;
    domain::Project project;
    project.name = i == 0 ? "shop" : "stall";
    project.id = *Uuid::Parse(absl::StrCat("3b241101-e2bb-4255-8caf-4136c566a96", i + 2));
    all.push_back(std::move(project));
  }
  return domain::Projects(std::move(all));
}

std::size_t IndexOf(const domain::Project& project) { return project.name == "shop" ? 0 : 1; }

Uuid Service::NewId() {
  std::array<std::uint8_t, 16> random{};
  for (std::uint8_t& byte : random) byte = static_cast<std::uint8_t>(world_.dice.Next());
  return Uuid::V4(random);
}

SimOrder& Service::Add(std::size_t project, SimOrder* parent, events::v1::EventKind kind,
                       Order first) {
  orders_.push_back(std::make_unique<SimOrder>());
  SimOrder& order = *orders_.back();
  order.id = NewId();
  order.text_id = order.id.ToString();
  order.kind = kind;
  if (parent == nullptr) {
    families_.push_back(std::make_unique<Family>());
    order.family = families_.back().get();
    order.family->project = project;
    order.family->root = &order;
  } else {
    order.family = parent->family;
  }
  order.family->orders.push_back(&order);
  order.family->changed = world_.now();
  by_id_.at(project)[order.id] = &order;
  first.set_id(order.text_id);
  first.set_currency("EUR");
  *first.mutable_created() = CivilTimestamp(world_.now(), whole_seconds);
  *first.mutable_modified() = first.created();
  if (first.status() == common::v1::ORDER_STATUS_COMPLETED) {
    *first.mutable_completed() = first.created();
  }
  order.versions.push_back({.at = world_.now(), .order = std::move(first)});
  return order;
}

void Service::Change(SimOrder& order, const std::function<void(Order&)>& change, bool touches) {
  Version next{.at = world_.now(), .order = order.now()};
  change(next.order);
  if (touches) *next.order.mutable_modified() = CivilTimestamp(world_.now(), whole_seconds);
  if (next.order.status() == common::v1::ORDER_STATUS_COMPLETED && !next.order.has_completed()) {
    *next.order.mutable_completed() = CivilTimestamp(world_.now(), whole_seconds);
  }
  order.versions.push_back(std::move(next));
  order.family->changed = world_.now();
}

SimOrder* Service::Find(std::size_t project, const Uuid& id) {
  const auto found = by_id_.at(project).find(id);
  return found == by_id_.at(project).end() ? nullptr : found->second;
}

const Order* Service::Shown(const SimOrder& order, Time behind) const {
  const Time shown = world_.now() - behind;
  const Order* found = nullptr;
  for (const Version& version : order.versions) {
    if (version.at <= shown) found = &version.order;
  }
  return found;
}

Async<Order> Service::GetOrder(const domain::Project& project, std::string_view order_id,
                               const ports::Context& context) {
  Dice& dice = world_.dice;
  const std::size_t index = IndexOf(project);
  const Trouble trouble = troubles.at(index);
  const Time end = model::ToTime(context.deadline);
  const std::optional<Uuid> id = Uuid::Parse(order_id);
  SimOrder* const order = id ? Find(index, *id) : nullptr;
  const Time begun = world_.now();
  if (trouble.not_sent) {
    co_return domain::MakeError(absl::StatusCode::kUnavailable, "it was not sent",
                                {.reason = domain::reason::kNotSent});
  }
  if (order != nullptr) {
    order->read_begun = begun;
    hooks_.on_read(*order);
  }
  const bool no_answer =
      dice.Percent(trouble.no_answer) ||
      (order != nullptr && order->IsSick(begun) && order->sickness == Sickness::kNoAnswer);
  const Time latency =
      dice.Percent(trouble.slow) ? dice.Between(0, 8 * kSecond) : dice.Between(5, 60);
  if (no_answer || begun + latency > end) {
    co_await world_.SleepUntil(end);
    co_return ErrorOf(Sickness::kNoAnswer);
  }
  co_await world_.SleepUntil(begun + latency);
  if (trouble.limited) {
    co_return domain::MakeError(absl::StatusCode::kResourceExhausted, "too many reads",
                                {.reason = domain::reason::kUpstreamRateLimited,
                                 .retry_after = ports::Millis(*trouble.limited)});
  }
  if (dice.Percent(trouble.errors)) co_return ErrorOf(Sickness::kError);
  if (dice.Percent(trouble.unreadable)) co_return ErrorOf(Sickness::kUnreadable);
  if (order == nullptr) co_return NotFound();
  const Order* shown =
      Shown(*order, trouble.lag > 0 && dice.Percent(50) ? dice.Between(0, trouble.lag) : 0);
  if (order->IsSick(begun)) {
    if (order->sickness == Sickness::kNotFound) order->answered_not_found = true;
    co_return ErrorOf(order->sickness);
  }
  if (shown == nullptr || dice.Percent(trouble.not_found)) {
    order->answered_not_found = true;
    co_return NotFound();
  }
  order->answered_begun = std::max(order->answered_begun, begun);
  co_return *shown;
}

Async<common::v1::OrderSearchResult> Service::SearchOrders(const domain::Project& project,
                                                           const common::v1::OrderSearch& search,
                                                           const ports::Context& /*context*/) {
  const std::size_t index = IndexOf(project);
  const Trouble trouble = troubles.at(index);
  hooks_.on_search(index);
  co_await world_.SleepUntil(world_.now() + world_.dice.Between(5, 200));
  if (trouble.not_sent || world_.dice.Percent(trouble.errors) ||
      world_.dice.Percent(trouble.no_answer)) {
    co_return ErrorOf(Sickness::kError);
  }
  common::v1::OrderSearchResult page;
  std::int64_t hits = 0;
  for (const auto& [id, order] : by_id_.at(index)) {
    const Order* shown = Shown(*order, index_lag);
    if (shown == nullptr || !test::Matches(*shown, search.query())) continue;
    ++hits;
    if (search.search_after() != "-1" && order->text_id <= search.search_after()) continue;
    if (page.orders_size() < search.size()) *page.add_orders() = *shown;
  }
  page.set_hits(hits);
  if (page.orders_size() > 0) {
    page.set_search_after(page.orders(page.orders_size() - 1).id());
  }
  co_return page;
}

}  // namespace tollbridge::events_model
