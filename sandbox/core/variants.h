#ifndef TOLLBRIDGE_SANDBOX_CORE_VARIANTS_H_
#define TOLLBRIDGE_SANDBOX_CORE_VARIANTS_H_

#include <span>
#include <string_view>

namespace tollbridge::sandbox {

/// What other services with this kind of interface do, and the interface does not show. Each is off
/// unless it is asked for, so that a person can try a client of such a service
/// (docs/guides/sandbox.md#clients-of-other-services).
struct Variants {
  bool decline_ends_order = false;
  bool unknown_fields = false;
  bool currencies_per_method = false;
  bool refund_authorizations = false;
  bool update_orders = false;
  bool pending_refunds = false;
  bool capture_at_expiry = false;
  bool empty_captures = false;
  bool errors_without_type = false;
  bool transaction_webhooks = false;
};

/// One of them, as a person asks for it.
struct Variant {
  /// `--NAME` on the command line, "NAME" in the configuration's `variants`.
  std::string_view name;
  std::string_view purpose;
  bool Variants::* on;
};

std::span<const Variant> AllVariants();

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_VARIANTS_H_
