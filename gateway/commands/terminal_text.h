#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_TERMINAL_TEXT_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_TERMINAL_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

/// What commands need to show text on a terminal.
namespace tollbridge::gateway {

/// The text with control characters replaced: what was stored could move a terminal's cursor.
std::string Printable(std::string_view text);

/// The same, and "-" for none.
std::string OrDash(std::string_view text);

using Row = std::vector<std::string>;

/// Columns as wide as their widest cell; no line ends in blanks.
std::string Table(const std::vector<Row>& rows);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_TERMINAL_TEXT_H_
