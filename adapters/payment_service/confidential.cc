#include "adapters/payment_service/confidential.h"

#include <algorithm>
#include <cstddef>

#include "services/domain/sensitivity.h"
#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::payment_service {
namespace {

/// Longer than what a URL and a text about it share by chance, shorter than any cryptogram.
constexpr std::size_t kPiece = 24;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool HoldsWhole(std::string_view text, std::string_view value) {
  const bool number = std::ranges::all_of(value, IsDigit);
  for (std::size_t at = text.find(value); at != std::string_view::npos;
       at = text.find(value, at + 1)) {
    const std::size_t end = at + value.size();
    const bool within_a_number =
        (at > 0 && IsDigit(text[at - 1])) || (end < text.size() && IsDigit(text[end]));
    if (!number || !within_a_number) return true;
  }
  return false;
}

bool HoldsPiece(std::string_view text, std::string_view value) {
  for (std::size_t at = 0; at + kPiece <= text.size(); ++at) {
    if (value.find(text.substr(at, kPiece)) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

void AddConfidential(const google::protobuf::Message& request, std::vector<std::string>* values) {
  domain::AddSensitiveTexts(request, options::v1::SENSITIVITY_CARD_DATA, values);
  domain::AddSensitiveTexts(request, options::v1::SENSITIVITY_CREDENTIAL, values);
}

bool Repeats(std::string_view text, std::span<const std::string> values) {
  return std::ranges::any_of(values, [text](const std::string& value) {
    if (value.empty()) return false;
    return value.size() <= kPiece ? HoldsWhole(text, value) : HoldsPiece(text, value);
  });
}

}  // namespace tollbridge::payment_service
