#include "services/search/report_counter.h"

#include <algorithm>
#include <cstddef>

#include <absl/hash/hash.h>

#include "base/core/uuid.h"
#include "services/search/errors.h"

namespace tollbridge::search {
namespace {

absl::Status CheckHeader(const std::vector<bool>& found) {
  return found.front() ? absl::OkStatus() : Unreadable("the report has no column `id`");
}

}  // namespace

ReportCounter::ReportCounter(std::int64_t expected_orders)
    : csv_({"id"}, &CheckHeader,
           [this](const std::vector<CsvRows::Value>& row) { return NoteRow(row); }) {
  ids_.reserve(
      static_cast<std::size_t>(std::clamp(expected_orders, std::int64_t{0}, kMaxReportOrders)));
}

absl::Status ReportCounter::Take(std::string_view bytes) { return csv_.Take(bytes); }

absl::Status ReportCounter::End() {
  if (csv_.inside_value()) return ReportIncomplete("the report ends inside a value");
  return csv_.End();
}

absl::Status ReportCounter::NoteRow(const std::vector<CsvRows::Value>& row) {
  ++rows_;
  // What is longer than an id is none, and CsvRows keeps more than an id has.
  const std::optional<Uuid> id = Uuid::Parse(row.front().text);
  if (!id) return Unreadable("a row of the report has no order id");
  const std::uint64_t hash = absl::HashOf(id->bytes);
  // Rows of one order mostly stand together.
  if (hash == last_id_) return absl::OkStatus();
  last_id_ = hash;
  ids_.insert(hash);
  if (orders() <= kMaxReportOrders) return absl::OkStatus();
  return TooManyResults(
      "the report is about more orders than can be counted: ask for a narrower query, for example "
      "a "
      "shorter period");
}

}  // namespace tollbridge::search
