#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_OPTIONS_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_OPTIONS_H_

namespace tollbridge::payments {

/// What of the configuration the plans depend on.
struct PaymentOptions {
  /// Endpoints that the interface does not show (docs/interface.md#optional-endpoints). When one is
  /// off, its method answers UNIMPLEMENTED, reason EXTENSION_DISABLED.
  bool create_refund = false;
  bool partial_capture = false;
  bool partial_void = false;
  bool create_payment_link = false;
  bool list_currencies = false;
  /// Append the operation's mark to the description of refunds, partial captures and partial voids,
  /// by which they are found again when an answer is lost.
  bool mark_descriptions = true;
};

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_OPTIONS_H_
