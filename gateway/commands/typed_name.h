#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_TYPED_NAME_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_TYPED_NAME_H_

#include <string>
#include <string_view>
#include <vector>

namespace tollbridge::gateway {

/// Whether a word of the command line can be shown in an error: it is short and made of letters,
/// `-`, `_`, `.` and `/`, with no more than two digits side by side. Anything else may be a request
/// or a secret that has slipped to this place.
bool LooksLikeAName(std::string_view word);

/// " 'WORD'" for what looks like a name, and nothing for what does not.
std::string Quoted(std::string_view word);

/// "; did you mean 'X'?" with the nearest of the known names, whatever their case; nothing where
/// none is near.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& known);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_TYPED_NAME_H_
