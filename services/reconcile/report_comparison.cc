#include "services/reconcile/report_comparison.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "base/core/rfc3339.h"
#include "base/core/status_macros.h"
#include "services/domain/errors.h"
#include "services/domain/statuses.h"
#include "services/domain/wire_names.h"
#include "services/reconcile/write_hint.h"

namespace tollbridge::reconcile {
namespace {

using ports::Millis;

constexpr Millis kPortTimeout = std::chrono::seconds(5);
/// Orders looked at in one round trip.
constexpr std::size_t kLookedAtOnce = 200;
// Places of the wanted columns in a row.
enum Column : std::size_t { kId, kStatus, kCreated, kCompleted, kModified };

absl::Status Unreadable(std::string_view message) {
  return domain::MakeError(absl::StatusCode::kDataLoss, message,
                           {.reason = domain::reason::kUpstreamUnreadable});
}

absl::Status CheckHeader(const std::vector<bool>& found) {
  if (found[kId] && found[kStatus]) return absl::OkStatus();
  return Unreadable("the report has no column `id` or no column `status`");
}

}  // namespace

std::string_view NameOf(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::kMissing:
      return "missing";
    case DifferenceKind::kStatus:
      return "status";
    case DifferenceKind::kModified:
      return "modified";
  }
  return "";
}

ReportComparison::ReportComparison(const Ports& ports, std::string project,
                                   const ComparisonSettings& settings, OnDifference on_difference)
    : ports_(ports),
      project_(std::move(project)),
      settings_(settings),
      on_difference_(std::move(on_difference)),
      csv_({"id", "status", "created", "completed", "modified"}, &CheckHeader,
           [this](const std::vector<CsvRows::Value>& row) { return NoteRow(row); }),
      hints_(ports.clock, settings.hints_per_second) {}

AsyncStatus ReportComparison::Take(std::string_view bytes) {
  TB_CO_RETURN_IF_ERROR(csv_.Take(bytes));
  co_return co_await CompareBatch();
}

AsyncStatus ReportComparison::End() {
  if (csv_.inside_value()) co_return Unreadable("the report ends inside a value");
  TB_CO_RETURN_IF_ERROR(csv_.End());
  co_return co_await CompareBatch();
}

absl::Status ReportComparison::NoteRow(const std::vector<CsvRows::Value>& row) {
  const std::optional<Uuid> id = Uuid::Parse(row[kId].text);
  if (!id) return Unreadable("a row of the report has no order id");
  // A row is a transaction: those of one order stand together, since the report is sorted by id.
  if (id == last_id_) return absl::OkStatus();
  last_id_ = id;
  SeenOrder seen{.id = *id,
                 .status = domain::FromWireName<common::v1::OrderStatus>(row[kStatus].text)
                               .value_or(common::v1::ORDER_STATUS_UNSPECIFIED),
                 .status_text = {},
                 .created = ParseRfc3339(row[kCreated].text),
                 .completed = ParseRfc3339(row[kCompleted].text),
                 .modified = ParseRfc3339(row[kModified].text)};
  if (seen.status == common::v1::ORDER_STATUS_UNSPECIFIED) seen.status_text = row[kStatus].text;
  batch_.push_back(std::move(seen));
  return absl::OkStatus();
}

AsyncStatus ReportComparison::CompareBatch() {
  const std::vector<SeenOrder> batch = std::exchange(batch_, {});
  for (std::size_t first = 0; first < batch.size(); first += kLookedAtOnce) {
    const std::size_t last = std::min(first + kLookedAtOnce, batch.size());
    std::vector<SeenOrder> some(batch.begin() + static_cast<std::ptrdiff_t>(first),
                                batch.begin() + static_cast<std::ptrdiff_t>(last));
    TB_CO_RETURN_IF_ERROR(co_await CompareSome(std::move(some)));
  }
  co_return absl::OkStatus();
}

AsyncStatus ReportComparison::CompareSome(std::vector<SeenOrder> seen) {
  std::vector<Uuid> ids;
  ids.reserve(seen.size());
  for (const SeenOrder& order : seen) ids.push_back(order.id);
  const ports::Context context{.deadline = ports_.clock.BootNow() + kPortTimeout, .trace = {}};
  TB_CO_ASSIGN_OR_RETURN(const std::vector<ports::KnownOrder> known,
                         co_await ports_.known_orders.LookAt(project_, ids, context));
  for (std::size_t i = 0; i < seen.size(); ++i) {
    ++summary_.orders;
    const std::optional<ReportDifference> difference = Judge(seen[i], known[i]);
    if (!difference) continue;
    on_difference_(*difference);
    if (ports_.hint_log == nullptr) continue;
    TB_CO_RETURN_IF_ERROR(co_await Hint(*difference));
  }
  co_return absl::OkStatus();
}

std::optional<ReportDifference> ReportComparison::Judge(const SeenOrder& seen,
                                                        const ports::KnownOrder& known) {
  const Comparison comparison = Compare(seen, known);
  if (comparison == Comparison::kSame || comparison == Comparison::kOlder) {
    ++summary_.same;
    return std::nullopt;
  }
  const WallTime now = ports_.clock.WallNow();
  const std::optional<WallTime> changed = seen.LastChange();
  const bool is_young = changed && *changed > now - settings_.found_within;
  if (is_young || known.publishing) {
    ++summary_.changing;
    return std::nullopt;
  }
  if (comparison == Comparison::kMissing && settings_.first_sweep && changed &&
      domain::IsFinal(seen.status) &&
      *changed < *settings_.first_sweep - settings_.baseline_window) {
    ++summary_.from_before;
    return std::nullopt;
  }
  ++summary_.different;
  DifferenceKind kind = DifferenceKind::kMissing;
  if (comparison == Comparison::kDifferent) {
    const bool same_status = seen.status == known.status && seen.status_text == known.status_text;
    kind = same_status ? DifferenceKind::kModified : DifferenceKind::kStatus;
  }
  return ReportDifference{.kind = kind, .seen = seen, .known = known};
}

AsyncStatus ReportComparison::Hint(const ReportDifference& difference) {
  co_await hints_.Step();
  TB_CO_RETURN_IF_ERROR(co_await WriteHint(*ports_.hint_log, ports_.clock,
                                           {.project = project_, .root = difference.known.root},
                                           difference.seen.id, events::v1::HINT_SOURCE_OPERATOR));
  ++summary_.hints;
  co_return absl::OkStatus();
}

}  // namespace tollbridge::reconcile
