#include "tests/architecture/page_text.h"

#include <cstddef>
#include <sstream>

namespace tollbridge::architecture {

std::vector<std::string> LinesOf(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void ForEachTextLine(std::string_view page,
                     const std::function<void(int, std::string_view)>& visit) {
  bool in_code = false;
  int number = 0;
  for (const std::string& line : LinesOf(page)) {
    ++number;
    const std::size_t text = line.find_first_not_of(' ');
    if (text != line.npos && line.compare(text, 3, "```") == 0) {
      in_code = !in_code;
    } else if (!in_code) {
      visit(number, line);
    }
  }
}

}  // namespace tollbridge::architecture
