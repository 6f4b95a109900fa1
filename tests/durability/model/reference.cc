#include "tests/durability/model/reference.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "adapters/redis/record_format.h"
#include "services/domain/errors.h"
#include "tests/support/operation_records.h"
#include "tests/support/packed_record.h"

namespace tollbridge::model {

namespace {

/// How long before a loss a write may have been claimed whose record went with it.
constexpr Time kClaimToEffect = kMinute;

std::string Text(std::string_view text) { return std::string(text); }

/// The reasons of an error that speaks for the whole key: nothing of it was executed.
bool NothingExecuted(const std::string& reason) {
  static const std::string kRefused = domain::ReasonOf(domain::ToError(ForGood()));
  static const std::string kLimited = domain::ReasonOf(domain::ToError(RateLimited()));
  return reason == kRefused || reason == kLimited || reason == domain::reason::kNotSent;
}

}  // namespace

int Reference::AddKey(Kind kind, const Uuid& operation) {
  keys_.push_back({.kind = kind, .operation = operation});
  return static_cast<int>(keys_.size()) - 1;
}

int Reference::AddCall(const Ask& ask) {
  Key& key = keys_.at(static_cast<std::size_t>(ask.key));
  key.amounts_vary = key.amounts_vary || (key.amount != 0 && key.amount != ask.amount);
  key.amount = ask.amount;
  calls_.push_back({.ask = ask});
  return static_cast<int>(calls_.size()) - 1;
}

void Reference::Fail(const Key& key, std::string_view why) {
  world_.Fail(
      absl::StrCat("key ", &key - keys_.data(), " (", Text(NameOf(key.kind)), "): ", Text(why)));
}

Reference::Record Reference::Read(const Key& key) const {
  Record record;
  const std::string* packed = redis_.data().Get<std::string>(test::RecordKey(key.operation));
  if (packed == nullptr) return record;
  const test::PackedRecord fields = test::ReadPackedRecord(*packed);
  const auto field = [&fields](const std::string& name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->second;
  };
  const std::string state = field("s");
  if (!state.empty()) record.state = state[0];
  record.sent = field("p." + field("p") + ".1") == "S";
  record.gate = field("g");
  record.review_reason = field("y");
  record.outcome = field("z");
  record.epoch = field("h");
  return record;
}

bool Reference::UsedSinceLoss(int key) const {
  const test::Hash* hash = redis_.data().Get<test::Hash>("tb:epoch");
  const std::string* epoch = hash == nullptr ? nullptr : hash->Get("id");
  const std::string used_in = Read(keys_.at(static_cast<std::size_t>(key))).epoch;
  return epoch != nullptr && !used_in.empty() && epoch->starts_with(used_in);
}

void Reference::OnCall(int call) {
  calls_.at(static_cast<std::size_t>(call)).started = world_.now();
}

void Reference::OnWrite(SendSpec& spec) {
  spec.write = ++writes_;
  if (world_.keeps_history()) {
    world_.Note(absl::StrCat("call ", spec.call, " writes ", spec.step, " of key ", spec.key));
  }
  // The gate: no other operation of this order is under way, or waits for its outcome.
  const Call& call = calls_.at(static_cast<std::size_t>(spec.call));
  if (!HasGate(call.ask.kind) || LostSince(call.started)) return;
  for (Key& other : keys_) {
    if (&other == &keys_.at(static_cast<std::size_t>(spec.key)) || !HasGate(other.kind)) continue;
    const Record record = Read(other);
    const bool open =
        record.state == 'U' || record.state == 'V' || (record.state == 'R' && record.sent);
    if (open && record.gate == redis::PackOrderId(spec.order_id)) {
      Fail(other, absl::StrCat("does not hold its gate: key ", spec.key, " is sent as well"));
    }
  }
}

void Reference::OnEffect(const Effect& effect) {
  if (world_.keeps_history()) {
    world_.Note(absl::StrCat("effect ", effect.spec.step, " of key ", effect.spec.key, ", call ",
                             effect.spec.call));
  }
  if (!effect.spec.counts) return;
  Key& key = keys_.at(static_cast<std::size_t>(effect.spec.key));
  key.effects.push_back(effect);
  if (key.effects.size() > 1) Fail(key, "has a second effect");
  if (std::ranges::any_of(key.disclaimers, [&](const Disclaimer& disclaimer) {
        return Denies(disclaimer, effect);
      })) {
    Fail(key, "has an effect after it was told that there is none");
  }
  if (calls_.at(static_cast<std::size_t>(effect.spec.call)).disclaimed) {
    Fail(key, "has an effect of a call that was told to have done nothing");
  }
}

void Reference::OnSuccess(const SendSpec& spec, bool other_amount) {
  if (!spec.counts) return;
  // A success for another amount is for a person to judge.
  if (!other_amount) calls_.at(static_cast<std::size_t>(spec.call)).succeeded = true;
  Key& key = keys_.at(static_cast<std::size_t>(spec.key));
  key.other_amount = key.other_amount || other_amount;
}

void Reference::OnLoss() {
  lost_at_ = world_.now();
  for (Key& key : keys_) {
    key.replayed.clear();
    key.outcome.clear();
  }
}

void Reference::OnReply(int number, const operations::Reply& reply) {
  Call& call = calls_.at(static_cast<std::size_t>(number));
  Key& key = keys_.at(static_cast<std::size_t>(call.ask.key));
  const std::string reason = reply.status.ok() ? std::string() : domain::ReasonOf(reply.status);
  const Told told = ReadResponse(reply.response);
  if (world_.keeps_history()) {
    world_.Note(absl::StrCat("call ", number, " of key ", call.ask.key, " is told ",
                             !reply.status.ok() ? reason
                             : told.pending     ? "pending"
                                                : "executed: " + told.effect_id,
                             reply.replay ? " (replay)" : ""));
  }
  if (reply.replay) {
    const std::string bytes = reply.status.ok() ? reply.response : reply.status.ToString();
    if (!key.replayed.empty() && key.replayed != bytes) Fail(key, "has two replays that differ");
    key.replayed = bytes;
  }
  if (!reply.status.ok()) {
    ToldNothingDone(call, key, reason);
  } else if (told.pending) {
    ToldPending(call, key);
  } else {
    ToldExecuted(call, key, told.effect_id);
  }
}

void Reference::ToldExecuted(Call& call, Key& key, const std::string& effect_id) {
  if (key.effects.size() != 1 || key.effects.front().id.ToString() != effect_id) {
    Fail(key, absl::StrCat("is told executed as ", effect_id, ", and has ", key.effects.size(),
                           " effects"));
  }
  if (call.disclaimed) Fail(key, "is told executed and not executed");
  key.executed = effect_id;
}

bool Reference::Denies(const Disclaimer& disclaimer, const Effect& effect) const {
  const Call& call = calls_.at(static_cast<std::size_t>(effect.spec.call));
  return effect.spec.write <= disclaimer.write && call.started <= disclaimer.started;
}

void Reference::ToldNothingDone(Call& call, Key& key, std::string_view reason) {
  call.disclaimed = true;
  const int number = static_cast<int>(&call - calls_.data());
  for (const Effect& effect : key.effects) {
    if (effect.spec.call == number) {
      Fail(key, absl::StrCat("has an effect, and its call is told ", Text(reason)));
    }
  }
  if (!NothingExecuted(Text(reason))) return;
  const Disclaimer& told =
      key.disclaimers.emplace_back(Disclaimer{.write = writes_, .started = call.started});
  if (std::ranges::any_of(key.effects,
                          [&](const Effect& effect) { return Denies(told, effect); })) {
    Fail(key, absl::StrCat("has an effect and is told ", Text(reason)));
  }
}

void Reference::ToldPending(const Call& call, Key& key) {
  if (!call.succeeded || LostSince(call.started)) return;
  const char state = Read(key).state;
  if (state != 'D' && state != 'V') {
    Fail(key, "was answered, and its caller is told that the outcome is not known");
  }
}

void Reference::OnFinish(const ports::FinishRequest& request, ports::FinishVerdict verdict) {
  if (request.to != operations::v1::OPERATION_STATE_DONE || request.refused) return;
  if (verdict != ports::FinishVerdict::kNotOurs) return;
  for (const Key& key : keys_) {
    if (key.operation == request.identity.id) Fail(key, "has a success that is dropped");
  }
}

void Reference::CheckRecords() {
  for (Key& key : keys_) {
    const Record record = Read(key);
    const bool done = record.state == 'D';
    if (!key.outcome.empty()) {
      if (!done || record.outcome != key.outcome) {
        Fail(key, "was DONE, and its outcome did not stay");
      }
    } else if (done) {
      key.outcome = record.outcome;
    }
  }
}

std::vector<int> Reference::DoneKeys() {
  std::vector<int> done;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (Read(keys_[i]).state == 'D') done.push_back(static_cast<int>(i));
  }
  return done;
}

