#include "sandbox/pages/card_form.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/core/text.h"
#include "sandbox/pages/html.h"
#include "sandbox/pages/site.h"

namespace tollbridge::sandbox {
namespace {

/// More of what was typed is not filled in again.
constexpr std::size_t kMaxRefilledBytes = 256;

bool AllDigits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string WithoutBlanks(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) { return c == ' ' || c == '\t'; });
  return out;
}

/// MMYYYY from MM/YY, MM/YYYY, MMYY or MMYYYY; "" from anything else.
std::string MonthAndYear(std::string_view typed) {
  constexpr std::size_t kSlash = 2;
  std::string text = WithoutBlanks(typed);
  if (text.size() > kSlash && text[kSlash] == '/') text.erase(kSlash, 1);
  if (!AllDigits(text)) return "";
  if (text.size() == 4) text.insert(2, "20");
  return text.size() == 6 ? text : "";
}

std::string Summary(const CardErrors& errors) {
  if (errors.none()) return "";
  std::string out = "<div role=\"alert\" id=\"errors\"><p>Nothing was paid.</p><ul>";
  const std::array<std::pair<std::string_view, const std::string*>, 4> fields = {
      {{"pan", &errors.pan},
       {"expiry", &errors.expiry},
       {"cvc", &errors.cvc},
       {"name", &errors.name}}};
  for (const auto& [id, error] : fields) {
    if (!error->empty()) out += "<li>" + Link("#" + std::string(id), *error) + "</li>";
  }
  if (!errors.general.empty()) out += "<li>" + EscapeHtml(errors.general) + "</li>";
  return out + "</ul></div>";
}

}  // namespace

TypedCard ReadCard(const Form& form) {
  return {.pan = WithoutBlanks(form["pan"]),
          .expiry = MonthAndYear(form["expiry"]),
          .typed_expiry = std::string(form["expiry"]),
          .cvc = WithoutBlanks(form["cvc"]),
          .name = std::string(form["name"])};
}

CardErrors Look(const TypedCard& card) {
  CardErrors errors;
  if (card.pan.empty()) errors.pan = "Enter the card number.";
  if (card.expiry.empty()) errors.expiry = "Enter the expiry date as MM/YY.";
  if (!AllDigits(card.cvc) || card.cvc.size() < 3 || card.cvc.size() > 4) {
    errors.cvc = "Enter the security code: 3 or 4 digits.";
  }
  return errors;
}

CardErrors Sort(const ApiError& error) {
  CardErrors errors;
  const std::string_view value = error.value;
  if (value.starts_with("pan ")) {
    errors.pan = Plain(error);
  } else if (value.starts_with("expiry ")) {
    errors.expiry = Plain(error);
  } else if (value.starts_with("name ")) {
    errors.name = Plain(error);
  } else {
    errors.general = Plain(error);
  }
  return errors;
}

std::string DrawCardForm(const TypedCard& card, const CardErrors& errors, std::string_view button) {
  // novalidate: the messages are those of this page, in every browser.
  std::string out = Summary(errors) + "<form method=\"post\" novalidate>";
  out += Draw(TextField{.name = "pan",
                        .label = "Card number",
                        .hint = "A test card: /_sandbox/ lists them. Never a real one.",
                        .autocomplete = "cc-number",
                        .inputmode = "numeric",
                        .required = true,
                        .value = "",
                        .error = errors.pan});
  out += Draw(TextField{.name = "expiry",
                        .label = "Expiry date",
                        .hint = "MM/YY",
                        .autocomplete = "cc-exp",
                        .inputmode = "",
                        .required = true,
                        .value = std::string(Truncated(card.typed_expiry, kMaxRefilledBytes)),
                        .error = errors.expiry});
  out += Draw(TextField{.name = "cvc",
                        .label = "Security code",
                        .hint = "3 or 4 digits",
                        .autocomplete = "cc-csc",
                        .inputmode = "numeric",
                        .required = true,
                        .value = "",
                        .error = errors.cvc});
  out += Draw(TextField{.name = "name",
                        .label = "Name on the card (optional)",
                        .hint = "",
                        .autocomplete = "cc-name",
                        .inputmode = "",
                        .required = false,
                        .value = std::string(Truncated(card.name, kMaxRefilledBytes)),
                        .error = errors.name});
  return out + "<p>" + Button("action", "pay", button) + "</p></form>";
}

std::string LastFour(const Transaction& transaction) {
  constexpr std::size_t kShown = 4;
  const std::string_view pan = transaction.Detail("truncated_pan");
  return "****" + std::string(pan.substr(pan.size() - std::min(pan.size(), kShown)));
}

}  // namespace tollbridge::sandbox
