#include "gateway/config/listen_address.h"

#include <absl/strings/str_cat.h>

#include <charconv>

namespace tollbridge::gateway {

absl::StatusOr<Address> ParseAddress(const std::string& text, const std::string& setting) {
  const auto wrong = [&setting] {
    return absl::InvalidArgumentError(absl::StrCat(setting, ": must be HOST:PORT"));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return wrong();
  Address address;
  address.host = text.substr(0, colon);
  if (address.host.front() == '[' && address.host.back() == ']') {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  const char* begin = text.data() + colon + 1;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, address.port);
  if (error != std::errc() || rest != end || address.host.empty()) return wrong();
  return address;
}

}  // namespace tollbridge::gateway
