#include "services/rpc/caller.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <absl/strings/ascii.h>

namespace tollbridge::rpc {
namespace {

constexpr std::size_t kLongestName = 512;

bool Usable(std::string_view name) {
  const auto graphic = [](char c) { return c > ' ' && c < 0x7f; };
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, graphic) &&
         name != kLocalCaller && name != kAnonymousCaller;
}

}  // namespace

Caller LocalCaller() { return {.identity = std::string(kLocalCaller), .names = {}, .local = true}; }

Caller CertifiedCaller(const std::vector<std::string>& uris,
                       const std::vector<std::string>& dns_names) {
  Caller caller;
  for (const std::string& uri : uris) {
    if (Usable(uri) && uri.find(':') != std::string::npos) caller.names.push_back(uri);
  }
  for (const std::string& dns_name : dns_names) {
    std::string name = absl::AsciiStrToLower(dns_name);
    if (Usable(name) && name.find(':') == std::string::npos) {
      caller.names.push_back(std::move(name));
    }
  }
  caller.authenticated = !caller.names.empty();
  caller.identity = caller.authenticated ? caller.names.front() : std::string(kAnonymousCaller);
  return caller;
}

}  // namespace tollbridge::rpc
