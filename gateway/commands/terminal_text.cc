#include "gateway/commands/terminal_text.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>

namespace tollbridge::gateway {

std::string Printable(std::string_view text) {
  std::string shown(text);
  std::ranges::replace_if(
      shown, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return shown;
}

std::string OrDash(std::string_view text) { return text.empty() ? "-" : Printable(text); }

std::string Table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      absl::StrAppend(&text, row[i]);
      if (i + 1 == row.size()) break;
      text.append(widths[i] - row[i].size() + 2, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text.push_back('\n');
  }
  return text;
}

}  // namespace tollbridge::gateway
