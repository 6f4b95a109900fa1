#ifndef TOLLBRIDGE_SANDBOX_PAGES_CARD_FORM_H_
#define TOLLBRIDGE_SANDBOX_PAGES_CARD_FORM_H_

#include <string>
#include <string_view>

#include "sandbox/core/model.h"
#include "sandbox/pages/form.h"

namespace tollbridge::sandbox {

/// A card as a customer typed it. Lives for one call. The cvc is only looked at.
struct TypedCard {
  std::string pan;     ///< without its blanks
  std::string expiry;  ///< MMYYYY; "" where what was typed is no month
  std::string typed_expiry;
  std::string cvc;
  std::string name;
};

/// What is wrong with each field, for people; "": nothing.
struct CardErrors {
  std::string pan;
  std::string expiry;
  std::string cvc;
  std::string name;
  /// About the payment and no field of it.
  std::string general;

  bool none() const {
    return pan.empty() && expiry.empty() && cvc.empty() && name.empty() && general.empty();
  }
};

TypedCard ReadCard(const Form& form);

/// What can be seen without asking the vault: fields that are empty or have no such form.
CardErrors Look(const TypedCard& card);

/// An error of the vault or the payment, at the field that it names.
CardErrors Sort(const ApiError& error);

/// The form, with a summary of the errors above it. Expiry and name are filled in again, number and
/// cvc never are.
std::string DrawCardForm(const TypedCard& card, const CardErrors& errors, std::string_view button);

/// `****1111`, of a transaction whose card is known.
std::string LastFour(const Transaction& transaction);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_CARD_FORM_H_
