#ifndef TOLLBRIDGE_SANDBOX_SEARCH_CSV_STREAM_H_
#define TOLLBRIDGE_SANDBOX_SEARCH_CSV_STREAM_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/core/async.h"
#include "base/core/uuid.h"
#include "sandbox/core/clock.h"
#include "sandbox/core/world.h"

namespace tollbridge::sandbox {

/// About how much of a report is in memory at a time.
inline constexpr std::size_t kCsvChunkBytes = 32 * 1024;

/// Writes a report piece by piece. It holds the orders' ids only and looks each up when it gets
/// there: an order that has changed meanwhile shows its new state, and one that a reset has taken
/// away is left out.
class CsvStream {
 public:
  /// `lag`: orders show the state as it was that long before.
  CsvStream(const World* world, std::vector<Uuid> ids, Millis lag);

  /// The next piece, whole rows, empty at the end: an http::BodyProducer.
  Async<std::string> Next();

 private:
  const World* world_;
  const std::vector<Uuid> ids_;
  const Millis lag_;
  std::size_t next_ = 0;
  bool begun_ = false;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_SEARCH_CSV_STREAM_H_