void Reference::CheckReview(const Key& key, const Record& record) {
  const std::string& reason = record.review_reason;
  const bool unsure = key.kind == Kind::kRefund || key.kind == Kind::kUnmarked;
  bool fits = lost_at_.has_value() && reason == ports::review::kLateEffect;
  fits =
      fits || (reason == ports::review::kAmountDiffers && (key.other_amount || key.amounts_vary));
  fits = fits || (reason == ports::review::kAmbiguous && key.kind == Kind::kUnmarked);
  fits = fits || (reason == ports::review::kAbsentNotRepeatable && unsure &&
                  (key.effects.empty() || LostSince(key.effects.front().sent_at)));
  if (!fits) Fail(key, absl::StrCat("is in review for ", reason, ", which does not fit"));
}

void Reference::CheckSettled() {
  for (const Key& key : keys_) {
    const Record record = Read(key);
    switch (record.state) {
      case 'R':
      case 'U':
        Fail(key, absl::StrCat("is never resolved: ", std::string(1, record.state)));
        break;
      case 'V':
        CheckReview(key, record);
        break;
      case 'D':
        break;
      default:
        if (!key.effects.empty() && !LostSince(key.effects.front().sent_at - kClaimToEffect)) {
          Fail(key, "has an effect, and its record says that there is none");
        }
    }
    if (!key.executed.empty() && record.state != 'D' && !lost_at_) {
      Fail(key, "was told executed, and its record does not say so");
    }
    const std::string* gate = redis_.data().Get<std::string>(test::ShopKeys() + "g:" + record.gate);
    if (record.state == 'V' && !record.gate.empty() && !lost_at_ &&
        (gate == nullptr || *gate != key.operation.ToBytes())) {
      Fail(key, "is in review and does not hold its gate");
    }
  }
}

}  // namespace tollbridge::model
