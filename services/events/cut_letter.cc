#include "services/events/cut_letter.h"

#include "base/core/encoding.h"
#include "base/core/sha256.h"

namespace tollbridge::events {

ports::DeadLetter CutLetter(ports::DeadLetter letter) {
  Sha256 digest;
  digest.Update(letter.record.value);
  letter.cut_from = {.value_bytes = letter.record.value.size(),
                     .value_sha256 = HexEncode(digest.Finish())};
  letter.record.value = letter.record.value.substr(0, kCutValueBytes);
  letter.record.key = letter.record.key.substr(0, kCutKeyBytes);
  return letter;
}

}  // namespace tollbridge::events
