#include "sandbox/pages/table.h"

#include <algorithm>
#include <cstddef>

#include "sandbox/pages/html.h"

namespace tollbridge::sandbox {
namespace {

std::string_view ClassOf(Column column) {
  switch (column) {
    case Column::kNumber:
      return " class=\"number\"";
    case Column::kId:
      return " class=\"id\"";
    default:
      return "";
  }
}

}  // namespace

Table::Table(std::string_view caption, std::vector<Head> heads) : caption_(caption) {
  for (const Head& head : heads) {
    columns_.push_back(head.column);
    head_ += "<th scope=\"col\"" + std::string(ClassOf(head.column)) + ">" + EscapeHtml(head.name) +
             "</th>";
  }
}

void Table::Add(const std::vector<std::string>& cells) {
  rows_ += "<tr>";
  for (std::size_t i = 0; i < std::min(cells.size(), columns_.size()); ++i) {
    rows_ += "<td" + std::string(ClassOf(columns_[i])) + ">" + cells[i] + "</td>";
  }
  rows_ += "</tr>";
}

std::string Table::Draw(std::string_view none) const {
  if (rows_.empty()) return "<p>" + EscapeHtml(none) + "</p>";
  const std::string caption = EscapeHtml(caption_);
  // What scrolls must be reachable by keyboard, and then needs a name.
  return "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" + caption +
         "\"><table><caption>" + caption + "</caption><thead><tr>" + head_ +
         "</tr></thead><tbody>" + rows_ + "</tbody></table></div>";
}

}  // namespace tollbridge::sandbox
