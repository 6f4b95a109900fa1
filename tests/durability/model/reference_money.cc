// Limits of money: what is taken of a day is what operations hold, and what those held that were
// done. Nothing is taken or given back twice, and nothing stays that was not executed.

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "tests/durability/model/reference.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::model {

namespace {

constexpr std::int64_t kDayMs = 86'400'000;

std::int64_t FieldOf(const test::Hash* hash, const std::string& name) {
  const std::string* value = hash == nullptr ? nullptr : hash->Get(name);
  return value == nullptr ? 0 : std::stoll(*value);
}

}  // namespace

void Reference::CountMoney() {
  for (Key& key : keys_) {
    if (LimitOf(key.ask.kind).empty()) continue;
    const Record record = Read(key);
    if (record.held_day != 0) {
      key.counted_day = record.held_day;
      key.counted = record.held;
    } else if (record.state != 'D' && record.retired != 'D' && record.state != '?') {
      key.counted_day = key.counted = 0;
    }
  }
}

void Reference::CheckMoney() {
  const bool any =
      std::ranges::any_of(keys_, [](const Key& key) { return !LimitOf(key.ask.kind).empty(); });
  if (!any) return;
  CountMoney();
  const std::int64_t day = redis_.data().now() / kDayMs;
  for (std::size_t project = 0; project < traits_.projects; ++project) {
    for (const std::string_view limit : {"refunds.EUR", "payouts.EUR"}) {
      CheckDay(project, limit, day);
    }
  }
}

void Reference::CheckDay(std::size_t project, std::string_view limit, std::int64_t day) {
  std::int64_t amount = 0;
  std::int64_t count = 0;
  for (const Key& key : keys_) {
    if (key.ask.project != project || LimitOf(key.ask.kind) != limit || key.counted_day != day) {
      continue;
    }
    amount += key.counted;
    ++count;
  }
  const std::string name =
      absl::StrCat(test::KeysOf(ProjectAt(project).name), "operations:money:", day);
  const test::Hash* taken = redis_.data().Get<test::Hash>(name);
  const std::string suffix(limit);
  if (FieldOf(taken, "a" + suffix) == amount && FieldOf(taken, "n" + suffix) == count) return;
  world_.Fail(absl::StrCat("of the limit ", suffix, " the day has ", FieldOf(taken, "n" + suffix),
                           " operations with ", FieldOf(taken, "a" + suffix), ", and ", count,
                           " with ", amount, " hold it or were done"));
}

}  // namespace tollbridge::model
