#include "services/reconcile/stream_check.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>

namespace tollbridge::reconcile {
namespace {

/// Where a stream lies.
struct Extent {
  std::uint64_t stream = 0;
  std::int32_t partition = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// One stream: [begin, end) by number, and within a number by place.
class StreamCheck {
 public:
  StreamCheck(Events begin, Events end, std::vector<StreamFault>* faults)
      : begin_(begin), end_(end), faults_(faults) {}

  void Run(const IndexedFamily* family, bool is_whole) {
    const bool is_present = family != nullptr && family->stream == begin_->stream;
    if ((is_whole || (is_present && family->whole)) && begin_->sequence > 1 &&
        begin_->written != InTime::kBefore) {
      NoteAny(EventFault::kGap, 1, *begin_);
    }
    const IndexedEvent* before = nullptr;  // first record of the number before
    for (Events at = begin_; at != end_;) {
      const IndexedEvent& first = *at;
      if (!ids_.insert(first.id).second) Note(EventFault::kTwoNumbers, first.sequence, first);
      if (before != nullptr) CheckNext(*before, first);
      for (++at; at != end_ && at->sequence == first.sequence; ++at) {
        if (at->id != first.id || at->digest != first.digest) {
          Note(EventFault::kTwoContents, first.sequence, *at);
        }
      }
      before = &first;
    }
    // When it was told nothing says but that it was after the one before.
    if (is_present && family->sequence > before->sequence && before->written != InTime::kAfter) {
      NoteAny(EventFault::kGap, before->sequence + 1, *before);
    }
  }

 private:
  void CheckNext(const IndexedEvent& before, const IndexedEvent& next) {
    // It was told between both.
    if (next.sequence > before.sequence + 1 && next.written != InTime::kBefore &&
        before.written != InTime::kAfter) {
      NoteAny(EventFault::kGap, before.sequence + 1, next);
    }
    // A repeat lies behind what it repeats: only the first record of each counts.
    if (next.partition != before.partition || next.offset < before.offset) {
      Note(EventFault::kWrongOrder, before.sequence, before);
    }
  }

  void Note(EventFault fault, std::uint32_t sequence, const IndexedEvent& seen) {
    if (seen.written == InTime::kIn) NoteAny(fault, sequence, seen);
  }

  void NoteAny(EventFault fault, std::uint32_t sequence, const IndexedEvent& seen) {
    bool& noted = noted_.at(static_cast<std::size_t>(fault));
    if (noted) return;
    noted = true;
    faults_->push_back({.fault = fault,
                        .stream = seen.stream,
                        .sequence = sequence,
                        .partition = seen.partition,
                        .offset = seen.offset});
  }

  const Events begin_;
  const Events end_;
  std::vector<StreamFault>* const faults_;
  std::set<std::uint64_t> ids_;
  std::array<bool, static_cast<std::size_t>(EventFault::kUnpublished) + 1> noted_{};
};

Extent ExtentOf(Events begin, Events end) {
  Extent extent{.stream = begin->stream,
                .partition = begin->partition,
                .first = begin->offset,
                .last = begin->offset};
  for (Events at = begin; at != end; ++at) {
    extent.first = std::min(extent.first, at->offset);
    extent.last = std::max(extent.last, at->offset);
  }
  return extent;
}

}  // namespace

std::string_view NameOf(EventFault fault) {
  switch (fault) {
    case EventFault::kMissing:
      return "missing";
    case EventFault::kGap:
      return "gap";
    case EventFault::kTwoContents:
      return "two_contents";
    case EventFault::kTwoNumbers:
      return "two_numbers";
    case EventFault::kWrongOrder:
      return "wrong_order";
    case EventFault::kUnpublished:
      return "unpublished";
  }
  return {};
}

std::vector<StreamFault> CheckStreams(Events begin, Events end, const IndexedFamily* family,
                                      const std::function<bool(std::int32_t)>& is_whole) {
  std::vector<StreamFault> faults;
  std::vector<Extent> extents;
  for (Events at = begin; at != end;) {
    const Events stream_begin = at;
    while (at != end && at->stream == stream_begin->stream) ++at;
    StreamCheck(stream_begin, at, &faults).Run(family, is_whole(stream_begin->partition));
    extents.push_back(ExtentOf(stream_begin, at));
  }
  for (StreamFault& fault : faults) {
    const auto own = std::ranges::find(extents, fault.stream, &Extent::stream);
    fault.told_again = std::ranges::any_of(extents, [&](const Extent& other) {
      return other.partition == own->partition && other.first > own->last;
    });
  }
  return faults;
}

}  // namespace tollbridge::reconcile
