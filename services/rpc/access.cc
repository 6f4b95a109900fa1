#include "services/rpc/access.h"

#include <algorithm>

#include <absl/strings/ascii.h>

namespace tollbridge::rpc {
namespace {

constexpr std::string_view kAll = "*";
constexpr std::int64_t CallerLimits::* kAllLimits[] = {
    &CallerLimits::calls_per_second, &CallerLimits::burst, &CallerLimits::max_in_flight,
    &CallerLimits::max_watchers};

bool IsUri(std::string_view identity) { return identity.find(':') != std::string_view::npos; }

bool CoversName(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  pattern.remove_suffix(1);
  return name.size() > pattern.size() && name.starts_with(pattern);
}

bool CoversCaller(std::string_view pattern, const Caller& caller) {
  return IsIdentityPattern(pattern) && std::ranges::any_of(caller.names, [&](const auto& name) {
           return CoversName(pattern, name);
         });
}

bool CoverPermission(const std::vector<std::string>& patterns, std::string_view permission) {
  return std::ranges::any_of(
      patterns, [&](const auto& pattern) { return CoversPermission(pattern, permission); });
}

bool CoverProject(const std::vector<std::string>& projects, std::string_view project) {
  return std::ranges::any_of(projects, [&](const auto& name) {
    return name == kAll || (!project.empty() && name == project);
  });
}

}  // namespace

bool IsIdentityPattern(std::string_view text) {
  if (text.empty() || text == kLocalCaller || text == kAnonymousCaller) return false;
  const std::size_t star = text.find('*');
  if (star == std::string_view::npos) return true;
  if (star != text.size() - 1) return false;
  const std::string_view before = text.substr(0, star);
  return before.size() > 1 && before.ends_with('/') && !before.ends_with("//");
}

bool CoversPermission(std::string_view pattern, std::string_view permission) {
  if (pattern == kAll) return true;
  if (!pattern.ends_with(".*")) return pattern == permission;
  return permission.starts_with(pattern.substr(0, pattern.size() - 1));
}

AccessRules::AccessRules(AccessSettings settings) : settings_(std::move(settings)) {
  set_callers(std::move(settings_.callers));
}

void AccessRules::set_callers(std::vector<CallerGrant> callers) {
  ++generation_;
  settings_.callers = std::move(callers);
  for (CallerGrant& grant : settings_.callers) {
    if (!IsUri(grant.identity)) absl::AsciiStrToLower(&grant.identity);
  }
}

bool AccessRules::Knows(const Caller& caller) const {
  if (caller.authenticated) return true;
  return !settings_.certificate_required && !settings_.without_certificate.empty();
}

bool AccessRules::Allows(const Caller& caller, std::string_view permission,
                         std::string_view project) const {
  if (!Knows(caller)) return false;
  if (!caller.authenticated) return CoverPermission(settings_.without_certificate, permission);
  return std::ranges::any_of(settings_.callers, [&](const CallerGrant& grant) {
    return CoversCaller(grant.identity, caller) && CoverProject(grant.projects, project) &&
           CoverPermission(grant.permissions, permission);
  });
}

CallerLimits AccessRules::LimitsOf(const Caller& caller, const CallerLimits& standard) const {
  CallerLimits most;
  if (caller.authenticated) {
    for (const CallerGrant& grant : settings_.callers) {
      if (!CoversCaller(grant.identity, caller)) continue;
      for (const auto limit : kAllLimits) {
        most.*limit = std::max(most.*limit, grant.limits.*limit);
      }
    }
  }
  // A burst goes with its rate.
  if (most.calls_per_second == 0 && most.burst == 0) most.burst = standard.burst;
  for (const auto limit : {&CallerLimits::calls_per_second, &CallerLimits::max_in_flight,
                           &CallerLimits::max_watchers}) {
    if (most.*limit == 0) most.*limit = standard.*limit;
  }
  return most;
}

}  // namespace tollbridge::rpc
