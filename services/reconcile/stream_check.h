#ifndef TOLLBRIDGE_SERVICES_RECONCILE_STREAM_CHECK_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_STREAM_CHECK_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>
#include <vector>

#include "services/reconcile/event_index.h"

namespace tollbridge::reconcile {

/// What can be wrong with the events of a family.
enum class EventFault {
  kMissing,      ///< an outcome that was told is not on the topic
  kGap,          ///< a number of a stream is not
  kTwoContents,  ///< a number of a stream stands for two events, or one with two values
  kTwoNumbers,   ///< an event has two numbers of a stream: who drops repeats never sees the second
  kWrongOrder,   ///< a number of a stream lies behind a later one, or in another partition
  kUnpublished,  ///< events are decided, and nobody publishes them
};

/// As reports name it: "missing", "gap", "two_contents", "two_numbers", "wrong_order",
/// "unpublished".
std::string_view NameOf(EventFault fault);

struct StreamFault {
  EventFault fault = EventFault::kGap;
  std::uint64_t stream = 0;  ///< ShortOf
  /// The number that is missing, stands for two, is the second one, or came too late.
  std::uint32_t sequence = 0;
  /// Where it is seen.
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  /// The family has gone on in another stream behind it.
  bool told_again = false;
};

using Events = std::deque<IndexedEvent>::const_iterator;

/// The faults of one family's events, sorted as EventIndex does it, the first of each sort in a
/// stream, of those in the time: a gap may be of any moment between the numbers beside it.
/// `is_whole`: nothing was ever removed from that partition, so that a stream that does not begin
/// with 1 lacks events. `family`: nullptr where its present stream is not known.
std::vector<StreamFault> CheckStreams(Events begin, Events end, const IndexedFamily* family,
                                      const std::function<bool(std::int32_t)>& is_whole);

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_STREAM_CHECK_H_
