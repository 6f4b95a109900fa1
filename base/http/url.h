#ifndef TOLLBRIDGE_BASE_HTTP_URL_H_
#define TOLLBRIDGE_BASE_HTTP_URL_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tollbridge::http {

/// An absolute http or https URL, taken apart.
struct Url {
  bool tls = false;
  /// Host name or address; an IPv6 address without its brackets.
  std::string host;
  /// Always set: the scheme's default when the URL names none.
  std::uint16_t port = 0;
  /// Path as written (still percent-encoded), without a slash at its end: "" for "http://host/".
  std::string path;
  /// As written, without '?'. Empty when there is none.
  std::string query;

  /// Value of a Host header: the port only where it is not the scheme's default, IPv6 in brackets.
  std::string Authority() const;
  /// "https://host:port", port always present.
  std::string Origin() const;
};

/// INVALID_ARGUMENT for what is not an absolute http(s) URL with a host, and for one with user info
/// (secrets do not belong there) or a fragment.
absl::StatusOr<Url> ParseUrl(std::string_view text);

using QueryParameters = std::vector<std::pair<std::string, std::string>>;

/// The target of a request, decoded.
struct Target {
  /// Segments of the path, each percent-decoded: {"v1", "orders", "a b"} for "/v1/orders/a%20b/".
  std::vector<std::string> segments;
  QueryParameters query;

  /// First value of the parameter.
  std::optional<std::string_view> Query(std::string_view name) const;
};

/// INVALID_ARGUMENT for what is not an origin-form target ("/path?query") or has broken
/// percent-encoding.
absl::StatusOr<Target> ParseTarget(std::string_view target);

/// Reads application/x-www-form-urlencoded ('+' is a space). INVALID_ARGUMENT for broken
/// percent-encoding.
absl::StatusOr<QueryParameters> ParseForm(std::string_view body);

/// Percent-encodes everything but RFC 3986 unreserved characters: fit for a path segment and for a
/// query value.
std::string PercentEncode(std::string_view raw);

}  // namespace tollbridge::http

#endif  // TOLLBRIDGE_BASE_HTTP_URL_H_
