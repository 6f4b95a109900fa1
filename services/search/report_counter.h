#ifndef TOLLBRIDGE_SERVICES_SEARCH_REPORT_COUNTER_H_
#define TOLLBRIDGE_SERVICES_SEARCH_REPORT_COUNTER_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/core/csv_rows.h"

namespace tollbridge::search {

/// Most orders that a report may be about. Nothing says in which order the rows come, so that the
/// distinct orders are held as hashes, 9 bytes a place: at most 8.5 MiB a report (2^16 groups
/// of 15 places, filled to 7/8), and 1.1 MiB for 100,000 orders.
inline constexpr std::int64_t kMaxReportOrders = 860'000;

/// Counts the rows of a report and the orders in them, while the CSV goes by in pieces of any size
/// (CsvRows). Memory: that of kMaxReportOrders, whatever the rows hold. Errors name no content.
class ReportCounter {
 public:
  /// `expected_orders`: about how many orders there will be; their places are taken at once.
  explicit ReportCounter(std::int64_t expected_orders);
  ReportCounter(const ReportCounter&) = delete;
  ReportCounter& operator=(const ReportCounter&) = delete;

  /// The next bytes. DATA_LOSS UPSTREAM_UNREADABLE when the header has no column `id`, or when a
  /// row has none or one that is not an order's id; OUT_OF_RANGE TOO_MANY_RESULTS beyond
  /// kMaxReportOrders. After an error nothing more may come.
  absl::Status Take(std::string_view bytes);
  /// The end. DATA_LOSS REPORT_INCOMPLETE inside a quoted value; else as Take, for the last row.
  absl::Status End();

  /// Without the header.
  std::int64_t rows() const { return rows_; }
  /// Distinct ones. Two of them count as one with a probability of 2^-64: of all that a report may
  /// hold, 2.2e-8.
  std::int64_t orders() const { return static_cast<std::int64_t>(ids_.size()); }

 private:
  absl::Status NoteRow(const std::vector<CsvRows::Value>& row);

  CsvRows csv_;
  std::int64_t rows_ = 0;
  /// Not absl's: with a sanitizer its header has fields that the system's library has not.
  boost::unordered_flat_set<std::uint64_t> ids_;
  std::optional<std::uint64_t> last_id_;
};

}  // namespace tollbridge::search

#endif  // TOLLBRIDGE_SERVICES_SEARCH_REPORT_COUNTER_H_
