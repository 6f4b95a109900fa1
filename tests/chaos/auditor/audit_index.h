#ifndef TOLLBRIDGE_TESTS_CHAOS_AUDITOR_AUDIT_INDEX_H_
#define TOLLBRIDGE_TESTS_CHAOS_AUDITOR_AUDIT_INDEX_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/chaos/auditor/history.h"

namespace tollbridge::chaos {

/// What the answer to one call says about its operation.
enum class Word {
  kResult,
  kPending,
  kRefused,      ///< the payment service has refused it
  kNotExecuted,  ///< nothing was done, and the key may run again
  kNothing,      ///< this call did nothing; says nothing of the operation
  kSilence,      ///< no answer of the product
};

Word WordOf(const Told& told);

/// Whether the gateway refused the call before it looked at its key, since the deadline was over:
/// then it says of itself that it did nothing, and nothing of other calls with the key.
bool WasNotTakenUp(const Told& told);

/// All that is known of one operation.
struct OperationView {
  std::string id;
  std::string rpc;
  std::string project;
  std::string order;
  std::string transaction;
  /// What of its ids is wrong, as in Told: then nothing can come of it.
  std::string wrong;
  std::vector<const Told*> told;            ///< by time; empty for a review record
  std::vector<const OperationLine*> lines;  ///< as on the topic, without exact repeats
  const OpenLine* open = nullptr;
  std::set<std::string> orphans;            ///< noted in its records
  std::vector<std::string> review_records;  ///< of late effects of it

  /// Its first and last activity.
  TimeMs first = 0;
  TimeMs last = 0;

  /// As it stands in the end; empty when nothing is known.
  std::string FinalState() const;
  /// On the topic at that time; empty before the first record.
  std::string StateAt(TimeMs at) const;
  /// The last word to arrive, other than kNothing and kSilence; kSilence when there is none.
  Word LastWord() const;
  /// Of the calls that were told kNotExecuted the one that began last; one that was not taken up
  /// only where there is no other. nullptr when there is none.
  const Told* LastDenial() const;
  /// Whether other calls, each judged by itself, leave room for the denial: the operation was
  /// closed as not executed when the denied call had begun, and ran again for a call that
  /// overlapped it, or that had no answer. Where `recorded` is false its records are not all there,
  /// and overlapping a call that was told of more is enough.
  bool IsOutdated(const Told& denial, bool recorded) const;
  /// Told in some result; empty when none was.
  std::string Result() const;
  /// Whether the service's answer to the operation itself was this result.
  bool WasAnswered(const std::string& result) const;
  /// For a report: "CreateRefund with key k".
  std::string Name() const;
  /// How often it was closed as not executed only because nobody could tell: the answer was lost,
  /// and what it did cannot be read back (docs/design/operations.md#evidence).
  std::size_t RunsNobodyCanJudge() const;

 private:
  /// Whether it was closed as not executed from that time on, and a run after it began until then.
  bool RanAgain(TimeMs closed_from, TimeMs begun_until) const;
  /// Whether a call that had no answer may have run beside or after the denied one.
  bool RanUnanswered(const Told& silent, const Told& denial) const;
};

/// Whether what operations of this RPC do cannot be read back: then NOT_EXECUTED does not say that
/// nothing was done.
bool IsUnreadable(std::string_view rpc);

/// Where an effect is asked for, and which: all of its operations answer for it.
struct Target {
  std::string order;
  std::string transaction;
  std::string effect;  ///< "charge", which stands for "authorize" too, "capture", "void", "card"

  auto operator<=>(const Target&) const = default;
};

/// The target of an operation that has one: nullopt for creates, payouts and refunds, which are
/// known by their mark, and for links, which are known by their key.
std::optional<Target> TargetOf(const OperationView& view);
Target TargetOf(const Effect& effect);

/// A history by operation, order and effect. Refers to the history.
struct AuditIndex {
  explicit AuditIndex(const History& history);

  std::map<std::string, OperationView> operations;
  std::map<std::string, const KnownOrder*> orders;
  /// Orders by the operation in their mark, oldest first.
  std::map<std::string, std::vector<const KnownOrder*>> marked;
  std::map<Target, std::vector<const Effect*>> effects;
  /// Without those whose ids are wrong.
  std::map<Target, std::vector<const OperationView*>> asked;
  /// Refunds by the operation whose mark their description carries.
  std::map<std::string, std::vector<const Effect*>> refunds;
  /// Payouts by the operation whose mark their order carries, and links by that whose key they
  /// carry. "": nobody's.
  std::map<std::string, std::vector<const Effect*>> payouts;
  std::map<std::string, std::vector<const Effect*>> links;
  std::map<std::string, const Effect*> by_result;
  /// When there was a record on the topic, by project.
  std::map<std::string, std::vector<TimeMs>> recorded;
  const History* history = nullptr;

  /// Whether the store lost writes while the operation was alive.
  bool MemoryLostDuring(const OperationView& view) const;
  /// Whether it did so at any time after the operation began.
  bool MemoryLostSince(const OperationView& view) const;
  /// Whether somebody was told `result`, an order, as the operation's, or that it is pending again
  /// after its last record, and the store lost what it had: then the operation may say otherwise
  /// now.
  bool WasForgotten(const OperationView& view, const std::string& result) const;
  /// Whether anything was done to stores or gateways in that time.
  bool DisturbedBetween(TimeMs from, TimeMs to) const;
  /// Effects of an operation at the payment service: ledger entries, or 1 an order that it created.
  std::size_t EffectsOf(const OperationView& view) const;
  /// The payout that the order shows; nullptr when there is none.
  const Effect* PayoutOf(const std::string& operation, const std::string& order) const;

 private:
  /// How old records of the project may be that memory lost at that time took along: the drainer
  /// takes the oldest first, so that all came to the topic up to the newest that did.
  TimeMs UndrainedFor(const std::string& project, TimeMs at) const;
  void Sort(const Effect& effect, const std::map<std::string, std::string>& by_short_id,
            const std::map<std::string, std::string>& by_project_and_key);
};

/// Whether the disturbance took memory from the store.
bool LosesMemory(const Disturbance& disturbance);
/// The operation id of a mark; empty when it is none.
std::string OperationOfMark(std::string_view mark);
std::int64_t AttemptOfMark(std::string_view mark);

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_AUDITOR_AUDIT_INDEX_H_
