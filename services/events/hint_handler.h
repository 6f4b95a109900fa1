#ifndef TOLLBRIDGE_SERVICES_EVENTS_HINT_HANDLER_H_
#define TOLLBRIDGE_SERVICES_EVENTS_HINT_HANDLER_H_

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/core/async.h"
#include "base/telemetry/sampler.h"
#include "services/domain/project.h"
#include "services/events/due_schedule.h"
#include "services/events/reader.h"
#include "services/events/received_hint.h"
#include "services/events/settings.h"
#include "services/events/slow_set.h"
#include "services/ports/due_queue.h"
#include "services/ports/hint_log.h"

namespace tollbridge::events {

/// Brings hints to an end, one way or another (docs/design/events.md#reader): by a read, by the due
/// queue, by the dead letters, or by giving them up. One shard.
class HintHandler {
 public:
  struct Ports {
    Reader& reader;
    ports::SnapshotStore& snapshots;
    ports::DueQueue& due_queue;
    ports::DeadLetterLog& dead_letters;
    ports::Clock& clock;
    telemetry::Metrics& metrics;
  };

  enum class Verdict {
    kFinished,  ///< their offsets may be finished
    kTryAgain,  ///< nothing was wrong with them: something is down
    kNotTold,   ///< as kTryAgain: what they brought is saved, and its events are not taken
    kNoRoom,    ///< as kTryAgain: too many orders of which nothing is known wait to be read
  };
  /// What the payment service had to say meanwhile.
  enum class Answer {
    kNotAsked,
    kNone,  ///< it may have been asked, and nothing came back
    kCame,
  };
  struct Handled {
    Verdict verdict = Verdict::kFinished;
    Answer answer = Answer::kNotAsked;
  };

  HintHandler(const Ports& ports, const Settings& settings)
      : ports_(ports),
        settings_(settings),
        slow_known_(settings.max_unknown_orders, LongestInterval(settings)),
        slow_unknown_(settings.max_unknown_orders, std::chrono::hours(1)) {}

  /// What else there is to do.
  struct Situation {
    /// Much waits behind the hints, so that it is not waited for a topic of dead letters.
    bool pressed = false;
    /// As many hints wait as may; while they do others' hints do not come in.
    bool crowded = false;
    /// As ReadRequest::put_off.
    bool put_off = false;
  };

  /// Handles hints that ask for the same family with one read. `hints` is not empty; all are
  /// parsed, or it is one that is not. `attempt` counts from 1 how often these are handled.
  boost::asio::awaitable<Handled> Handle(const std::vector<ReceivedHint>& hints, int attempt,
                                         const Situation& situation);

  /// Counts no try any more: the group gives out partitions, and others may have read since what
  /// has failed here.
  void ForgetTries();
  /// As Reader::SetShare.
  void SetShareOfReads(double share) { ports_.reader.SetShare(share); }

 private:
  /// What became of the order that was asked for.
  enum class Ending {
    kOver,      ///< it was read, or is given up
    kWaits,     ///< it is in the due queue, to be read later
    kTryAgain,  ///< as Verdict::kTryAgain
    kNoRoom,    ///< as Verdict::kNoRoom
  };

  /// A record that is no hint of ours.
  boost::asio::awaitable<Verdict> Unusable(const ports::HintRecord& record, bool pressed);
  /// A hint that is written again, of a project that is not configured here.
  void PassOver(const v1::Hint& hint);
  /// `must_end`: what is answered is not put back for want of room.
  boost::asio::awaitable<Ending> Conclude(const ReceivedHint& received, const ReadResult& result,
                                          bool must_end);
  /// Whether the root has just failed once more: it is not read for each member that comes again.
  bool IsWaitedFor(const ports::FamilyKey& root) const;
  /// When it is due; nullopt: not at all.
  Async<std::optional<WallTime>> DueOf(const ports::FamilyKey& key);
  /// Has the members that hints have named come again with their root, which could not be read and
  /// alone is in the due queue: it may name none of them. False: not now.
  boost::asio::awaitable<bool> KeepMembers(const ParsedHint& hint,
                                           const std::vector<Uuid>& members);
  /// The family was read but for a member.
  boost::asio::awaitable<Ending> MemberFailed(const ReceivedHint& received,
                                              const ReadResult& result);
  boost::asio::awaitable<Ending> NotFound(const ParsedHint& hint, const ReadResult& result,
                                          SlowSet& slow);
  boost::asio::awaitable<Ending> Unreadable(const ReceivedHint& received, const ReadResult& result,
                                            SlowSet& slow);
  /// A replica lags: again after as long as it has done so.
  boost::asio::awaitable<Ending> Older(const ParsedHint& hint, const ReadResult& result);
  /// An unpaid orphan: nothing is kept of it but when to look again.
  boost::asio::awaitable<Ending> Orphan(const ParsedHint& hint, const ReadResult& result);
  /// Something about this order alone: after 1, 5 and 30 s, then ever more rarely.
  boost::asio::awaitable<Ending> Failed(const ReceivedHint& received, const ReadResult& result,
                                        SlowSet& slow);
  /// It has failed for long, and nothing more would be due of it if it had not.
  bool FailsForGood(const ParsedHint& hint, const ReadResult& result, const SlowSet& slow) const;
  /// Ends what fails for good, with a dead letter.
  boost::asio::awaitable<Ending> GiveUpUnread(const ReceivedHint& received,
                                              const ReadResult& result, SlowSet& slow);
  /// The dead letter of an order that cannot be read, if it has none. False: not now.
  boost::asio::awaitable<bool> KeepLetter(const ReceivedHint& received, SlowSet& slow);
  /// Has the store keep when it was noticed: the poller's hint will say when it was due, and
  /// nothing of this one. False: not now.
  boost::asio::awaitable<bool> KeepNotice(const ParsedHint& hint, const ReadResult& result);
  /// Sets when the order is due, unless another has set it to earlier during the read.
  boost::asio::awaitable<Ending> ReadLater(const ParsedHint& hint, const ReadResult& result,
                                           ports::Millis delay);
  /// Takes an order that is not there out of the due queue: one that nothing is known of at once,
  /// one of ours when nobody has found it for long.
  boost::asio::awaitable<Ending> GiveUp(const ParsedHint& hint, const ReadResult& result,
                                        std::string_view cause);
  /// Takes it out of the due queue, unless another has set its time during the read.
  boost::asio::awaitable<Ending> TakeOut(const ParsedHint& hint, const ReadResult& result);
  /// `pressed`: it is not waited for a topic that is down.
  boost::asio::awaitable<Verdict> WriteDeadLetter(const ports::DeadLetter& letter,
                                                  bool pressed = false);
  void Forget(const ports::FamilyKey& key);
  void Drop(const ParsedHint& hint, std::string_view cause);
  void DropGone(const ParsedHint& hint, WallTime since);
  void LogFailures(const ReceivedHint& received, const ReadResult& result, int attempt) const;
  ports::Context MakeContext(const ports::HintRecord& record) const;
  ports::Context MakeContext() const;

  Ports ports_;
  Settings settings_;
  /// Apart, so that made-up orders take no place from those that we know.
  SlowSet slow_known_;
  SlowSet slow_unknown_;
  telemetry::Sampler passed_over_;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_HINT_HANDLER_H_
