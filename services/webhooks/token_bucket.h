#ifndef TOLLBRIDGE_SERVICES_WEBHOOKS_TOKEN_BUCKET_H_
#define TOLLBRIDGE_SERVICES_WEBHOOKS_TOKEN_BUCKET_H_

#include "base/core/boot_clock.h"

namespace tollbridge::webhooks {

/// Lets through `burst` at once and `per_second` in the long run. One shard.
class TokenBucket {
 public:
  /// Both are > 0. The bucket is full at the start.
  TokenBucket(double per_second, double burst);

  /// False when there is none left.
  bool Take(BootTime now);

 private:
  double per_second_;
  double burst_;
  double tokens_;
  BootTime filled_{};
};

}  // namespace tollbridge::webhooks

#endif  // TOLLBRIDGE_SERVICES_WEBHOOKS_TOKEN_BUCKET_H_
