#include "services/events/hint_loop.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <deque>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "base/core/backoff.h"
#include "base/core/must_go_on.h"
#include "base/core/test_hook.h"
#include "base/telemetry/log.h"
#include "services/events/offset_tracker.h"
#include "services/events/reader.h"

namespace tollbridge::events {

using boost::asio::awaitable;
using ports::Millis;

namespace {

constexpr Millis kFirstBackoff = std::chrono::milliseconds(500);
constexpr Millis kLongestBackoff = std::chrono::seconds(15);
/// Of what cannot end while others can.
constexpr Millis kLongestHeld = std::chrono::minutes(1);
/// What is down for some orders alone does not hold up the others of their project and partition:
/// it is in trouble when none has come to an end for so long.
constexpr Millis kTroubleAfter = kLongestBackoff;
/// Reads that had no answer say nothing any more when the last has ended so long ago. What was put
/// off because of them comes sooner, so that one of it tries.
constexpr Millis kUnansweredFor = std::chrono::minutes(1);
constexpr Millis kFeedRetry = std::chrono::seconds(1);
/// What cannot end while others can, of a project in trouble, or since its events are not taken or
/// there is no room for it in the due queue, does not count as waiting. All have to wait when there
/// are so many times Settings::max_unfinished hints in all, or so many times as many records,
/// finished ones too, from the oldest unfinished one on.
constexpr std::size_t kMostInAll = 4;
constexpr std::size_t kMostBehind = 64;
/// Between two notes of what is finished ahead; offsets are committed once a second.
constexpr Millis kNoteInterval = std::chrono::milliseconds(250);

constexpr auto kAsTuple = boost::asio::as_tuple(boost::asio::use_awaitable);

}  // namespace

/// The hints of one order that wait, oldest first.
struct HintLoop::Lane {
  std::string key;
  std::string project;  ///< its name; empty for what cannot be parsed
  std::deque<ReceivedHint> hints;
  BootTime next_read{};
  Backoff backoff{kFirstBackoff, kLongestBackoff};
  Backoff held_backoff{kFirstBackoff, kLongestHeld};
  /// Its hints that cannot end while others can: their events are not taken, or there is no room
  /// for their order in the due queue.
  std::size_t held = 0;
  int attempt = 0;
};

struct HintLoop::Partition {
  std::int32_t id = 0;
  bool revoked = false;
  /// The log has gone back: its offsets are those of other records now. What it was given before
  /// comes to its end, and finishes nothing.
  bool replaced = false;
  /// What this one replaced; null where the log has not gone back.
  std::shared_ptr<Partition> before;
  bool paused = false;
  struct Trouble {
    /// Something is down for all orders, as far as is known.
    bool now = false;
    /// When hints of some order were last brought to an end; nullopt: not yet.
    std::optional<BootTime> went_well;
    /// Reads of its orders that are under way.
    std::size_t reading = 0;
    /// When the first and the last read ended of those without an answer that no answer came after.
    struct Unanswered {
      BootTime first;
      BootTime last;
      bool IsOld(BootTime at) const { return at - last > kUnansweredFor; }
    };
    std::optional<Unanswered> unanswered;
    /// Reads have had no answer for long. One tries whether that is over; what else comes of the
    /// project meanwhile is put off, so that it does not fill what may wait.
    bool IsUnanswered(BootTime at) const {
      return reading > 0 && unanswered && unanswered->last - unanswered->first >= kTroubleAfter &&
             !unanswered->IsOld(at);
    }
    void Note(HintHandler::Answer answer, BootTime at) {
      if (answer == HintHandler::Answer::kCame) unanswered.reset();
      if (answer != HintHandler::Answer::kNone) return;
      if (!unanswered || unanswered->IsOld(at)) unanswered = {.first = at, .last = at};
      unanswered->last = at;
    }
    /// While in trouble no lane tries before this.
    BootTime try_after{};
    /// Its hints here that are not finished.
    std::size_t unfinished = 0;
    /// Of them, those that cannot end while others can.
    std::size_t held = 0;
  };
  /// By project, by name: its store may be down alone.
  std::map<std::string, Trouble> troubles;
  /// A bound, of which half is free again before it counts as not reached, so that the partition
  /// does not go to and fro with each hint.
  struct Bound {
    bool reached = false;
    bool Reached(std::size_t count, std::size_t bound) {
      reached = reached ? count > bound / 2 : count >= bound;
      return reached;
    }
  };
  Bound healthy;  ///< hints of projects that are not in trouble, but for those that are held
  Bound all;      ///< hints
  Bound behind;   ///< records, finished ones too
  OffsetTracker offsets;
  /// Finished by who had the partition before.
  FinishedAhead ahead;
  /// The offset that was stored last.
  std::optional<std::int64_t> stored;
  /// As it was noted last.
  FinishedAhead noted;
  BootTime note_after{};
  std::unordered_map<std::string, std::shared_ptr<Lane>> lanes;
};

std::shared_ptr<HintLoop> HintLoop::Create(boost::asio::any_io_executor executor,
                                           const Ports& ports, const Settings& settings) {
  return std::shared_ptr<HintLoop>(new HintLoop(std::move(executor), ports, settings));
}

HintLoop::HintLoop(boost::asio::any_io_executor executor, const Ports& ports,
                   const Settings& settings)
    : executor_(std::move(executor)),
      ports_(ports),
      settings_(settings),
      read_slots_(executor_, settings.max_reads),
      idle_(executor_, 1) {
  const auto fill = [](Signal& slots, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) slots.try_send(boost::system::error_code());
  };
  fill(read_slots_, settings_.max_reads);
  const auto& projects = ports_.projects.all();
  const std::size_t share =
      projects.size() > 1 ? std::max<std::size_t>(settings_.max_reads / 2, 1) : settings_.max_reads;
  for (const domain::Project& project : projects) {
    fill(project_slots_.try_emplace(project.name, executor_, share).first->second, share);
  }
}

