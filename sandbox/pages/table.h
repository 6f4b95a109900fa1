#ifndef TOLLBRIDGE_SANDBOX_PAGES_TABLE_H_
#define TOLLBRIDGE_SANDBOX_PAGES_TABLE_H_

#include <string>
#include <string_view>
#include <vector>

namespace tollbridge::sandbox {

/// How a column is set.
enum class Column { kText, kNumber, kId };

/// A table, row by row.
class Table {
 public:
  struct Head {
    std::string_view name;
    Column column = Column::kText;
  };

  /// `caption` and names are plain text.
  Table(std::string_view caption, std::vector<Head> heads);

  /// A cell for each column, as HTML.
  void Add(const std::vector<std::string>& cells);
  /// The table, or `none`, plain text, where it has no rows.
  std::string Draw(std::string_view none) const;

 private:
  std::string caption_;
  std::vector<Column> columns_;
  std::string head_;
  std::string rows_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_TABLE_H_
