#include "services/domain/called_hosts.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/url/parse.hpp>
#include <boost/url/scheme.hpp>
#include <boost/url/url_view.hpp>
#include <cstddef>
#include <utility>

#include "base/core/status_macros.h"
#include "services/domain/formats.h"

namespace tollbridge::domain {
namespace {

namespace urls = boost::urls;

constexpr std::uint16_t kHttpsPort = 443;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Whether resolvers take it for an IPv4 address: 127.0.0.1, 127.1, 0x7f000001 and the like.
bool ReadsAsAddress(std::string_view host) {
  const std::string_view last = host.substr(host.rfind('.') + 1);
  return last.starts_with("0x") || std::all_of(last.begin(), last.end(), IsDigit);
}

/// A name as it stands on the Internet.
bool IsFullName(std::string_view host) {
  return IsHostName(host) && host.find('.') != std::string_view::npos && !ReadsAsAddress(host);
}

/// The port, 443 where none is named; 0: no number of one.
std::uint16_t PortOf(const urls::url_view& uri) {
  if (uri.port().empty()) return kHttpsPort;
  return uri.port_number();
}

/// In lower case, IPv6 in brackets, as written otherwise.
std::string HostOf(const urls::url_view& uri) {
  std::string host(uri.encoded_host());
  absl::AsciiStrToLower(&host);
  return host;
}

}  // namespace

absl::StatusOr<CalledHosts::Entry> CalledHosts::ParseEntry(std::string_view text) {
  const absl::Status wrong = absl::InvalidArgumentError(
      "must be a host as pay.example, *.pay.example or an address, with :PORT where that is not "
      "443");
  const bool below = text.starts_with("*.");
  if (below) text.remove_prefix(2);
  const std::string whole = "https://" + std::string(text);
  const auto uri = urls::parse_uri(whole);
  if (!uri.has_value() || uri->has_userinfo() || !uri->encoded_resource().empty() ||
      uri->has_fragment() || PortOf(*uri) == 0) {
    return wrong;
  }
  const std::string host = HostOf(*uri);
  const bool name = IsHostName(host) && !ReadsAsAddress(host);
  const bool address =
      uri->host_type() == urls::host_type::ipv4 || uri->host_type() == urls::host_type::ipv6;
  if (below ? !IsFullName(host) : !name && !address) return wrong;
  return Entry{.host = below ? "." + host : host, .below = below, .port = PortOf(*uri)};
}

absl::StatusOr<CalledHosts> CalledHosts::Parse(const std::vector<std::string>& entries) {
  CalledHosts hosts;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    absl::StatusOr<Entry> entry = ParseEntry(entries[i]);
    if (!entry.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("[", i, "]: ", entry.status().message()));
    }
    hosts.entries_.push_back(*std::move(entry));
  }
  return hosts;
}

bool CalledHosts::Allow(const std::string& host, std::uint16_t port) const {
  if (entries_.empty()) return IsFullName(host) && port == kHttpsPort;
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    if (entry.port != port) return false;
    // What is below a name is a name too.
    return entry.below ? IsHostName(host) && host.ends_with(entry.host) : host == entry.host;
  });
}

UrlProblem CalledHosts::Check(std::string_view url) const {
  const auto uri = urls::parse_uri({url.data(), url.size()});
  if (!uri.has_value() || uri->scheme_id() != urls::scheme::https) return UrlProblem::kNotHttps;
  if (uri->has_userinfo()) return UrlProblem::kUserInfo;
  return Allow(HostOf(*uri), PortOf(*uri)) ? UrlProblem::kNone : UrlProblem::kHost;
}

}  // namespace tollbridge::domain
