#ifndef TOLLBRIDGE_SERVICES_RECONCILE_EVENT_INDEX_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_EVENT_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>

#include "base/core/uuid.h"

/// What an audit of events holds in memory: 64 bytes of each event, 32 of each family and outcome.
namespace tollbridge::reconcile {

/// Of a stream or an event's id: a million of them hardly ever share one.
std::uint64_t ShortOf(const Uuid& id);

/// Of a project among those of an audit: two may see one order, and each tells it in streams of its
/// own.
using ProjectNumber = std::uint16_t;
/// Of one that is none of them.
inline constexpr ProjectNumber kNoProject = 0xffff;

/// When something was written, by the time that is asked about.
enum class InTime : std::uint8_t { kBefore, kIn, kAfter };

/// An event of the topic.
struct IndexedEvent {
  Uuid root;
  std::uint64_t stream = 0;
  std::uint64_t id = 0;
  std::int64_t offset = 0;
  std::uint32_t sequence = 0;
  std::uint32_t digest = 0;  ///< of its value
  std::int32_t partition = 0;
  ProjectNumber project = kNoProject;
  InTime written = InTime::kIn;
};

/// A family with a snapshot of its own stream.
struct IndexedFamily {
  Uuid root;
  std::uint64_t stream = 0;
  /// Last number that must be on the topic.
  std::uint32_t sequence = 0;
  ProjectNumber project = kNoProject;
  /// The topic goes back to before its life: what is missing of the present stream was not removed.
  bool whole = false;
};

/// Whether an outcome must be on the topic.
enum class Owed : std::uint8_t {
  kYes,
  kIfNothingIsThere,  ///< it may have been told in the time, though it happened shortly before
  kIfNumbersAreLost,  ///< it happened before the time: only a gap could be where it was
};

/// As the id of an outcome: an outbox that is late.
inline constexpr std::uint64_t kLateOutbox = 0;
/// As the id of an outcome: numbers of the present stream, of a family that was told no outcome.
inline constexpr std::uint64_t kNumbers = 1;

/// What a snapshot says of its family that is on the topic: an outcome that was told; or one of the
/// above.
struct IndexedOutcome {
  Uuid root;
  std::uint64_t id = 0;
  ProjectNumber project = kNoProject;
  Owed owed = Owed::kYes;
};

/// All of one slice of the families: they are so many that memory would not hold all at a time.
class EventIndex {
 public:
  std::deque<IndexedEvent> events;
  std::deque<IndexedFamily> families;
  std::deque<IndexedOutcome> outcomes;

  /// Whether the family belongs to a slice of so many.
  static bool IsIn(const Uuid& root, std::size_t slice, std::size_t slices);
  /// Brings all into the order of families, each by itself in each project: events of one by
  /// stream, number and place; what is there twice of the others, once.
  void Sort();
};

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_EVENT_INDEX_H_
