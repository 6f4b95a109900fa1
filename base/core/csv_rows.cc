#include "base/core/csv_rows.h"

#include <algorithm>
#include <utility>

namespace tollbridge {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kNotWanted = static_cast<std::size_t>(-1);

}  // namespace

CsvRows::CsvRows(std::vector<std::string> columns, OnHeader on_header, OnRow on_row)
    : columns_(std::move(columns)),
      on_header_(std::move(on_header)),
      on_row_(std::move(on_row)),
      found_(columns_.size()),
      row_(columns_.size()) {
  name_.reserve(kMaxValue);
  for (Value& value : row_) value.text.reserve(kMaxValue);
}

absl::Status CsvRows::Take(std::string_view bytes) {
  while (!bytes.empty() && status_.ok()) bytes.remove_prefix(Step(bytes));
  return status_;
}

absl::Status CsvRows::End() {
  if (!line_empty_) EndLine();
  return status_;
}

std::size_t CsvRows::Step(std::string_view bytes) {
  const bool continues_line_end = after_cr_ && bytes.front() == '\n';
  after_cr_ = false;
  if (continues_line_end) return 1;
  if (state_ == State::kQuoted) return StepQuoted(bytes);
  if (const std::size_t passed = PassUnwanted(bytes); passed > 0) return passed;
  if (bytes.front() == '"' && state_ != State::kPlain) {
    if (state_ == State::kQuoteInQuoted) Keep("\"");
    state_ = State::kQuoted;
    line_empty_ = false;
    return 1;
  }
  return StepPlain(bytes);
}

std::size_t CsvRows::PassUnwanted(std::string_view bytes) {
  if (in_header_ || column_ < wanted_.size() || state_ == State::kQuoteInQuoted) return 0;
  // Each search ends where the one before has found something.
  for (const char end : {'\n', '\r', '"'}) bytes = bytes.substr(0, bytes.find(end));
  if (bytes.empty()) return 0;
  line_empty_ = false;
  state_ = bytes.back() == ',' ? State::kFieldStart : State::kPlain;
  return bytes.size();
}

std::size_t CsvRows::StepPlain(std::string_view bytes) {
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
  const auto end = std::ranges::find_if(
      bytes, [](char each) { return each == ',' || each == '\r' || each == '\n'; });
  const std::string_view value(bytes.begin(), end);
  Keep(value);
  return value.size();
}

std::size_t CsvRows::StepQuoted(std::string_view bytes) {
  const std::size_t quote = bytes.find('"');
  if (quote == std::string_view::npos) {
    Keep(bytes);
    return bytes.size();
  }
  Keep(bytes.substr(0, quote));
  state_ = State::kQuoteInQuoted;
  return quote + 1;
}

std::string* CsvRows::Kept() {
  if (in_header_) return &name_;
  const bool wanted = column_ < wanted_.size() && wanted_[column_] != kNotWanted;
  return wanted ? &row_[wanted_[column_]].text : nullptr;
}

void CsvRows::Keep(std::string_view text) {
  std::string* const kept = Kept();
  if (kept != nullptr) kept->append(text.substr(0, kMaxValue - kept->size()));
}

void CsvRows::EndField() {
  if (in_header_) {
    NoteName();
  } else if (column_ < wanted_.size() && wanted_[column_] != kNotWanted) {
    row_[wanted_[column_]].present = true;
  }
  ++column_;
  state_ = State::kFieldStart;
}

void CsvRows::NoteName() {
  std::string_view name = name_;
  if (column_ == 0 && name.starts_with(kByteOrderMark)) name.remove_prefix(kByteOrderMark.size());
  const auto at = std::ranges::find(columns_, name);
  const auto index = static_cast<std::size_t>(at - columns_.begin());
  if (at != columns_.end() && !found_[index]) {
    found_[index] = true;
    wanted_.resize(column_, kNotWanted);
    wanted_.push_back(index);
  }
  name_.clear();
}

void CsvRows::EndLine() {
  EndField();
  column_ = 0;
  line_empty_ = true;
  if (in_header_) {
    in_header_ = false;
    status_ = on_header_(found_);
    return;
  }
  status_ = on_row_(row_);
  for (Value& value : row_) {
    value.text.clear();
    value.present = false;
  }
}

}  // namespace tollbridge