HintLoop::Signal* HintLoop::SlotsOf(const Lane& lane) {
  const auto found = project_slots_.find(lane.project);
  return found == project_slots_.end() ? nullptr : &found->second;
}

absl::Status HintLoop::Start() { return ports_.feed.Start(this); }

awaitable<void> HintLoop::Run() {
  const std::shared_ptr<HintLoop> self = shared_from_this();
  for (;;) {
    absl::StatusOr<std::vector<ports::HintRecord>> records = co_await ports_.feed.Next();
    if (absl::IsCancelled(records.status())) co_return;
    if (!records.ok()) {
      telemetry::Log(telemetry::Severity::kWarning, "hints_unreachable",
                     {{"cause", std::string(records.status().message())}});
      co_await ports_.clock.Sleep(kFeedRetry);
      continue;
    }
    if (stopping_) continue;  // not begun, so not finished: the next reader gets them
    for (ports::HintRecord& record : *records) Accept(std::move(record));
  }
}

std::shared_ptr<HintLoop::Partition> HintLoop::PartitionOf(std::int32_t id, std::int64_t offset) {
  std::shared_ptr<Partition>& current = partitions_[id];
  if (current != nullptr && current->offsets.Follows(offset)) return current;
  auto made = std::make_shared<Partition>();
  made->id = id;
  auto handed_over = handed_over_.extract(id);
  // One that begins before the offset is another log than the note tells of.
  if (current == nullptr && handed_over && offset >= handed_over.mapped().next_offset) {
    made->ahead = std::move(handed_over.mapped().ahead);
  }
  if (current != nullptr) {
    telemetry::Log(telemetry::Severity::kWarning, "hints_went_back",
                   {{"partition", id}, {"offset", offset}});
    current->replaced = true;
    made->paused = current->paused;
    made->before = std::move(current);
  }
  current = std::move(made);
  return current;
}

void HintLoop::Accept(ports::HintRecord record) {
  const std::shared_ptr<Partition> partition = PartitionOf(record.partition, record.offset);
  std::optional<ParsedHint> hint = ParseHint(record, ports_.projects);
  partition->offsets.Begin(record.offset, hint ? hint->noticed_at : ports_.clock.WallNow(),
                           record.leader_epoch);
  if (partition->ahead.Holds(record)) return FinishAtOnce(*partition, record.offset);
  // What cannot be parsed waits for nothing and nothing waits for it.
  std::string key = hint ? hint->key.project + ":" + hint->key.root.ToBytes()
                         : "unparsable:" + std::to_string(record.offset);
  std::shared_ptr<Lane>& lane = partition->lanes[key];
  const bool is_new = lane == nullptr;
  if (is_new) {
    lane = std::make_shared<Lane>();
    lane->key = std::move(key);
    if (hint) lane->project = hint->key.project;
  }
  if (lane->held > 0 && hint && hint->source == v1::HINT_SOURCE_POLLER) {
    // The poller writes it again and again; what it asks for comes with those that wait.
    return FinishAtOnce(*partition, record.offset);
  }
  lane->hints.push_back({.record = std::move(record), .hint = std::move(hint)});
  Partition::Trouble& trouble = partition->troubles[lane->project];
  ++trouble.unfinished;
  if (lane->held > 0) {
    // It waits for the same.
    ++lane->held;
    ++trouble.held;
  }
  UpdatePause(*partition);
  NoteOldest();
  if (!is_new) return;
  boost::asio::co_spawn(executor_, RunLane(shared_from_this(), partition, lane), MustGoOn{});
}

