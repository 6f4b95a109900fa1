#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "services/domain/errors.h"
#include "tests/durability/model/reference.h"
#include "tests/support/test_keyspace.h"

// What has to hold when nothing is left to happen.

namespace tollbridge::model {

namespace {

/// How long before a loss a write may have been claimed whose record went with it.
constexpr Time kClaimToEffect = kMinute;

}  // namespace

void Reference::CheckReview(const Key& key, const Record& record) {
  const std::string& reason = record.review_reason;
  const Kind kind = key.ask.kind;
  const bool unsure = kind == Kind::kRefund || kind == Kind::kUnmarked;
  const std::vector<const Effect*> own = OwnEffects(key);
  // An owner that nobody waited for, since nothing shows what it did, may come back with it. And
  // what shows that a transaction was started does not show by which key.
  const bool by_another = IsOfTransaction(kind) && own.empty() && !EffectsOf(key).empty();
  bool fits =
      reason == ports::review::kLateEffect && (lost_at_ || OnlyRecordShows(kind) || by_another);
  fits =
      fits || (reason == ports::review::kAmountDiffers && (key.other_amount || key.amounts_vary));
  // Where the memory is doubted, another's refund without a mark may be one whose mark was cut.
  const bool beside_unmarked =
      kind == Kind::kRefund && std::ranges::any_of(keys_, [&](const Key& other) {
        return other.ask.kind == Kind::kUnmarked && other.ask.order_id == key.ask.order_id &&
               other.ask.project == key.ask.project && !OwnEffects(other).empty();
      });
  fits = fits || (reason == ports::review::kAmbiguous &&
                  (kind == Kind::kUnmarked || (beside_unmarked && lost_at_)));
  // Of what is not there nothing can have been refunded.
  fits = fits || (reason == ports::review::kAbsentNotRepeatable && unsure && key.target_is_there &&
                  (own.empty() || LostSince(own.front()->sent_at)));
  if (!fits) Fail(key, absl::StrCat("is in review for ", reason, ", which does not fit"));
}

void Reference::CheckEnd(const Key& key, const Record& record) {
  const char state = record.state == '-' ? record.retired : record.state;
  const std::vector<const Effect*> own = OwnEffects(key);
  switch (state) {
    case 'R':
    case 'U':
      Fail(key, absl::StrCat("is never resolved: ", std::string(1, state)));
      break;
    case 'A':
      if (record.approval_ends <= redis_.data().now()) Fail(key, "awaits approval for ever");
      break;
    case 'V':
      CheckReview(key, record);
      break;
    case 'D':
    case '?':
      break;
    default:
      if (!OnlyRecordShows(key.ask.kind) && !own.empty() &&
          (!LostSince(own.front()->sent_at - kClaimToEffect) || LookedSinceLoss(key, record))) {
        Fail(key, "has an effect, and its record says that there is none");
      }
  }
  const bool may_be_lost = OnlyRecordShows(key.ask.kind) ? LostDurableSince(0) : LostSince(0);
  if (!key.executed.empty() && state != 'D' && state != '?' && !may_be_lost) {
    Fail(key, "was told executed, and its record does not say so");
  }
}

/// Whether an attempt of this memory had evidence to look at before it said anything.
bool Reference::LookedSinceLoss(const Key& key, const Record& record) const {
  const auto number = &key - keys_.data();
  const bool came_again = std::ranges::any_of(
      calls_, [&](const Call& call) { return call.ask.key == number && !LostSince(call.started); });
  return came_again && key.ask.kind != Kind::kUnmarked && record.state == 'N' &&
         IsOfThisEpoch(record);
}

void Reference::CheckSettled() {
  for (const Key& key : keys_) {
    const Record record = Read(key);
    CheckEnd(key, record);
    const std::string* gate = redis_.data().Get<std::string>(
        absl::StrCat(test::KeysOf(ProjectAt(key.ask.project).name), "g:", record.gate));
    // A late effect takes no gate.
    const bool holds = record.state == 'V' && record.review_reason != ports::review::kLateEffect;
    if (holds && !record.gate.empty() && !lost_at_ &&
        (gate == nullptr || *gate != key.ask.operation.ToBytes())) {
      Fail(key, "is in review and does not hold its gate");
    }
  }
  CheckTenancy();
}

/// Each key is of one project, and what it holds is of the same.
void Reference::CheckTenancy() {
  for (const std::string& name : redis_.data().Names()) {
    if (name == "tb:epoch") continue;
    std::size_t project = 0;
    while (project < traits_.projects &&
           !absl::StartsWith(name, test::KeysOf(ProjectAt(project).name))) {
      ++project;
    }
    if (project == traits_.projects) {
      world_.Fail("a key of Redis is of no project");
      continue;
    }
    const test::SortedSet* members = nullptr;
    const test::Entry* entry = redis_.data().Find(name);
    if (entry != nullptr) members = std::get_if<test::SortedSet>(&entry->value);
    for (const Key& key : keys_) {
      if (key.ask.project == project) continue;
      const std::string id = key.ask.operation.ToBytes();
      if (absl::EndsWith(name, id) || (members != nullptr && members->Score(id))) {
        Fail(key, "is among what is another project's");
      }
    }
  }
}

}  // namespace tollbridge::model
