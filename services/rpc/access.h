#ifndef TOLLBRIDGE_SERVICES_RPC_ACCESS_H_
#define TOLLBRIDGE_SERVICES_RPC_ACCESS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/rpc/caller.h"

namespace tollbridge::rpc {

/// What one caller may take of a shard. 0: nothing is said of it.
struct CallerLimits {
  std::int64_t calls_per_second = 0;
  /// Calls that may come at once after a pause; 0: those of a second.
  std::int64_t burst = 0;
  /// Calls under way, those that wait not among them.
  std::int64_t max_in_flight = 0;
  /// Calls that wait.
  std::int64_t max_watchers = 0;

  bool operator==(const CallerLimits&) const = default;
};

/// What callers of one identity may do. Several grants of one identity add up.
struct CallerGrant {
  /// A name of the certificate as it is (`spiffe://shop.example/checkout`,
  /// `checkout.shop.example`), or the beginning of one up to a slash and a star
  /// (`spiffe://shop.example/*`).
  std::string identity;
  /// Names of projects; "*" is all of them.
  std::vector<std::string> projects;
  /// `payments.create`; `payments.*` is all that begin with `payments.`; `*` is all.
  std::vector<std::string> permissions;
  /// Of each caller that the identity covers. Of several grants that say something the most counts.
  CallerLimits limits = {};

  bool operator==(const CallerGrant&) const = default;
};

struct AccessSettings {
  std::vector<CallerGrant> callers;
  /// What callers without a certificate may do, in all projects, in the form of
  /// CallerGrant::permissions. Empty: they are not let in.
  std::vector<std::string> without_certificate;
  /// The listener asks for certificates: nobody is let in without one, whatever stands above.
  bool certificate_required = false;
};

/// Whether a text can be the identity of a CallerGrant: no star, or one at the very end after a
/// slash, with a host before it. `spiffe://shop.example*` would let in
/// `spiffe://shop.example.evil`.
bool IsIdentityPattern(std::string_view text);

/// Whether `pattern`, in the form of CallerGrant::permissions, covers `permission`.
bool CoversPermission(std::string_view pattern, std::string_view permission);

/// Who may do what. Belongs to one shard, unless it is never changed.
class AccessRules {
 public:
  /// An identity that is no pattern lets nobody in; wrong names are for the configuration to find.
  explicit AccessRules(AccessSettings settings);

  /// Puts others in the place of AccessSettings::callers: calls that come from now on are judged by
  /// them.
  void set_callers(std::vector<CallerGrant> callers);
  /// The same with AccessSettings::without_certificate.
  void set_without_certificate(std::vector<std::string> permissions) {
    settings_.without_certificate = std::move(permissions);
  }

  /// Whether the caller is one that permissions can be given to.
  bool Knows(const Caller& caller) const;
  /// Whether the caller has the permission in the project. An empty `project` is none in
  /// particular: for that it needs the permission in all of them.
  bool Allows(const Caller& caller, std::string_view permission, std::string_view project) const;
  /// What the caller's grants say of its limits; `standard` where they say nothing.
  CallerLimits LimitsOf(const Caller& caller, const CallerLimits& standard) const;
  /// Another number, above 0, after each set_callers.
  std::uint64_t generation() const { return generation_; }

 private:
  AccessSettings settings_;
  std::uint64_t generation_ = 0;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_ACCESS_H_
