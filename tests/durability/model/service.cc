#include "tests/durability/model/service.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::model {

using ports::Answer;

namespace {

Time Millis(BootTime time) {
  return std::chrono::duration_cast<ports::Millis>(time.time_since_epoch()).count();
}

Answer Unknown(std::string cause) {
  return {.fate = Answer::Fate::kUnknown, .cause = std::move(cause)};
}

Answer Refused(domain::Refusal refusal) {
  return {.fate = Answer::Fate::kRefused, .refusal = std::move(refusal)};
}

Uuid NumberedId(std::int64_t number) {
  Uuid id;
  id.bytes[0] = 0xEF;
  for (std::size_t i = 0; i < 8; ++i) {
    id.bytes[15 - i] = static_cast<std::uint8_t>((number >> (8 * i)) & 0xFF);
  }
  return id;
}

}  // namespace

domain::Refusal ForGood() { return {.http_status = 400, .type = "Refused", .value = "no"}; }
domain::Refusal RateLimited() { return {.http_status = 429, .type = "TooManyRequests"}; }

Service::Fate Service::Roll() {
  std::int64_t roll = world_.dice.Between(1, 100);
  const auto within = [&roll](std::int64_t chance) {
    roll -= chance;
    return roll <= 0;
  };
  if (within(chances.not_sent)) return Fate::kNotSent;
  if (within(chances.refused)) return Fate::kRefused;
  if (within(chances.rate_limited)) return Fate::kRateLimited;
  if (within(chances.effect_unanswered)) return Fate::kEffectUnanswered;
  if (within(chances.nothing_unanswered)) return Fate::kNothingUnanswered;
  if (within(chances.delayed)) return Fate::kDelayed;
  if (within(chances.other_amount)) return Fate::kOtherAmount;
  return Fate::kAnswered;
}

boost::asio::awaitable<Answer> Service::Send(SendSpec spec, const operations::StepContext& step) {
  Dice& dice = world_.dice;
  const Time end = Millis(step.context.deadline);
  const Time write_before = Millis(step.guard.write_before);
  // Waiting for a connection, or the process stands still.
  const bool held_up = dice.Percent(chances.slow);
  co_await world_.SleepUntil(world_.now() +
                             (held_up ? dice.Between(0, 12 * kSecond) : dice.Between(0, 20)));
  Fate fate = Roll();
  if (world_.now() > write_before || world_.now() > end || fate == Fate::kNotSent) {
    co_return Answer{.fate = Answer::Fate::kNotSent, .cause = "window"};
  }
  hooks_.on_write(spec);
  if (down) fate = Fate::kNothingUnanswered;
  const Time sent_at = world_.now();
  const bool slow = dice.Percent(chances.slow);
  const Time executed = sent_at + (slow ? dice.Between(0, 9 * kSecond) : dice.Between(1, 500));
  switch (fate) {
    case Fate::kNothingUnanswered:
      co_await world_.SleepUntil(std::min(end, sent_at + dice.Between(0, 8 * kSecond)));
      co_return Unknown("no answer");
    case Fate::kRefused:
    case Fate::kRateLimited:
      co_await world_.SleepUntil(std::min(end, executed));
      if (executed > end) co_return Unknown("timeout");
      co_return Refused(fate == Fate::kRefused ? ForGood() : RateLimited());
    default:
      break;
  }

  // What is executed is, whether or not the process lives to see it.
  Time at = executed;
  if (fate == Fate::kDelayed) {
    const Time bound = settings_.late_execution_bound.count();
    // Often as late as can be.
    at = dice.Percent(50) ? end + bound : end + dice.Between(0, bound);
  }
  auto effect = std::make_shared<std::shared_ptr<Effect>>();
  world_.At(at, [this, spec, sent_at, effect] { *effect = Execute(spec, sent_at); });
  const bool unanswered = fate == Fate::kDelayed || fate == Fate::kEffectUnanswered;
  const Time answered = unanswered ? world_.now() + dice.Between(0, 8 * kSecond)
                                   : executed + 1 + (slow ? dice.Between(0, 4 * kSecond) : 0);
  co_await world_.SleepUntil(std::min(end, answered));
  if (unanswered || answered > end) co_return Unknown("no answer");
  if (*effect == nullptr) co_return Refused(ForGood());
  const bool other_amount = fate == Fate::kOtherAmount;
  hooks_.on_success(spec, other_amount);
  co_return AnswerOf(**effect, spec.amount + (other_amount ? 1 : 0));
}

std::shared_ptr<Effect> Service::Execute(const SendSpec& spec, Time sent_at) {
  if (spec.guarded && std::ranges::any_of(effects_, [&](const Effect& effect) {
        return effect.spec.operation == spec.operation && effect.spec.step == spec.step;
      })) {
    return nullptr;
  }
  Effect effect{.spec = spec, .sent_at = sent_at, .time = world_.now(), .id = NumberedId(next_id_)};
  ++next_id_;
  effect.indexed =
      effect.time +
      (world_.dice.Percent(30) ? world_.dice.Between(0, settings_.search_index_lag.count()) : 0);
  effects_.push_back(effect);
  hooks_.on_effect(effect);
  return std::make_shared<Effect>(std::move(effect));
}

Answer Service::AnswerOf(const Effect& effect, std::int64_t amount) {
  auto order = std::make_shared<common::v1::Order>();
  order->set_id(effect.id.ToString());
  order->set_amount(amount);
  // What only the answer holds.
  order->set_description(absl::StrCat("answer ", world_.dice.Between(0, 1'000'000)));
  return {.fate = Answer::Fate::kAnswered, .result = std::move(order)};
}

boost::asio::awaitable<Service::View> Service::Read(std::string step, bool by_search) {
  View view;
  view.readable = !down && !world_.dice.Percent(chances.unreadable);
  // What is shown is as of the question.
  const Time shown = world_.now() - read_lag;
  for (const Effect& effect : effects_) {
    if (effect.spec.step != step || effect.time > shown) continue;
    if (by_search && effect.indexed > world_.now()) continue;
    view.effects.push_back(effect);
  }
  co_await world_.SleepUntil(world_.now() + world_.dice.Between(1, 300));
  co_return view;
}

}  // namespace tollbridge::model
