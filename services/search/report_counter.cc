#include "services/search/report_counter.h"

#include <algorithm>

#include <absl/hash/hash.h>

#include "services/base/uuid.h"
#include "services/search/errors.h"

namespace tollbridge::search {
namespace {

constexpr std::string_view kIdColumn = "id";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// More than an id has: what is longer is none.
constexpr std::size_t kMaxCaptured = 64;

}  // namespace

ReportCounter::ReportCounter(std::int64_t expected_orders) {
  field_.reserve(kMaxCaptured);
  ids_.reserve(
      static_cast<std::size_t>(std::clamp(expected_orders, std::int64_t{0}, kMaxReportOrders)));
}

absl::Status ReportCounter::Take(std::string_view bytes) {
  while (!bytes.empty() && status_.ok()) bytes.remove_prefix(Step(bytes));
  return status_;
}

absl::Status ReportCounter::End() {
  if (state_ == State::kQuoted) Fail(ReportIncomplete("the report ends inside a value"));
  if (!line_empty_) EndLine();
  return status_;
}

std::size_t ReportCounter::Step(std::string_view bytes) {
  const bool continues_line_end = after_cr_ && bytes.front() == '\n';
  after_cr_ = false;
  if (continues_line_end) return 1;
  if (state_ == State::kQuoted) return StepQuoted(bytes);
  if (bytes.front() == '"' && state_ != State::kPlain) {
    if (state_ == State::kQuoteInQuoted) Capture("\"");
    state_ = State::kQuoted;
    line_empty_ = false;
    return 1;
  }
  return StepPlain(bytes);
}

std::size_t ReportCounter::StepPlain(std::string_view bytes) {
  const char c = bytes.front();
  if (c == ',') {
    line_empty_ = false;
    EndField();
    return 1;
  }
  if (c == '\r' || c == '\n') {
    after_cr_ = c == '\r';
    if (!line_empty_) EndLine();
    return 1;
  }
  line_empty_ = false;
  state_ = State::kPlain;
  const std::size_t size = std::min(bytes.find_first_of(",\r\n"), bytes.size());
  Capture(bytes.substr(0, size));
  return size;
}

std::size_t ReportCounter::StepQuoted(std::string_view bytes) {
  const std::size_t quote = bytes.find('"');
  if (quote == std::string_view::npos) {
    Capture(bytes);
    return bytes.size();
  }
  Capture(bytes.substr(0, quote));
  state_ = State::kQuoteInQuoted;
  return quote + 1;
}

void ReportCounter::Capture(std::string_view text) {
  if (captures()) field_.append(text.substr(0, kMaxCaptured - field_.size()));
}

void ReportCounter::EndField() {
  if (!id_column_) {
    std::string_view name = field_;
    if (column_ == 0 && name.starts_with(kByteOrderMark)) {
      name.remove_prefix(kByteOrderMark.size());
    }
    if (name == kIdColumn && !found_column_) found_column_ = column_;
  } else if (column_ == *id_column_) {
    NoteId();
  }
  field_.clear();
  ++column_;
  state_ = State::kFieldStart;
}

void ReportCounter::EndLine() {
  EndField();
  if (!id_column_) {
    EndHeader();
  } else {
    ++rows_;
    if (!row_has_id_) Fail(Unreadable("a row of the report has no order id"));
  }
  column_ = 0;
  line_empty_ = true;
  row_has_id_ = false;
}

void ReportCounter::EndHeader() {
  id_column_ = found_column_;
  if (!id_column_) Fail(Unreadable("the report has no column `id`"));
}

void ReportCounter::NoteId() {
  const std::optional<Uuid> id = Uuid::Parse(field_);
  if (!id) return Fail(Unreadable("a row of the report has no order id"));
  row_has_id_ = true;
  const std::uint64_t hash = absl::HashOf(id->bytes);
  // Rows of one order mostly stand together.
  if (hash == last_id_) return;
  last_id_ = hash;
  ids_.insert(hash);
  if (orders() > kMaxReportOrders) {
    Fail(
        TooManyResults("the report is about more orders than can be counted: ask for a narrower "
                       "query, for example a shorter period"));
  }
}

void ReportCounter::Fail(absl::Status status) { status_.Update(status); }

}  // namespace tollbridge::search
