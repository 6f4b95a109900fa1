#include "base/http/url.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/url/decode_view.hpp>
#include <boost/url/encode.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <boost/url/url_view.hpp>

#include "base/net/address.h"

namespace tollbridge::http {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;

std::string HostInUrl(const std::string& host) {
  return host.find(':') == std::string::npos ? host : absl::StrCat("[", host, "]");
}

absl::StatusOr<std::string> Decode(std::string_view text, bool plus_is_space) {
  boost::urls::encoding_opts options;
  options.space_as_plus = plus_is_space;
  const auto view = boost::urls::make_pct_string_view(text);
  if (view.has_error()) return absl::InvalidArgumentError("broken percent-encoding");
  std::string out;
  view->decode(options, boost::urls::string_token::assign_to(out));
  return out;
}

absl::StatusOr<QueryParameters> DecodeParameters(std::string_view text) {
  QueryParameters parameters;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    const std::string_view raw_value =
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    absl::StatusOr<std::string> name = Decode(pair.substr(0, equals), true);
    if (!name.ok()) return name.status();
    absl::StatusOr<std::string> value = Decode(raw_value, true);
    if (!value.ok()) return value.status();
    parameters.emplace_back(*std::move(name), *std::move(value));
  }
  return parameters;
}

}  // namespace

std::string Url::Authority() const {
  const bool default_port = port == (tls ? kHttpsPort : kHttpPort);
  return default_port ? HostInUrl(host) : net::Address{.host = host, .port = port}.Text();
}

std::string Url::Origin() const {
  return (tls ? "https://" : "http://") + net::Address{.host = host, .port = port}.Text();
}

absl::StatusOr<Url> ParseUrl(std::string_view text) {
  const auto parsed = boost::urls::parse_uri(text);
  if (parsed.has_error()) return absl::InvalidArgumentError("not an absolute URL");
  const boost::urls::url_view& view = *parsed;
  Url url;
  if (view.scheme_id() == boost::urls::scheme::https) {
    url.tls = true;
  } else if (view.scheme_id() != boost::urls::scheme::http) {
    return absl::InvalidArgumentError("the scheme is neither http nor https");
  }
  if (view.host().empty()) return absl::InvalidArgumentError("the URL has no host");
  if (view.has_userinfo()) {
    return absl::InvalidArgumentError("user name and password do not belong into a URL");
  }
  if (view.has_fragment()) return absl::InvalidArgumentError("the URL has a fragment");
  url.host = view.host_address();
  url.port = url.tls ? kHttpsPort : kHttpPort;
  if (view.has_port() && !view.port().empty()) {
    if (view.port_number() == 0) return absl::InvalidArgumentError("the port is not in 1 to 65535");
    url.port = view.port_number();
  }
  url.path = view.encoded_path();
  if (url.path.ends_with('/')) url.path.pop_back();
  url.query = view.encoded_query();
  return url;
}

std::optional<std::string_view> Target::Query(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

absl::StatusOr<Target> ParseTarget(std::string_view target) {
  if (!target.starts_with('/')) return absl::InvalidArgumentError("not a path");
  const std::size_t question = target.find('?');
  std::string_view path =
      target.substr(1, question == std::string_view::npos ? question : question - 1);
  Target out;
  while (!path.empty()) {
    const std::string_view raw = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(raw.size() + 1, path.size()));
    absl::StatusOr<std::string> segment = Decode(raw, false);
    if (!segment.ok()) return segment.status();
    out.segments.push_back(*std::move(segment));
  }
  if (question != std::string_view::npos) {
    absl::StatusOr<QueryParameters> query = DecodeParameters(target.substr(question + 1));
    if (!query.ok()) return query.status();
    out.query = *std::move(query);
  }
  return out;
}

absl::StatusOr<QueryParameters> ParseForm(std::string_view body) { return DecodeParameters(body); }

std::string PercentEncode(std::string_view raw) {
  return boost::urls::encode(raw, boost::urls::unreserved_chars);
}

}  // namespace tollbridge::http
