#include "sandbox/pages/same_origin.h"

#include <optional>
#include <string_view>

namespace tollbridge::sandbox {
namespace {

/// `host:port` of an address; "" for `null` and what is not http or https.
std::string_view AuthorityOf(std::string_view address) {
  for (const std::string_view scheme :
       {std::string_view("http://"), std::string_view("https://")}) {
    if (http::EqualsIgnoreCase(address.substr(0, scheme.size()), scheme)) {
      address.remove_prefix(scheme.size());
      return address.substr(0, address.find_first_of("/?#"));
    }
  }
  return "";
}

}  // namespace

bool IsFromOwnPage(const http::Headers& headers) {
  if (const std::optional<std::string_view> site = headers.Find("Sec-Fetch-Site")) {
    return *site == "same-origin";
  }
  std::optional<std::string_view> from = headers.Find("Origin");
  if (!from) from = headers.Find("Referer");
  if (!from) return true;
  const std::string_view authority = AuthorityOf(*from);
  const std::optional<std::string_view> host = headers.Find("Host");
  return !authority.empty() && host && http::EqualsIgnoreCase(authority, *host);
}

}  // namespace tollbridge::sandbox
