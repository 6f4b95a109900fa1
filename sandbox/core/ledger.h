#ifndef TOLLBRIDGE_SANDBOX_CORE_LEDGER_H_
#define TOLLBRIDGE_SANDBOX_CORE_LEDGER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/clock.h"
#include "sandbox/core/model.h"

namespace tollbridge::sandbox {

/// What an effect goes back to: a request, counted from 1 in order of arrival. Carried along to
/// what comes later because of it.
struct Cause {
  std::string operation;  ///< the name of its route: `capture`, `hosted_page`, `admin_pay`
  std::uint64_t request = 0;
};

/// An effect on money.
enum class Effect {
  kCharge,
  kAuthorize,
  kCapture,
  kVoid,
  kRefund,
  kPayout,
  kChargeback,
  kReversal
};

std::string_view Text(Effect effect);

struct LedgerEntry {
  Effect effect = Effect::kCharge;
  Time at;
  Uuid project_id;
  /// The order on which the effect was asked for: of a capture, the pre-authorization.
  Uuid order_id;
  Uuid transaction_id;
  /// The order that shows the effect: of a capture, the capture order. Else order_id again.
  Uuid result_order_id;
  std::int64_t amount = 0;
  std::string currency;
  Cause cause;
};

/// Every effect on money, in order, never changed: the oracle for "exactly one effect". An amount
/// of 0 (card verification) moves no money and is no effect.
class Ledger {
 public:
  void Append(LedgerEntry entry) { entries_.push_back(std::move(entry)); }
  const std::vector<LedgerEntry>& entries() const { return entries_; }
  void Clear() { entries_.clear(); }

 private:
  std::vector<LedgerEntry> entries_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_LEDGER_H_
