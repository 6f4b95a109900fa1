#ifndef TOLLBRIDGE_SERVICES_EVENTS_CUT_LETTER_H_
#define TOLLBRIDGE_SERVICES_EVENTS_CUT_LETTER_H_

#include <cstddef>

#include "services/ports/hint_log.h"

namespace tollbridge::events {

/// So much of a record is kept where the topic of dead letters does not take the whole.
inline constexpr std::size_t kCutValueBytes = std::size_t{64} * 1024;
inline constexpr std::size_t kCutKeyBytes = 1024;

/// The letter with the beginning of its record, and with what that was: its size and the digest of
/// its value, by which the whole can be told again in the topic of hints.
ports::DeadLetter CutLetter(ports::DeadLetter letter);

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_CUT_LETTER_H_
