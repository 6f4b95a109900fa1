#include "sandbox/core/ledger.h"

namespace tollbridge::sandbox {

std::string_view Text(Effect effect) {
  switch (effect) {
    case Effect::kCharge:
      return "charge";
    case Effect::kAuthorize:
      return "authorize";
    case Effect::kCapture:
      return "capture";
    case Effect::kVoid:
      return "void";
    case Effect::kRefund:
      return "refund";
    case Effect::kPayout:
      return "payout";
    case Effect::kChargeback:
      return "chargeback";
    case Effect::kReversal:
      return "reversal";
  }
  return "";
}

}  // namespace tollbridge::sandbox
