#ifndef TOLLBRIDGE_SERVICES_DOMAIN_PROJECT_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_PROJECT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/live_text.h"
#include "base/core/uuid.h"
#include "services/domain/called_hosts.h"

namespace tollbridge::domain {

/// What may go out in a day of refunds, or of payouts.
struct MoneyLimit {
  /// Of which currency; "*" is all together, and then without an amount.
  std::string currency;
  /// In the smallest unit of the currency; 0: none.
  std::int64_t amount{};
  /// How many; 0: none.
  std::int64_t count{};
  /// Each caller has as much for itself, and not all of them together.
  bool each_caller{};

  bool operator==(const MoneyLimit&) const = default;
};

/// What needs a second person (docs/design/operations.md#rule-19).
struct ApprovalLimit {
  /// Of which currency; "*" is each that has no limit of its own.
  std::string currency;
  /// In the smallest unit of the currency: more than this has to be confirmed.
  std::int64_t above{};

  bool operator==(const ApprovalLimit&) const = default;
};

/// A merchant's project at the payment service: what a caller names in `project`.
struct Project {
  std::string name;
  /// project_id of the interface; the namespace of operation ids.
  Uuid id;
  /// A test project (selects the wallet B service's test path; events carry `test`).
  bool test{};
  /// Set as webhook_url on every order when not empty; asked for at each, since the ingress token
  /// in its path rotates. CREDENTIAL.
  LiveText webhook_url;
  /// Whether a caller may set webhook_url itself.
  bool allow_caller_webhook_url{};
  std::vector<MoneyLimit> refund_limits;
  std::vector<MoneyLimit> payout_limits;
  std::vector<ApprovalLimit> payout_approvals;
  /// What a wallet A session may have the payment service call.
  CalledHosts wallet_a_hosts;
};

/// The configured projects. Immutable, shared by all shards.
class Projects {
 public:
  explicit Projects(std::vector<Project> projects) : projects_(std::move(projects)) {}

  /// The project of that name; with an empty name the only one configured. nullptr when there is
  /// none, or the name is empty and there are several.
  const Project* Find(std::string_view name) const;
  const Project* FindById(const Uuid& id) const;
  const std::vector<Project>& all() const { return projects_; }

 private:
  std::vector<Project> projects_;
};

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_PROJECT_H_
