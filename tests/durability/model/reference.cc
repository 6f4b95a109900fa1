#include "tests/durability/model/reference.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "adapters/redis/record_format.h"
#include "services/domain/errors.h"
#include "tests/support/operation_records.h"
#include "tests/support/packed_record.h"

namespace tollbridge::model {

namespace {

std::string Text(std::string_view text) { return std::string(text); }

/// The reasons of an error that speaks for the whole key: nothing of it was executed.
bool NothingExecuted(const std::string& reason) {
  static const std::string kRefused = domain::ReasonOf(domain::ToError(ForGood()));
  static const std::string kLimited = domain::ReasonOf(domain::ToError(RateLimited()));
  return reason == kRefused || reason == kLimited || reason == domain::reason::kNotSent ||
         reason == domain::reason::kOrderNotFound;
}

/// As scripts/record.lua has them.
std::string TombstoneKey(const Ask& ask) {
  const auto& bytes = ask.operation.bytes;
  return absl::StrCat(test::KeysOf(ProjectAt(ask.project).name),
                      "t:", bytes[0] * 64 + bytes[1] / 4);
}

}  // namespace

int Reference::AddKey(const Ask& ask, bool target_is_there) {
  Key key{.ask = ask,
          .record_key = test::RecordKey(ask.operation, ProjectAt(ask.project).name),
          .tombstone_key = TombstoneKey(ask),
          .target_is_there = target_is_there,
          .thing = things_.size()};
  for (const Key& other : keys_) {
    if (IsOfTransaction(ask.kind) && other.ask.kind == ask.kind &&
        other.ask.project == ask.project && other.ask.order_id == ask.order_id &&
        other.ask.transaction_id == ask.transaction_id) {
      key.thing = other.thing;
    }
  }
  if (key.thing == things_.size()) things_.emplace_back();
  keys_.push_back(std::move(key));
  return static_cast<int>(keys_.size()) - 1;
}

int Reference::AddCall(const Ask& ask) {
  Key& key = At(ask.key);
  key.amounts_vary = key.amounts_vary || key.ask.amount != ask.amount;
  calls_.push_back({.ask = ask});
  return static_cast<int>(calls_.size()) - 1;
}

void Reference::Fail(const Key& key, std::string_view why) {
  world_.Fail(
      absl::StrCat("key ", NumberOfKey(key), " (", Text(NameOf(key.ask.kind)), "): ", Text(why)));
}

std::vector<const Effect*> Reference::OwnEffects(const Key& key) const {
  std::vector<const Effect*> own;
  for (const Effect& effect : EffectsOf(key)) {
    if (effect.spec.key == NumberOfKey(key)) own.push_back(&effect);
  }
  return own;
}

const std::string* Reference::Packed(const Key& key) const {
  return redis_.data().Get<std::string>(key.record_key);
}

Reference::Record Reference::Read(const Key& key) const {
  const std::string* packed = Packed(key);
  if (packed == nullptr) {
    Record none;
    if (!traits_.retires) return none;
    const test::Hash* tombstones = redis_.data().Get<test::Hash>(key.tombstone_key);
    const std::string* left =
        tombstones == nullptr ? nullptr : tombstones->Get(key.ask.operation.ToBytes());
    if (left != nullptr) none.retired = left->at(0);
    return none;
  }
  if (key.damaged == *packed) return {.state = '?', .gate = key.damaged_gate};
  if (key.seen == *packed) return key.record;
  Record record;
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
  record.looks_first = field("lf") == "1";
  record.epoch = field("h");
  if (const std::string day = field("ml.1"); !day.empty()) {
    record.held_day = std::stoll(day);
    record.held = std::stoll(field("ml.2"));
  }
  record.approval = field("ap.id");
  if (const std::string ends = field("ap.l"); !ends.empty())
    record.approval_ends = std::stoll(ends);
  key.seen = *packed;
  key.record = record;
  return record;
}

bool Reference::UsedSinceLoss(int number) const {
  const Record record = Read(At(number));
  return record.retired != '-' || record.state == '?' || IsOfThisEpoch(record);
}

bool Reference::IsOfThisEpoch(const Record& record) const {
  const test::Hash* hash = redis_.data().Get<test::Hash>("tb:epoch");
  const std::string* epoch = hash == nullptr ? nullptr : hash->Get("id");
  return epoch != nullptr && !record.epoch.empty() && epoch->starts_with(record.epoch);
}

bool Reference::LostDurableSince(Time time) const {
  if (!traits_.replicated) return LostSince(time);
  return memory_lost_at_ && *memory_lost_at_ >= time;
}

void Reference::OnCall(int call) { CallAt(call).started = world_.now(); }

void Reference::OnWrite(SendSpec& spec) {
  spec.write = ++writes_;
  if (world_.keeps_history()) {
    world_.Note(absl::StrCat("call ", spec.call, " writes act ", static_cast<int>(spec.act),
                             " of key ", spec.key));
  }
  const Call& call = CallAt(spec.call);
  if (call.ask.needs_approval && At(spec.key).confirmed.empty()) {
    Fail(At(spec.key), "is sent, and nobody has confirmed it");
  }
  if (LostSince(call.started)) return;
  const Key& mine = At(spec.key);
  const Record record_of_mine = Read(mine);
  if (record_of_mine.state == '?' && call.started > mine.damaged_at) {
    Fail(mine, "is sent, and its record cannot be read");
  } else if (record_of_mine.retired != '-') {
    Fail(mine, "is sent after it was retired");
  }
  if (call.ask.needs_approval) CheckApproval(mine, record_of_mine);
  // The gate: no other operation of this order is under way, or waits for its outcome.
  if (!HasGate(call.ask.kind)) return;
  for (Key& other : keys_) {
    if (&other == &mine || !HasGate(other.ask.kind) || other.ask.project != spec.project) continue;
    const Record record = Read(other);
    // A late effect takes no gate.
    const bool in_review =
        record.state == 'V' && record.review_reason != ports::review::kLateEffect;
    const bool open = record.state == '?' || record.state == 'U' || in_review ||
                      (record.state == 'R' && record.sent);
    if (open && record.gate == redis::PackOrderId(spec.order_id)) {
      Fail(other, absl::StrCat("does not hold its gate: key ", spec.key, " is sent as well"));
    }
  }
}

/// What is sent was confirmed, and not something else under its key.
void Reference::CheckApproval(const Key& key, const Record& record) {
  if (record.state == '?' || record.state == '-') return;
  if (!key.confirmed.contains(record.approval)) {
    Fail(key, "is sent, and something else was confirmed");
  }
}

void Reference::OnConfirm(int key, const std::string& approval) {
  if (world_.keeps_history()) world_.Note(absl::StrCat("a second person confirms key ", key));
  At(key).confirmed.insert(Uuid::Parse(approval)->ToBytes());
}

void Reference::OnEffect(const Effect& effect) {
  if (world_.keeps_history()) {
    world_.Note(absl::StrCat("effect of act ", static_cast<int>(effect.spec.act), " of key ",
                             effect.spec.key, ", call ", effect.spec.call));
  }
  if (!effect.spec.counts) return;
  Key& key = At(effect.spec.key);
  things_.at(key.thing).push_back(effect);
  // Of a link that nobody knows another one may be made.
  if (key.ask.kind != Kind::kLink && EffectsOf(key).size() > 1) Fail(key, "has a second effect");
  if (std::ranges::any_of(key.disclaimers, [&](const Disclaimer& disclaimer) {
        return Denies(disclaimer, effect);
      })) {
    Fail(key, "has an effect after it was told that there is none");
  }
  if (CallAt(effect.spec.call).disclaimed) {
    Fail(key, "has an effect of a call that was told to have done nothing");
  }
}

void Reference::OnSuccess(const SendSpec& spec, bool other_amount) {
  Key& key = At(spec.key);
  key.other_amount = key.other_amount || other_amount;
  // A success for another amount is for a person to judge.
  if (spec.counts && !other_amount) CallAt(spec.call).succeeded = true;
}

void Reference::OnLoss(bool whole_memory) {
  lost_at_ = world_.now();
  if (whole_memory) memory_lost_at_ = lost_at_;
  for (Key& key : keys_) {
    key.replayed.clear();
    key.outcome.clear();
    const std::string* packed = Packed(key);
    if (packed == nullptr || key.damaged != *packed) key.damaged.reset();
  }
  CountMoney();
}

void Reference::OnDamage(int number) {
  Key& key = At(number);
  const std::string* packed = Packed(key);
  if (packed == nullptr) return;
  // Read before, when it could be.
  const char state = key.record.state;
  key.damaged_gate = state == 'D' || state == 'N' ? std::string() : key.record.gate;
  key.damaged = *packed;
  key.damaged_at = world_.now();
  key.outcome.clear();
}

void Reference::OnLateClaim(Time late) {
  world_.Fail(absl::StrCat("a claim is carried out ", late, " ms after nobody waited for it"));
}

void Reference::OnReply(int number, const operations::Reply& reply) {
  Call& call = CallAt(number);
  Key& key = At(call.ask.key);
  const std::string reason = reply.status.ok() ? std::string() : domain::ReasonOf(reply.status);
  const Told told = ReadResponse(reply.response);
  if (world_.keeps_history()) {
    world_.Note(absl::StrCat("call ", number, " of key ", call.ask.key, " is told ",
                             !reply.status.ok() ? reason
                             : told.pending     ? "pending"
                                                : "executed: " + told.effect_id,
                             reply.replay ? " (replay)" : ""));
  }
  if (reply.operation_id != call.ask.operation) Fail(key, "is told of another operation");
  if (reply.replay && reason != domain::reason::kResultNotKept) {
    const std::string bytes = reply.status.ok() ? reply.response : reply.status.ToString();
    if (!key.replayed.empty() && key.replayed != bytes) Fail(key, "has two replays that differ");
    key.replayed = bytes;
  }
  if (!reply.status.ok()) {
    CheckReason(call, key, reply, reason);
    ToldNothingDone(call, key, reason);
  } else if (told.pending) {
    ToldPending(call, key);
  } else {
    ToldExecuted(call, key, told.effect_id);
  }
}

void Reference::CheckReason(const Call& call, const Key& key, const operations::Reply& reply,
                            std::string_view reason) {
  if (reason == domain::reason::kIdempotencyKeyReused && !key.amounts_vary) {
    Fail(key, "is told that it was used for another request");
  } else if (reason == domain::reason::kInternal) {
    Fail(key, "is told that its outcome cannot be read");
  } else if (reason == domain::reason::kSecretKeyUnknown && !traits_.careless_rotation) {
    Fail(key, "is told that a secret key is not known, and each was everywhere before its use");
  } else if (reason == domain::reason::kOrderNotFound && key.target_is_there) {
    Fail(key, "is told that what it is about is not there");
  } else if (reason == domain::reason::kResultNotKept && Read(key).retired == '-' &&
             !LostSince(call.started)) {
    Fail(key, "is told that its result is not kept, and it was not retired");
  } else if (reason == domain::reason::kApprovalNeeded && !call.ask.needs_approval) {
    Fail(key, "is told that a second person has to confirm it");
  } else if (reason == domain::reason::kOrderBusy) {
    CheckHolder(key, domain::MetadataOf(reply.status, "operation_id"));
  }
}

void Reference::CheckHolder(const Key& key, const std::string& holder) {
  for (const Key& other : keys_) {
    if (&other != &key && other.ask.project == key.ask.project && HasGate(other.ask.kind) &&
        other.ask.order_id == key.ask.order_id && other.ask.operation.ToString() == holder) {
      return;
    }
  }
  Fail(key, "is held up by an operation that is not of its order in its project");
}

void Reference::ToldExecuted(Call& call, Key& key, const std::string& effect_id) {
  const std::vector<Effect>& effects = EffectsOf(key);
  const bool there = std::ranges::any_of(
      effects, [&](const Effect& effect) { return effect.id.ToString() == effect_id; });
  if (!there || (key.ask.kind != Kind::kLink && effects.size() != 1)) {
    Fail(key,
         absl::StrCat("is told executed as ", effect_id, ", and has ", effects.size(), " effects"));
  }
  if (call.disclaimed) Fail(key, "is told executed and not executed");
  if (!key.executed.empty() && key.executed != effect_id && !LostDurableSince(key.told_at)) {
    Fail(key, "is told two results");
  }
  key.executed = effect_id;
  key.told_at = world_.now();
}

bool Reference::Denies(const Disclaimer& disclaimer, const Effect& effect) const {
  const Call& call = calls_.at(static_cast<std::size_t>(effect.spec.call));
  return effect.spec.write <= disclaimer.write && call.started <= disclaimer.started;
}

void Reference::ToldNothingDone(Call& call, Key& key, const std::string& reason) {
  const bool cannot_be_read = OnlyRecordShows(key.ask.kind);
  // What it did is not known, and nothing will show it: it may be asked for once more.
  if (cannot_be_read && reason == domain::reason::kUpstreamUnavailable) return;
  call.disclaimed = true;
  const int number = static_cast<int>(&call - calls_.data());
  for (const Effect* effect : OwnEffects(key)) {
    if (effect->spec.call == number) {
      Fail(key, absl::StrCat("has an effect, and its call is told ", reason));
    }
  }
  if (!NothingExecuted(reason) || cannot_be_read) return;
  const Disclaimer& told =
      key.disclaimers.emplace_back(Disclaimer{.write = writes_, .started = call.started});
  if (std::ranges::any_of(OwnEffects(key),
                          [&](const Effect* effect) { return Denies(told, *effect); })) {
    Fail(key, absl::StrCat("has an effect and is told ", reason));
  }
}

void Reference::ToldPending(const Call& call, Key& key) {
  // What only the record shows is told once it is kept.
  if (!call.succeeded || LostSince(call.started) || OnlyRecordShows(key.ask.kind)) return;
  const Record record = Read(key);
  if (record.state != 'D' && record.state != 'V' && record.state != '?' && record.retired == '-') {
    Fail(key, "was answered, and its caller is told that the outcome is not known");
  }
}

void Reference::OnFinish(const ports::FinishRequest& request, ports::FinishVerdict verdict) {
  if (request.to != operations::v1::OPERATION_STATE_DONE || request.refused) return;
  if (verdict != ports::FinishVerdict::kNotOurs) return;
  for (const Key& key : keys_) {
    if (key.ask.operation != request.identity.id) continue;
    const Record record = Read(key);
    // What two have read, and one of them has left to a person, is with the other's outcome. And
    // for an attempt that has sent nothing it is looked for again.
    const bool in_review = record.state == 'V' && !record.outcome.empty();
    const bool read_again = (record.state == 'R' || record.state == 'U') && record.looks_first;
    if ((in_review || read_again) && request.knowledge == operations::v1::KNOWLEDGE_RECOVERED) {
      continue;
    }
    if (record.state != '?') Fail(key, "has a success that is dropped");
  }
}

void Reference::CheckRecords() {
  for (Key& key : keys_) {
    const Record record = Read(key);
    if (key.damaged && record.state != '?') {
      Fail(key, "had a record that could not be read, and it did not stay");
    }
    if (!key.outcome.empty()) {
      if (record.retired == 'D') {
        key.outcome.clear();
      } else if (record.state != 'D' || record.outcome != key.outcome) {
        Fail(key, "was DONE, and its outcome did not stay");
      }
    } else if (record.state == 'D') {
      key.outcome = record.outcome;
    }
  }
  CheckMoney();
}

std::vector<int> Reference::ClosedKeys() const {
  std::vector<int> closed;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const Record record = Read(keys_[i]);
    if (record.state == 'D' || record.retired != '-') closed.push_back(static_cast<int>(i));
  }
  return closed;
}

}  // namespace tollbridge::model