void HintLoop::FinishAtOnce(Partition& partition, std::int64_t offset) {
  Store(partition, partition.offsets.Finish(offset));
  UpdatePause(partition);
  NoteOldest();
}

bool HintLoop::Stopped(const Partition& partition) const { return stopping_ || partition.revoked; }

awaitable<void> HintLoop::RunLane(std::shared_ptr<HintLoop> /*self*/,
                                  std::shared_ptr<Partition> partition,
                                  std::shared_ptr<Lane> lane) {
  Signal* const own_slots = SlotsOf(*lane);
  while (!Stopped(*partition)) {
    const BootTime now = ports_.clock.BootNow();
    const BootTime not_before =
        std::max(lane->next_read, partition->troubles[lane->project].try_after);
    if (now < not_before) {
      // Also an empty lane lives that long, so that the order's next hint keeps its distance.
      const Millis wait = std::chrono::ceil<Millis>(not_before - now);
      co_await ports_.clock.Sleep(wait);
      continue;
    }
    if (lane->hints.empty()) break;
    // The project's first: who waits for that takes no place from another project.
    if (own_slots != nullptr) co_await own_slots->async_receive(kAsTuple);
    const auto [no_slot] = co_await read_slots_.async_receive(kAsTuple);
    if (no_slot) break;
    if (!Stopped(*partition) &&
        ports_.clock.BootNow() >= partition->troubles[lane->project].try_after) {
      ++in_work_;
      co_await HandleBatch(*partition, *lane);
      --in_work_;
      if (stopping_ && in_work_ == 0) idle_.try_send(boost::system::error_code());
    }
    read_slots_.try_send(boost::system::error_code());
    if (own_slots != nullptr) own_slots->try_send(boost::system::error_code());
  }
  partition->lanes.erase(lane->key);
}

awaitable<void> HintLoop::HandleBatch(Partition& partition, Lane& lane) {
  // The hints so far: one read answers them all. Those that come meanwhile make one more.
  std::vector<ReceivedHint> batch(std::make_move_iterator(lane.hints.begin()),
                                  std::make_move_iterator(lane.hints.end()));
  lane.hints.clear();
  lane.next_read = ports_.clock.BootNow() + kReadSpacing;
  ++lane.attempt;
  Partition::Trouble& trouble = partition.troubles[lane.project];
  trouble.held -= std::exchange(lane.held, 0);
  const bool put_off = trouble.IsUnanswered(ports_.clock.BootNow());
  if (!put_off) ++trouble.reading;
  const auto [verdict, answer] =
      co_await ports_.handler.Handle(batch, lane.attempt,
                                     {.pressed = IsPressed(partition),
                                      .crowded = partition.all.reached || partition.behind.reached,
                                      .put_off = put_off});
  if (!put_off) --trouble.reading;
  if (partition.revoked) co_return;

  const BootTime now = ports_.clock.BootNow();
  if (verdict != HintHandler::Verdict::kTryAgain) {
    // Also where events are not taken: it was read, and nothing follows for orders whose events lie
    // on other partitions.
    trouble.now = false;
    trouble.went_well = now;
    trouble.try_after = {};
  }
  trouble.Note(answer, now);
  if (verdict != HintHandler::Verdict::kFinished) {
    lane.hints.insert(lane.hints.begin(), std::make_move_iterator(batch.begin()),
                      std::make_move_iterator(batch.end()));
    if (verdict != HintHandler::Verdict::kTryAgain) {
      lane.held = batch.size();
      trouble.held += batch.size();
      lane.next_read = std::max(lane.next_read, now + lane.held_backoff.Next());
    } else {
      lane.next_read = std::max(lane.next_read, now + lane.backoff.Next());
      trouble.now = !trouble.went_well || now - *trouble.went_well >= kTroubleAfter;
      if (trouble.now) trouble.try_after = lane.next_read;
    }
  } else {
    trouble.unfinished -= batch.size();
    lane.backoff.Reset();
    lane.held_backoff.Reset();
    lane.attempt = 0;
    Finish(partition, batch);
    TB_TEST_HOOK("events.after_offset");
  }
  UpdatePause(partition);
}

void HintLoop::Finish(Partition& partition, const std::vector<ReceivedHint>& hints) {
  if (partition.replaced) return;
  std::optional<std::int64_t> next;
  for (const ReceivedHint& each : hints) {
    if (const auto further = partition.offsets.Finish(each.record.offset)) next = further;
  }
  Store(partition, next);
  NoteOldest();
}

