#ifndef TOLLBRIDGE_SERVICES_SANDBOX_LEDGER_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_LEDGER_H_

#include <boost/json/array.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "services/sandbox/clock.h"
#include "services/sandbox/model.h"

namespace tollbridge::sandbox {

/// One effect on money. `effect` is "charge" or "authorize".
struct LedgerEntry {
  std::string effect;
  Time at;
  Uuid project_id;
  Uuid order_id;
  Uuid transaction_id;
  std::int64_t amount = 0;
  std::string currency;
  /// What caused it: "hosted_page" or "admin".
  std::string caused_by;
};

/// Every effect on money, in order, never changed: the oracle for "exactly one effect".
class Ledger {
 public:
  void Append(LedgerEntry entry) { entries_.push_back(std::move(entry)); }
  boost::json::array ToJson() const;
  void Clear() { entries_.clear(); }

 private:
  std::vector<LedgerEntry> entries_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_LEDGER_H_
