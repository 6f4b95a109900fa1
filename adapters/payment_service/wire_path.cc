#include "adapters/payment_service/wire_path.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

namespace tollbridge::payment_service {
namespace {

// Longer names, and names with many digits, may be data that stands where a name should.
constexpr std::size_t kMaxNameBytes = 48;
constexpr int kMaxNameDigits = 4;

bool LooksLikeName(std::string_view text) {
  if (text.empty() || text.size() > kMaxNameBytes) return false;
  int digits = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (!absl::ascii_isalnum(byte) && c != '_' && c != '-') return false;
    if (absl::ascii_isdigit(byte) && ++digits > kMaxNameDigits) return false;
  }
  return true;
}

}  // namespace

std::string WirePath::Text() const {
  if (parent_ == nullptr) return {};
  std::string text = parent_->Text();
  if (is_element_) {
    absl::StrAppend(&text, "[", index_, "]");
    return text;
  }
  if (!text.empty()) text += '.';
  text += LooksLikeName(name_) ? name_ : kAnyKey;
  return text;
}

}  // namespace tollbridge::payment_service
