#ifndef TOLLBRIDGE_TESTS_CHAOS_LINES_ARGUMENTS_H_
#define TOLLBRIDGE_TESTS_CHAOS_LINES_ARGUMENTS_H_

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tollbridge::chaos {

/// The value of an option; throws std::runtime_error naming the option when it is no number.
template <typename Number>
Number ReadNumber(std::string_view name, std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [read_to, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc{} || read_to != end) {
    throw std::runtime_error(std::string(name) + ": '" + std::string(text) + "' is no number");
  }
  return number;
}

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_LINES_ARGUMENTS_H_