void HintLoop::Store(Partition& partition, std::optional<std::int64_t> next) {
  const BootTime now = ports_.clock.BootNow();
  const bool notes = now >= partition.note_after;
  if (!next && !notes) return;
  if (notes) {
    partition.note_after = now + kNoteInterval;
    partition.noted = partition.offsets.ahead();
  }
  // What came first may be what hangs: everything before it is finished all the same.
  if (!next && !partition.stored) next = partition.offsets.first();
  if (next) partition.stored = next;
  if (!partition.stored) return;
  ports_.feed.StoreOffset(partition.id, *partition.stored, partition.noted.Note(*partition.stored));
}

void HintLoop::NoteOldest() {
  std::int64_t oldest = kNoHint;
  for (const auto& [id, partition] : partitions_) {
    const std::optional<WallTime> noticed_at = partition->offsets.oldest();
    if (!noticed_at) continue;
    const std::int64_t millis = noticed_at->time_since_epoch().count();
    oldest = oldest == kNoHint ? millis : std::min(oldest, millis);
  }
  oldest_hint_.store(oldest, std::memory_order_relaxed);
}

std::optional<WallTime> HintLoop::OldestHint() const {
  const std::int64_t millis = oldest_hint_.load(std::memory_order_relaxed);
  if (millis == kNoHint) return std::nullopt;
  return WallTime(Millis(millis));
}

bool HintLoop::AllInTrouble(const Partition& partition) const {
  return std::ranges::all_of(ports_.projects.all(), [&](const domain::Project& project) {
    const auto found = partition.troubles.find(project.name);
    return found != partition.troubles.end() && found->second.now;
  });
}

bool HintLoop::IsPressed(const Partition& partition) const {
  return partition.offsets.span() >= settings_.max_unfinished / 2 && !AllInTrouble(partition);
}

bool HintLoop::IsFull(Partition& partition) const {
  std::size_t healthy = 0;
  std::size_t all = 0;
  for (const auto& [project, trouble] : partition.troubles) {
    all += trouble.unfinished;
    // Meanwhile the others' hints have to come in.
    if (!trouble.now) healthy += trouble.unfinished - trouble.held;
  }
  const std::size_t most = settings_.max_unfinished;
  const bool of_healthy = partition.healthy.Reached(healthy, most);
  const bool of_all = partition.all.Reached(all, most * kMostInAll);
  const bool behind = partition.behind.Reached(partition.offsets.span(), most * kMostBehind);
  return of_healthy || of_all || behind;
}

void HintLoop::UpdatePause(Partition& partition) {
  if (partition.replaced) return;
  const bool pause = IsFull(partition) || AllInTrouble(partition);
  if (pause == partition.paused) return;
  partition.paused = pause;
  if (pause) {
    ports_.feed.Pause(partition.id);
  } else {
    ports_.feed.Resume(partition.id);
  }
}

void HintLoop::OnAssigned(const std::vector<ports::HintShare>& partitions) {
  // Before the first of their hints.
  ports_.handler.ForgetTries();
  for (const ports::HintShare& share : partitions) {
    assigned_.insert(share.partition);
    handed_over_.erase(share.partition);
    if (!share.next_offset) continue;
    const std::int64_t next_offset = *share.next_offset;
    handed_over_[share.partition] = {next_offset, FinishedAhead::Of(share.note, next_offset)};
  }
  ShareReads();
}

void HintLoop::ShareReads() {
  // Without a partition there is nothing to read.
  if (assigned_.empty()) return;
  const auto all = static_cast<double>(std::max(settings_.hint_partitions, assigned_.size()));
  ports_.handler.SetShareOfReads(static_cast<double>(assigned_.size()) / all);
}

void HintLoop::OnRevoked(const std::vector<std::int32_t>& partitions) {
  for (const std::int32_t id : partitions) {
    assigned_.erase(id);
    handed_over_.erase(id);
    const auto found = partitions_.find(id);
    if (found == partitions_.end()) continue;
    for (Partition* each = found->second.get(); each != nullptr; each = each->before.get()) {
      each->revoked = true;
    }
    partitions_.erase(found);
  }
  ShareReads();
  NoteOldest();
}

AsyncStatus HintLoop::Stop(BootTime deadline) {
  const std::shared_ptr<HintLoop> self = shared_from_this();
  stopping_ = true;
  if (in_work_ > 0) {
    const Millis patience = std::chrono::ceil<Millis>(deadline - ports_.clock.BootNow());
    const auto give_up = [](std::shared_ptr<HintLoop> loop, Millis after) -> awaitable<void> {
      co_await loop->ports_.clock.Sleep(after);
      loop->idle_.try_send(boost::system::error_code());
    };
    boost::asio::co_spawn(executor_, give_up(self, std::max(patience, Millis(0))),
                          boost::asio::detached);
    co_await idle_.async_receive(kAsTuple);
  }
  co_return co_await ports_.feed.Stop();
}

}  // namespace tollbridge::events
