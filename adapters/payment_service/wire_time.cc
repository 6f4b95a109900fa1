#include "adapters/payment_service/wire_time.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include <absl/strings/ascii.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/time_util.h>

namespace tollbridge::payment_service {
namespace {

using google::protobuf::Timestamp;
using google::protobuf::util::TimeUtil;

constexpr std::int32_t kNanosPerSecond = 1'000'000'000;

bool InRange(std::int64_t seconds) {
  return seconds >= TimeUtil::kTimestampMinSeconds && seconds <= TimeUtil::kTimestampMaxSeconds;
}

// Takes a text apart from its front. Each function consumes what it recognizes, or nothing.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool AtEnd() const { return rest_.empty(); }

  bool OneOf(std::string_view set, char* found = nullptr) {
    if (rest_.empty() || std::ranges::find(set, rest_.front()) == set.end()) return false;
    if (found != nullptr) *found = rest_.front();
    rest_.remove_prefix(1);
    return true;
  }

  bool Digits(std::size_t count, int* number) {
    if (rest_.size() < count) return false;
    int value = 0;
    for (const char c : rest_.substr(0, count)) {
      if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return false;
      value = value * 10 + (c - '0');
    }
    *number = value;
    rest_.remove_prefix(count);
    return true;
  }

  // Any number of digits, at least one, as a fraction of a second.
  bool Fraction(std::int32_t* nanos) {
    std::int32_t value = 0;
    std::int32_t scale = kNanosPerSecond;
    bool any = false;
    int digit = 0;
    while (Digits(1, &digit)) {
      any = true;
      scale /= 10;  // 0 beyond the ninth digit.
      value += digit * scale;
    }
    *nanos = value;
    return any;
  }

 private:
  std::string_view rest_;
};

// The zone at the end: seconds east of UTC.
bool Zone(Scanner* scan, std::int64_t* offset) {
  *offset = 0;
  if (scan->AtEnd() || scan->OneOf("Zz")) return true;
  char sign = 0;
  int hours = 0;
  int minutes = 0;
  if (!scan->OneOf("+-", &sign) || !scan->Digits(2, &hours)) return false;
  if (!scan->AtEnd()) {
    scan->OneOf(":");
    if (!scan->Digits(2, &minutes)) return false;
  }
  if (hours > 23 || minutes > 59) return false;
  *offset = (hours * 60 + minutes) * std::int64_t{60} * (sign == '-' ? -1 : 1);
  return true;
}

}  // namespace

std::optional<std::string> FormatWireTime(const Timestamp& time) {
  if (!InRange(time.seconds()) || time.nanos() < 0 || time.nanos() >= kNanosPerSecond) {
    return std::nullopt;
  }
  return TimeUtil::ToString(time);
}

bool ParseWireTime(std::string_view text, Timestamp* time) {
  Scanner scan(text);
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  if (!scan.Digits(4, &year) || !scan.OneOf("-") || !scan.Digits(2, &month) || !scan.OneOf("-") ||
      !scan.Digits(2, &day) || !scan.OneOf("Tt ") || !scan.Digits(2, &hour) || !scan.OneOf(":") ||
      !scan.Digits(2, &minute)) {
    return false;
  }
  int second = 0;
  std::int32_t nanos = 0;
  if (scan.OneOf(":")) {
    if (!scan.Digits(2, &second)) return false;
    if (scan.OneOf(".,") && !scan.Fraction(&nanos)) return false;
  }
  std::int64_t offset = 0;
  if (!Zone(&scan, &offset) || !scan.AtEnd()) return false;
  // A leap second is read as the second after it.
  if (hour > 23 || minute > 59 || second > 60) return false;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return false;

  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - offset;
  if (!InRange(seconds)) return false;
  time->set_seconds(seconds);
  time->set_nanos(nanos);
  return true;
}

}  // namespace tollbridge::payment_service
