#ifndef TOLLBRIDGE_BASE_TELEMETRY_UNDER_WAY_H_
#define TOLLBRIDGE_BASE_TELEMETRY_UNDER_WAY_H_

#include "base/telemetry/metrics.h"

namespace tollbridge::telemetry {

/// Shows something as under way on a gauge, for as long as it lives.
class UnderWay {
 public:
  explicit UnderWay(Gauge gauge) : gauge_(gauge) { gauge_.Add(1); }
  ~UnderWay() { gauge_.Add(-1); }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

 private:
  Gauge gauge_;
};

}  // namespace tollbridge::telemetry

#endif  // TOLLBRIDGE_BASE_TELEMETRY_UNDER_WAY_H_
