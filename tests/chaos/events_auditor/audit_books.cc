// The ledgers that consumers kept behind the run, against that of the payment service.

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "tests/chaos/events_auditor/audit_index.h"

namespace tollbridge::pipeline {
namespace {

/// What an effect does to the merchant's balance; 0: nothing.
int DirectionOf(std::string_view effect) {
  if (effect == "charge" || effect == "capture") return 1;
  if (effect == "refund" || effect == "chargeback" || effect == "reversal" || effect == "payout") {
    return -1;
  }
  return 0;
}

std::int64_t Moved(const OrderView& order) {
  std::int64_t moved = 0;
  for (const MoneyLine* money : order.money) moved += DirectionOf(money->effect) * money->amount;
  return moved;
}

bool IsPart(const EventLine& event) { return event.kind == "capture" || event.kind == "void"; }
bool IsAtOnce(const EventLine& event) {
  return event.kind == "payment" || event.kind == "account_funding";
}

/// Whether the order was told as failed behind where it was told as completed: by a reader that had
/// lost its memory and saw an older order.
bool IsFailedBehindCompleted(const OrderView& order) {
  const auto was_told = [&](const EventLine& failed) {
    return std::ranges::any_of(order.events, [&](const EventLine* event) {
      return event->what == "completed" && event->partition == failed.partition &&
             event->offset < failed.offset;
    });
  };
  return std::ranges::any_of(order.events, [&](const EventLine* event) {
    return event->what == "failed" && was_told(*event);
  });
}

/// Whether the topic itself gives consumers a reason to ask a person about the order: the gateway
/// did; or, after lost memory alone, it told of two kinds, of two endings that do not follow each
/// other, or of captures of what it had told as paid.
bool IsForAPerson(const AuditIndex& index, const std::string& id, const OrderView& order) {
  std::set<std::string> kinds;
  std::set<std::string> endings;
  for (const EventLine* event : order.events) {
    if (event->what == "needs_review") return true;
    if (!IsOutcome(event->what)) continue;
    kinds.insert(event->kind);
    endings.insert(event->what);
  }
  if (index.losses.empty()) return false;
  if (kinds.size() > 1 || endings.size() > 2) return true;
  if (endings.size() == 2 && !(endings.contains("failed") && endings.contains("completed"))) {
    return true;
  }
  if (IsFailedBehindCompleted(order)) return true;
  const auto tells = [&](const std::string& of, bool (*what)(const EventLine&)) {
    const auto found = index.orders.find(of);
    return found != index.orders.end() &&
           std::ranges::any_of(found->second.events, [&](const EventLine* event) {
             return IsOutcome(event->what) && what(*event);
           });
  };
  if (tells(id, &IsPart) && tells(order.root, &IsAtOnce)) return true;
  return tells(id, &IsAtOnce) && std::ranges::any_of(index.orders, [&](const auto& member) {
           return member.second.root == id && member.first != id && tells(member.first, &IsPart);
         });
}

class BookCheck {
 public:
  BookCheck(const AuditIndex& index, std::string book, Report* report)
      : index_(index), book_(std::move(book)), report_(report) {}

  void Run() {
    for (const BookingLine& line : index_.history->bookings) {
      if (line.book == book_) bookings_[line.order] = &line;
    }
    for (const auto& [id, order] : index_.orders) Compare(id, order);
    for (const BookNoteLine& line : index_.history->book_notes) {
      if (line.book != book_) continue;
      if (line.note == "balance") {
        expected_[line.subject] -= line.amount;
      } else if (line.note != "kept") {
        Add(rule::kBookAlarm, line.subject, line.note);
      }
    }
    for (const auto& [currency, left] : expected_) {
      if (left == 0) continue;
      Add(rule::kOtherBalance, currency,
          "the payment service has moved " + std::to_string(left) + " more than is booked");
    }
  }

 private:
  void Add(const char* rule, const std::string& subject, const std::string& text) {
    report_->findings.push_back({rule, subject, book_ + ": " + text});
  }

  void Compare(const std::string& id, const OrderView& order) {
    static const BookingLine kNothing;
    const auto found = bookings_.find(id);
    const BookingLine& booking = found == bookings_.end() ? kNothing : *found->second;
    const std::int64_t moved = Moved(order);
    std::int64_t& expected = expected_[order.line->currency];
    if (booking.review != 0) {
      // What was booked of it stays until a person has decided.
      expected += booking.booked;
      ++report_->figures["orders left to a person, " + book_];
      if (!IsForAPerson(index_, id, order)) {
        Add(rule::kLeftToAPerson, id, "nothing on the topic says why");
      }
      return;
    }
    expected += moved;
    if (booking.booked == moved) return;
    Add(rule::kOtherBooking, id,
        std::to_string(booking.booked) + " is booked, with outcome '" + booking.outcome +
            "'; the payment service has moved " + std::to_string(moved));
  }

  const AuditIndex& index_;
  std::string book_;
  Report* report_;
  std::map<std::string, const BookingLine*> bookings_;
  /// By currency: what the balance must be, less what it is.
  std::map<std::string, std::int64_t> expected_;
};

}  // namespace

void CheckBooks(const AuditIndex& index, Report* report) {
  std::set<std::string> books;
  for (const BookingLine& line : index.history->bookings) books.insert(line.book);
  for (const BookNoteLine& line : index.history->book_notes) books.insert(line.book);
  for (const std::string& book : books) BookCheck(index, book, report).Run();
  report->books = books.size();
}

}  // namespace tollbridge::pipeline
