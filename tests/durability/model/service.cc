#include "tests/durability/model/service.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::model {

using ports::Answer;

namespace {

Time Millis(BootTime time) {
  return std::chrono::duration_cast<ports::Millis>(time.time_since_epoch()).count();
}

Answer NotKnown(std::string cause) {
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

/// What it can be done for once.
bool IsSame(const SendSpec& one, const SendSpec& other) {
  if (one.act != other.act || one.project != other.project) return false;
  switch (one.act) {
    case Act::kStart:
    case Act::kCapture:
      return one.order_id == other.order_id && one.transaction_id == other.transaction_id;
    case Act::kPayOut:
      return one.order_id == other.order_id;
    case Act::kSpendToken:
      return one.key == other.key;
    default:
      return false;
  }
}

}  // namespace

domain::Refusal ForGood() { return {.http_status = 400, .type = "ValidationError", .value = "no"}; }
domain::Refusal Unknown() { return {.http_status = 404, .type = "NotFound"}; }
domain::Refusal Again() { return {.http_status = 409, .type = "TransactionAlreadyStarted"}; }
domain::Refusal RateLimited() { return {.http_status = 429, .type = "TooManyRequests"}; }

bool Service::Has(std::size_t project, std::string_view order_id,
                  const std::optional<std::string>& transaction_id) const {
  return std::ranges::any_of(orders_, [&](const auto& there) {
    const auto& [of, order, transaction] = there;
    return of == project && order == order_id &&
           (!transaction_id.has_value() || transaction == *transaction_id);
  });
}

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
  spec.mark = step.mark;
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
      co_return NotKnown("no answer");
    case Fate::kRefused:
    case Fate::kRateLimited:
      co_await world_.SleepUntil(std::min(end, executed));
      if (executed > end) co_return NotKnown("timeout");
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
  auto done = std::make_shared<Done>();
  world_.At(at, [this, spec, sent_at, done] { *done = Execute(spec, sent_at); });
  const bool unanswered = fate == Fate::kDelayed || fate == Fate::kEffectUnanswered;
  const Time answered = unanswered ? world_.now() + dice.Between(0, 8 * kSecond)
                                   : executed + 1 + (slow ? dice.Between(0, 4 * kSecond) : 0);
  co_await world_.SleepUntil(std::min(end, answered));
  if (unanswered || answered > end) co_return NotKnown("no answer");
  if (!done->effect.has_value()) co_return Refused(done->refusal);
  const bool other_amount = fate == Fate::kOtherAmount && spec.amount != 0;
  hooks_.on_success(spec, other_amount);
  co_return AnswerOf(*done->effect, spec.amount + (other_amount ? 1 : 0));
}

std::optional<domain::Refusal> Service::Refuse(const SendSpec& spec) const {
  const bool made_here = spec.act == Act::kPayOut || spec.order_id.empty();
  const bool by_transaction = spec.act == Act::kStart || spec.act == Act::kCapture;
  if (!made_here && !Has(spec.project, spec.order_id,
                         by_transaction ? std::optional(spec.transaction_id) : std::nullopt)) {
    return Unknown();
  }
  if (std::ranges::any_of(effects_,
                          [&](const Effect& effect) { return IsSame(effect.spec, spec); })) {
    return Again();
  }
  return std::nullopt;
}

Service::Done Service::Execute(const SendSpec& spec, Time sent_at) {
  if (std::optional<domain::Refusal> refusal = Refuse(spec)) {
    return {.effect = {}, .refusal = *std::move(refusal)};
  }
  Effect effect{.spec = spec, .sent_at = sent_at, .time = world_.now(), .id = NumberedId(next_id_)};
  ++next_id_;
  // A start changes the order that it is about, and makes none.
  if (spec.act == Act::kStart || spec.act == Act::kPayOut) {
    effect.id = Uuid::Parse(spec.order_id).value_or(Uuid());
  }
  effect.indexed =
      effect.time +
      (world_.dice.Percent(30) ? world_.dice.Between(0, settings_.search_index_lag.count()) : 0);
  effects_.push_back(effect);
  hooks_.on_effect(effect);
  return {.effect = std::move(effect), .refusal = {}};
}

Answer Service::AnswerOf(const Effect& effect, std::int64_t amount) {
  common::v1::Order order;
  order.set_id(effect.id.ToString());
  if (amount != 0) order.set_amount(amount);
  // What only the answer holds.
  order.set_merchant_name(absl::StrCat("answer ", world_.dice.Between(0, 1'000'000)));
  Answer answer{.fate = Answer::Fate::kAnswered};
  if (effect.spec.act == Act::kPayOut) {
    auto started = std::make_shared<payments::v1::AuthenticateAnswer>();
    *started->mutable_order() = std::move(order);
    answer.result = std::move(started);
  } else {
    answer.result = std::make_shared<common::v1::Order>(std::move(order));
  }
  return answer;
}

}  // namespace tollbridge::model
