#ifndef TOLLBRIDGE_SERVICES_DOMAIN_CALLED_HOSTS_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_CALLED_HOSTS_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tollbridge::domain {

/// What a URL that somebody else is to call has against it.
enum class UrlProblem {
  kNone,
  kNotHttps,
  kUserInfo,
  kHost,  ///< none that is allowed
};

/// Where a URL that a caller gives may lead that somebody else then calls, from inside of a network
/// that the caller has no way into.
///
/// It must be https without user info. Of a list it must be at one of its hosts. Without a list it
/// may be at any host that has a name of several labels, at port 443: no address, and no name of a
/// machine in its own network.
class CalledHosts {
 public:
  /// Any host with such a name.
  CalledHosts() = default;
  /// `entries`: "pay.example"; "*.pay.example", which is everything below it and not itself;
  /// addresses, IPv6 in brackets; each with ":port" where that is another one than 443.
  /// INVALID_ARGUMENT, as "[1]: must be ...", for what is none of these.
  static absl::StatusOr<CalledHosts> Parse(const std::vector<std::string>& entries);

  UrlProblem Check(std::string_view url) const;

 private:
  struct Entry {
    /// In lower case, IPv6 in brackets; of "*.pay.example" ".pay.example".
    std::string host;
    bool below = false;
    std::uint16_t port = 0;
  };
  static absl::StatusOr<Entry> ParseEntry(std::string_view text);
  bool Allow(const std::string& host, std::uint16_t port) const;

  std::vector<Entry> entries_;
};

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_CALLED_HOSTS_H_
