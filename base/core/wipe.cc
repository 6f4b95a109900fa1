#include "base/core/wipe.h"

#include <openssl/crypto.h>

namespace tollbridge {

void Wipe(std::string& text) {
  OPENSSL_cleanse(text.data(), text.size());
  text.clear();
}

}  // namespace tollbridge
