// What each event says of its order beside what happened, and whether the money moved.

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "tests/chaos/events_auditor/audit_index.h"

namespace tollbridge::pipeline {
namespace {

/// Above this an event leaves its order out. What the payment service writes is longer than the
/// event's own form of it.
constexpr std::int64_t kLargestOrder = 512 * 1024;

/// What a completed order of a kind has done at the payment service.
const std::map<std::string, std::string, std::less<>>& Effects() {
  static const std::map<std::string, std::string, std::less<>> effects = {
      {"payment", "charge"}, {"account_funding", "charge"}, {"authorization", "authorize"},
      {"payout", "payout"},  {"capture", "capture"},        {"void", "void"},
      {"refund", "refund"},  {"chargeback", "chargeback"},  {"reversal", "reversal"}};
  return effects;
}

class ContentsCheck {
 public:
  ContentsCheck(const EventLine& event, const OrderView& order, Report* report)
      : event_(event), order_(order), line_(*order.line), report_(report) {}

  void Run() {
    CheckAmount();
    CheckReferences();
    CheckFlags();
    if (event_.what == "completed") CheckMoney();
  }

 private:
  void Add(const char* rule, const std::string& text) {
    report_->findings.push_back(
        {rule, event_.order, event_.kind + "." + event_.what + " " + event_.id + ": " + text});
  }

  void CheckAmount() {
    if (event_.amount != line_.amount || event_.currency != line_.currency) {
      Add(rule::kWrongAmount, std::to_string(event_.amount) + " " + event_.currency + "; it is " +
                                  std::to_string(line_.amount) + " " + line_.currency);
    }
    if (event_.has_order != 0 && event_.shown_amount != line_.amount) {
      Add(rule::kWrongAmount, "the order in it shows " + std::to_string(event_.shown_amount));
    }
  }

  void CheckReferences() {
    if (event_.parent != line_.origin) {
      Add(rule::kWrongReference, "parent '" + event_.parent + "'; it is '" + line_.origin + "'");
    }
    if (event_.merchant_order_id != line_.merchant_order_id) {
      Add(rule::kWrongReference,
          "reference '" + event_.merchant_order_id + "'; it is '" + line_.merchant_order_id + "'");
    }
  }

  void CheckFlags() {
    const auto compare = [this](const char* name, bool flag, const std::string& header,
                                bool wanted) {
      if (flag != wanted || header != (wanted ? "true" : "false")) {
        Add(rule::kWrongFlag, std::string(name) + (flag ? " is set" : " is not set") +
                                  ", its header says '" + header + "'");
      }
    };
    compare("is_outcome", event_.is_outcome != 0, event_.outcome_header, IsOutcome(event_.what));
    compare("test", event_.test != 0, event_.test_header, line_.test != 0);
    if (event_.order_omitted != 0 && line_.bytes < kLargestOrder) {
      Add(rule::kWrongFlag,
          "order_omitted is set; the order has " + std::to_string(line_.bytes) + " bytes");
    }
    if ((event_.order_omitted != 0) == (event_.has_order != 0)) {
      Add(rule::kWrongFlag, event_.has_order != 0 ? "order_omitted is set, and the order is there"
                                                  : "the order is not there");
    }
  }

  /// As the order's kind has it; of several that it may be, as any of them.
  void CheckMoney() {
    if (event_.amount <= 0) return;
    std::set<std::string> effects;
    for (const std::string& kind : order_.Kinds()) effects.insert(Effects().at(kind));
    const bool moved = std::ranges::any_of(order_.money, [&](const MoneyLine* money) {
      return effects.contains(money->effect) && money->amount == event_.amount &&
             money->currency == event_.currency && money->at <= event_.noticed_at;
    });
    if (!moved) {
      Add(rule::kNoMoney, "the ledger has no " + *effects.begin() + " of " +
                              std::to_string(event_.amount) + " " + event_.currency + " by then");
    }
  }

  const EventLine& event_;
  const OrderView& order_;
  const OrderLine& line_;
  Report* report_;
};

}  // namespace

void CheckContents(const AuditIndex& index, Report* report) {
  for (const auto& [id, order] : index.orders) {
    for (const EventLine* event : order.events) ContentsCheck(*event, order, report).Run();
  }
}

}  // namespace tollbridge::pipeline
