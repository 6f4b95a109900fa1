#ifndef TOLLBRIDGE_SERVICES_RECONCILE_REPORT_COMPARISON_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_REPORT_COMPARISON_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/async.h"
#include "base/core/csv_rows.h"
#include "services/ports/clock.h"
#include "services/ports/hint_log.h"
#include "services/ports/known_orders.h"
#include "services/reconcile/pace.h"
#include "services/reconcile/seen_order.h"

namespace tollbridge::reconcile {

struct ComparisonSettings {
  /// A change that is younger need not be in a snapshot yet: Tollbridge finds it by itself in this
  /// time, with no webhook at all.
  ports::Millis found_within{};
  /// When the first sweep of the project began (storage.v1.SweepProgress); nullopt: none did.
  std::optional<WallTime> first_sweep;
  /// What ended longer before the first sweep was never recorded (events.baseline_window).
  ports::Millis baseline_window{};
  std::int64_t hints_per_second{};
};

enum class DifferenceKind {
  kMissing,   ///< no snapshot shows the order
  kStatus,    ///< the snapshot shows another status
  kModified,  ///< the same status, but the order was modified since
};
/// "missing", "status" or "modified".
std::string_view NameOf(DifferenceKind kind);

struct ReportDifference {
  DifferenceKind kind;
  SeenOrder seen;
  ports::KnownOrder known;
};

struct ReportSummary {
  std::int64_t orders = 0;
  /// The snapshot shows the same, or something newer than the report.
  std::int64_t same = 0;
  /// Changed so lately that the change may be on its way; or events of it are being published.
  std::int64_t changing = 0;
  /// Ended long before Tollbridge watched the project: never recorded, which is as it should be.
  std::int64_t from_before = 0;
  std::int64_t different = 0;
  std::int64_t hints = 0;
};

/// Compares the CSV report with the snapshots, while it goes by in pieces of any size. The amount
/// refunded is not compared, since snapshots keep none: a refund is an order of its own, with a row
/// and a snapshot's state of its own. Memory: that of the largest piece. One shard.
class ReportComparison {
 public:
  struct Ports {
    ports::KnownOrders& known_orders;
    ports::Clock& clock;
    /// Takes a hint for each difference; nullptr: none are written.
    ports::HintLog* hint_log = nullptr;
  };
  using OnDifference = std::function<void(const ReportDifference&)>;

  ReportComparison(const Ports& ports, std::string project, const ComparisonSettings& settings,
                   OnDifference on_difference);
  ReportComparison(const ReportComparison&) = delete;
  ReportComparison& operator=(const ReportComparison&) = delete;

  /// The next bytes, which outlive the call. DATA_LOSS, reason UPSTREAM_UNREADABLE, for what is no
  /// report: no column `id` or `status`, or a row without an order's id. UNAVAILABLE when the store
  /// or the hint log is not there. After an error nothing more may come.
  AsyncStatus Take(std::string_view bytes);
  /// The end.
  AsyncStatus End();

  const ReportSummary& summary() const { return summary_; }

 private:
  absl::Status NoteRow(const std::vector<CsvRows::Value>& row);
  AsyncStatus CompareBatch();
  AsyncStatus CompareSome(std::vector<SeenOrder> seen);
  std::optional<ReportDifference> Judge(const SeenOrder& seen, const ports::KnownOrder& known);
  AsyncStatus Hint(const ReportDifference& difference);

  Ports ports_;
  std::string project_;
  ComparisonSettings settings_;
  OnDifference on_difference_;
  CsvRows csv_;
  Pace hints_;
  std::optional<Uuid> last_id_;
  std::vector<SeenOrder> batch_;
  ReportSummary summary_;
};

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_REPORT_COMPARISON_H_
