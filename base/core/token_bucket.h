#ifndef TOLLBRIDGE_BASE_CORE_TOKEN_BUCKET_H_
#define TOLLBRIDGE_BASE_CORE_TOKEN_BUCKET_H_

#include "base/core/boot_clock.h"

namespace tollbridge {

/// Lets through `burst` at once and `per_second` in the long run. One thread.
class TokenBucket {
 public:
  /// Both are > 0. The bucket is full at the start.
  TokenBucket(double per_second, double burst);

  /// Has these from now on. What it held stays, as far as the new burst has room for it.
  void Change(double per_second, double burst, BootTime now);
  /// False when there is none left.
  bool Take(BootTime now);
  /// Until Take gives one, if nobody else takes it; zero when it would now.
  BootTime::duration Wait(BootTime now) const;
  bool IsFull(BootTime now) const;

 private:
  double TokensAt(BootTime now) const;

  double per_second_;
  double burst_;
  /// As of `filled_`.
  double tokens_;
  BootTime filled_{};
};

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_TOKEN_BUCKET_H_
