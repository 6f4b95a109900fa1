#include "services/sandbox/ledger.h"

#include <boost/json/object.hpp>

namespace tollbridge::sandbox {

boost::json::array Ledger::ToJson() const {
  boost::json::array out;
  std::int64_t number = 0;
  for (const LedgerEntry& entry : entries_) {
    boost::json::object row;
    row["number"] = ++number;
    row["effect"] = entry.effect;
    row["at"] = FormatTime(entry.at);
    row["project_id"] = entry.project_id.ToString();
    row["order_id"] = entry.order_id.ToString();
    row["transaction_id"] = entry.transaction_id.ToString();
    row["amount"] = entry.amount;
    row["currency"] = entry.currency;
    row["caused_by"] = entry.caused_by;
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace tollbridge::sandbox
