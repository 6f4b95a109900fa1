#ifndef TOLLBRIDGE_TESTS_ARCHITECTURE_PAGE_TEXT_H_
#define TOLLBRIDGE_TESTS_ARCHITECTURE_PAGE_TEXT_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tollbridge::architecture {

/// The lines of a text, without their ends.
std::vector<std::string> LinesOf(std::string_view text);

/// Calls `visit(number, line)` for each line of a Markdown page that is not part of a block of
/// code.
void ForEachTextLine(std::string_view page,
                     const std::function<void(int, std::string_view)>& visit);

}  // namespace tollbridge::architecture

#endif  // TOLLBRIDGE_TESTS_ARCHITECTURE_PAGE_TEXT_H_
