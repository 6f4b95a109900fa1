#include "tests/support/mini_redis/stream.h"

namespace tollbridge::test {

StreamId Next(StreamId id) {
  if (++id.sequence == 0) ++id.ms;
  return id;
}

StreamId Previous(StreamId id) {
  if (id.sequence-- == 0) --id.ms;
  return id;
}

}  // namespace tollbridge::test
