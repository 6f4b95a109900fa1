#include "sandbox/core/variants.h"

#include <array>

namespace tollbridge::sandbox {
namespace {

constexpr std::array kVariants = std::to_array<Variant>({
    {"decline-ends-order", "A decline ends the order where the customer picks the method too",
     &Variants::decline_ends_order},
    {"unknown-fields", "Fields that the interface does not name are taken and given back",
     &Variants::unknown_fields},
    {"currencies-per-method", "The currencies are listed by payment method",
     &Variants::currencies_per_method},
    {"refund-authorizations", "A captured authorization is refunded by its own id",
     &Variants::refund_authorizations},
    {"update-orders", "PUT changes an order", &Variants::update_orders},
    {"pending-refunds", "Refunds begin pending and complete later", &Variants::pending_refunds},
    {"capture-at-expiry", "capture_mode delayed captures when the expiration_period ends",
     &Variants::capture_at_expiry},
    {"empty-captures", "Captures are answered with 204 and no body", &Variants::empty_captures},
    {"errors-without-type", "The error object has no type", &Variants::errors_without_type},
    {"transaction-webhooks",
     "A transaction_status_changed webhook for each status of a transaction",
     &Variants::transaction_webhooks},
});

}  // namespace

std::span<const Variant> AllVariants() { return kVariants; }

}  // namespace tollbridge::sandbox
