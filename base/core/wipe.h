#ifndef TOLLBRIDGE_BASE_CORE_WIPE_H_
#define TOLLBRIDGE_BASE_CORE_WIPE_H_

#include <string>

namespace tollbridge {

/// Overwrites the text's bytes and empties it: for card data. The copies that libraries made on the
/// way (the inbound message, the body that was sent) are not in our hands.
void Wipe(std::string& text);

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_WIPE_H_
