#ifndef TOLLBRIDGE_TESTS_SUPPORT_CARD_FORMS_H_
#define TOLLBRIDGE_TESTS_SUPPORT_CARD_FORMS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tollbridge::test {

/// The digits of a card number in groups of those lengths.
inline std::string InGroups(std::string_view digits, const std::vector<std::size_t>& lengths,
                            std::string_view separator) {
  std::string out;
  std::size_t at = 0;
  for (const std::size_t length : lengths) {
    if (at > 0) out += separator;
    out += digits.substr(at, length);
    at += length;
  }
  return out;
}

/// 250 ways to write a card number of 16 digits: what people put between its digits and beside it.
inline std::vector<std::string> CardForms(std::string_view digits) {
  const std::vector<std::size_t> printed = {4, 4, 4, 4};
  std::vector<std::string> numbers;
  for (const std::string_view separator : {" ", "-", ".", "_", "/", "\xC2\xA0", "  ", " - "}) {
    numbers.push_back(InGroups(digits, printed, separator));
    for (const std::vector<std::size_t>& lengths :
         {std::vector<std::size_t>{8, 8}, {6, 10}, {4, 12}, std::vector<std::size_t>(16, 1)}) {
      numbers.push_back(InGroups(digits, lengths, separator));
    }
  }
  for (const std::string_view separator :
       {"    ", "%20", "\xC2\xAD", "\xE3\x80\x80", ",", ", ", ":", ";", "|", "*"}) {
    numbers.push_back(InGroups(digits, printed, separator));
  }
  std::vector<std::string> forms;
  for (const std::string& number : numbers) {
    forms.push_back(number);
    forms.push_back("card " + number + " declined");
    forms.push_back(number + " 123");
    forms.push_back("paid with " + number + " 12/30 456");
    forms.push_back("ref 7 " + number);
  }
  return forms;
}

/// The digits of a text, to look for a number in however it is written.
inline std::string DigitsOf(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9') digits.push_back(c);
  }
  return digits;
}

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_CARD_FORMS_H_
