#include "tests/support/fakes/fake_search.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

#include <absl/time/time.h>

#include "services/domain/wire_names.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::test {
namespace {

[[noreturn]] void Refuse(std::string_view what, std::string_view query) {
  throw std::invalid_argument(std::string(what) + " in the query " + std::string(query));
}

/// Takes a query apart from its front.
class Reader {
 public:
  explicit Reader(std::string_view query) : query_(query), rest_(query) {}

  bool done() const { return rest_.empty(); }

  std::string Field() {
    const std::size_t colon = rest_.find(':');
    if (colon == std::string_view::npos) Refuse("a term without a field", query_);
    return std::string(Take(colon, 1));
  }

  /// A range's inside, when this is one.
  std::optional<std::string> Range() {
    if (!rest_.starts_with('[')) return std::nullopt;
    const std::size_t end = rest_.find(']');
    if (end == std::string_view::npos) Refuse("a range without an end", query_);
    return std::string(Take(end, 1).substr(1));
  }

  std::string Value() {
    if (!rest_.starts_with('"')) return std::string(Take(rest_.find(' '), 0));
    std::string value;
    std::size_t at = 1;
    for (; at < rest_.size() && rest_[at] != '"'; ++at) {
      if (rest_[at] == '\\') ++at;
      if (at < rest_.size()) value += rest_[at];
    }
    if (at >= rest_.size()) Refuse("a text without an end", query_);
    rest_.remove_prefix(at + 1);
    return value;
  }

  void Join() {
    constexpr std::string_view kAnd = " AND ";
    if (rest_.empty()) return;
    if (!rest_.starts_with(kAnd)) Refuse("something other than AND", query_);
    rest_.remove_prefix(kAnd.size());
  }

 private:
  std::string_view Take(std::size_t size, std::size_t and_skip) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(std::min(taken.size() + and_skip, rest_.size()));
    return taken;
  }

  std::string_view query_;
  std::string_view rest_;
};

absl::Time Bound(std::string_view text, absl::Time open_end, std::string_view query) {
  if (text == "*") return open_end;
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, std::string(text), &time, &error)) {
    Refuse("a bound that is no time", query);
  }
  return time;
}

bool CreatedWithin(const common::v1::Order& order, std::string_view range, std::string_view query) {
  constexpr std::string_view kTo = " TO ";
  const std::size_t to = range.find(kTo);
  if (to == std::string_view::npos) Refuse("a range without TO", query);
  const absl::Time from = Bound(range.substr(0, to), absl::InfinitePast(), query);
  const absl::Time until = Bound(range.substr(to + kTo.size()), absl::InfiniteFuture(), query);
  if (!order.has_created()) return false;
  const absl::Time created =
      absl::FromUnixSeconds(order.created().seconds()) + absl::Nanoseconds(order.created().nanos());
  return created >= from && created <= until;
}

}  // namespace

bool Matches(const common::v1::Order& order, std::string_view query) {
  if (query == "*") return true;
  bool all = true;
  for (Reader reader(query); !reader.done(); reader.Join()) {
    const std::string field = reader.Field();
    const std::optional<std::string> range = reader.Range();
    if (range && field != "created") Refuse("a range of " + field, query);
    if (field == "created") {
      if (!range) Refuse("created without a range", query);
      all &= CreatedWithin(order, *range, query);
      continue;
    }
    const std::string value = reader.Value();
    if (field == "id") {
      all &= order.id() == value;
    } else if (field == "merchant_order_id") {
      all &= order.merchant_order_id() == value;
    } else if (field == "status") {
      all &= domain::WireName(order.status()) == value;
    } else {
      Refuse("the field " + field, query);
    }
  }
  return all;
}

}  // namespace tollbridge::test
