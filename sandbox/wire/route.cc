#include "sandbox/wire/route.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tollbridge::sandbox {
namespace {

constexpr std::string_view kAny = "{}";

std::vector<std::string> Split(std::string_view pattern) {
  std::vector<std::string> out;
  while (!pattern.empty()) {
    pattern.remove_prefix(1);  // '/'
    const std::size_t end = std::min(pattern.find('/'), pattern.size());
    if (end > 0) out.emplace_back(pattern.substr(0, end));
    pattern.remove_prefix(end);
  }
  return out;
}

bool Fits(const std::vector<std::string>& pattern, const std::vector<std::string>& segments) {
  if (pattern.size() != segments.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == kAny ? segments[i].empty() : pattern[i] != segments[i]) return false;
  }
  return true;
}

/// Whether a pattern is more to the point than another that fits as well.
bool IsCloser(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return b[i] == kAny;
  }
  return false;
}

}  // namespace

Router::Router(std::vector<Route> routes) : routes_(std::move(routes)) {
  patterns_.reserve(routes_.size());
  for (const Route& route : routes_) patterns_.push_back(Split(route.pattern));
}

Match Router::Find(std::string_view method, const std::vector<std::string>& segments) const {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  const std::vector<std::string>* closest = nullptr;
  for (const std::vector<std::string>& pattern : patterns_) {
    if (Fits(pattern, segments) && (closest == nullptr || IsCloser(pattern, *closest))) {
      closest = &pattern;
    }
  }
  Match match;
  if (closest == nullptr) return match;
  for (std::size_t i = 0; i < routes_.size() && match.route == nullptr; ++i) {
    if (routes_[i].method == wanted && patterns_[i] == *closest) match.route = &routes_[i];
  }
  if (match.route == nullptr) match.allowed = AllowedAt(*closest);
  for (std::size_t i = 0; i < closest->size(); ++i) {
    if ((*closest)[i] == kAny) match.parameters.emplace_back(segments[i]);
  }
  return match;
}

std::string Router::AllowedAt(const std::vector<std::string>& pattern) const {
  std::string allowed;
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (patterns_[i] != pattern) continue;
    allowed += (allowed.empty() ? "" : ", ") + std::string(routes_[i].method);
    if (routes_[i].method == "GET") allowed += ", HEAD";
  }
  return allowed;
}

}  // namespace tollbridge::sandbox
