#ifndef TOLLBRIDGE_BASE_CORE_CSV_ROWS_H_
#define TOLLBRIDGE_BASE_CORE_CSV_ROWS_H_

#include <absl/status/status.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tollbridge {

/// Cuts CSV with a header row into rows, while it goes by in pieces of any size: RFC 4180; also
/// without quotes where none are needed, with LF or CR alone as line end, with empty lines, and
/// with a last line that has no end. Only the wanted columns are kept, so that memory does not grow
/// with what rows hold.
class CsvRows {
 public:
  /// Longest value that is kept; of longer ones the beginning.
  static constexpr std::size_t kMaxValue = 64;

  struct Value {
    std::string text;
    /// False where the row is too short, or the header has no such column.
    bool present = false;
  };
  /// `row` has its values in the order in which the columns were wanted. An error ends the reading.
  using OnRow = std::function<absl::Status(const std::vector<Value>& row)>;
  /// Which of the wanted columns the header has.
  using OnHeader = std::function<absl::Status(const std::vector<bool>& found)>;

  /// Reads these columns; of two with one name the first counts.
  CsvRows(std::vector<std::string> columns, OnHeader on_header, OnRow on_row);

  /// The next bytes. The first error of on_header and on_row; after it nothing more may come.
  absl::Status Take(std::string_view bytes);
  /// The end, with the last row if its line has no end.
  absl::Status End();
  /// Whether the bytes so far end inside a quoted value.
  bool inside_value() const { return state_ == State::kQuoted; }

 private:
  enum class State {
    kFieldStart,
    kPlain,
    kQuoted,
    kQuoteInQuoted,  ///< the end of the quoted value, or the first of two that stand for one
  };

  /// The value in hand; nullptr when it is in no wanted column.
  std::string* Kept();
  void Keep(std::string_view text);
  /// How much of `bytes`, not empty, one step of the state machine takes.
  std::size_t Step(std::string_view bytes);
  /// Behind the last wanted column: all up to a quote or the line's end, which are left to the
  /// steps. 0 elsewhere. It is most of a report.
  std::size_t PassUnwanted(std::string_view bytes);
  std::size_t StepPlain(std::string_view bytes);
  std::size_t StepQuoted(std::string_view bytes);
  void EndField();
  void EndLine();
  void NoteName();

  std::vector<std::string> columns_;
  OnHeader on_header_;
  OnRow on_row_;
  State state_ = State::kFieldStart;
  /// The last byte was a CR that has ended its line: an LF after it belongs to it.
  bool after_cr_ = false;
  /// Nothing of the line has come yet.
  bool line_empty_ = true;
  bool in_header_ = true;
  std::size_t column_ = 0;
  /// For each column of the header, up to the last wanted one, this says which wanted column it is,
  /// or kNotWanted.
  std::vector<std::size_t> wanted_;
  std::vector<bool> found_;
  std::string name_;
  std::vector<Value> row_;
  absl::Status status_;
};

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_CSV_ROWS_H_
