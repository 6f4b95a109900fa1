#ifndef TOLLBRIDGE_TESTS_UNIT_SANDBOX_SEARCH_CSV_READER_H_
#define TOLLBRIDGE_TESTS_UNIT_SANDBOX_SEARCH_CSV_READER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tollbridge::sandbox {

using CsvRow = std::vector<std::string>;

/// Reads RFC 4180 strictly and by its text alone: rows end in CRLF, quotes only around whole
/// fields. nullopt for anything else.
inline std::optional<std::vector<CsvRow>> ReadCsv(std::string_view text) {
  std::vector<CsvRow> rows;
  CsvRow row;
  std::size_t at = 0;
  while (at < text.size()) {
    std::string field;
    if (text[at] == '"') {
      for (++at;; ++at) {
        if (at == text.size()) return std::nullopt;
        if (text[at] == '"') {
          if (at + 1 == text.size() || text[at + 1] != '"') break;
          ++at;
        }
        field += text[at];
      }
      ++at;
    } else {
      const std::size_t end = text.find_first_of(",\r\n\"", at);
      if (end == std::string_view::npos || text[end] == '"' || text[end] == '\n') {
        return std::nullopt;
      }
      field = text.substr(at, end - at);
      at = end;
    }
    row.push_back(std::move(field));
    if (text.substr(at, 2) == "\r\n") {
      at += 2;
      rows.push_back(std::move(row));
      row.clear();
    } else if (at < text.size() && text[at] == ',') {
      ++at;
    } else {
      return std::nullopt;
    }
  }
  if (!row.empty()) return std::nullopt;
  return rows;
}

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_TESTS_UNIT_SANDBOX_SEARCH_CSV_READER_H_
