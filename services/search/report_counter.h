#ifndef TOLLBRIDGE_SERVICES_SEARCH_REPORT_COUNTER_H_
#define TOLLBRIDGE_SERVICES_SEARCH_REPORT_COUNTER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_set.h>
#include <absl/status/status.h>

namespace tollbridge::search {

/// Most orders that a report may be about. Nothing says in which order the rows come, so that the
/// distinct orders are held as hashes, 9 bytes a place: at most 9.4 MiB a report (2^20 places,
/// filled to 7/8), and 1.2 MiB for 100,000 orders.
inline constexpr std::int64_t kMaxReportOrders = 900'000;

/// Counts the rows of a report and the orders in them, while the CSV goes by in pieces of any size:
/// RFC 4180 with a header row; also without quotes where none are needed, with LF or CR alone as
/// line end, with empty lines, and with a last line that has no end. Memory: that of
/// kMaxReportOrders, whatever the rows hold. Errors name no content.
class ReportCounter {
 public:
  /// `expected_orders`: about how many orders there will be; their places are taken at once.
  explicit ReportCounter(std::int64_t expected_orders);

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
  enum class State {
    kFieldStart,
    kPlain,
    kQuoted,
    kQuoteInQuoted,  ///< the end of the quoted value, or the first of two that stand for one
  };

  bool captures() const { return !id_column_ || column_ == *id_column_; }
  /// Appends to the value in hand, when it is one that counts.
  void Capture(std::string_view text);
  /// How much of `bytes`, not empty, one step of the state machine takes.
  std::size_t Step(std::string_view bytes);
  std::size_t StepPlain(std::string_view bytes);
  std::size_t StepQuoted(std::string_view bytes);
  void EndField();
  void EndLine();
  void EndHeader();
  void NoteId();
  void Fail(absl::Status status);

  State state_ = State::kFieldStart;
  /// The last byte was a CR that has ended its line: an LF after it belongs to it.
  bool after_cr_ = false;
  /// Nothing of the line has come yet.
  bool line_empty_ = true;
  std::size_t column_ = 0;
  /// Set when the header has been read.
  std::optional<std::size_t> id_column_;
  /// Of the header in hand: where `id` stands.
  std::optional<std::size_t> found_column_;
  bool row_has_id_ = false;
  std::string field_;
  std::int64_t rows_ = 0;
  absl::flat_hash_set<std::uint64_t> ids_;
  std::optional<std::uint64_t> last_id_;
  absl::Status status_;
};

}  // namespace tollbridge::search

#endif  // TOLLBRIDGE_SERVICES_SEARCH_REPORT_COUNTER_H_
