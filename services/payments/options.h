#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_OPTIONS_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_OPTIONS_H_

#include <chrono>

#include "services/ports/clock.h"

namespace tollbridge::config {
class Section;
}  // namespace tollbridge::config

namespace tollbridge::payments {

/// What of the configuration the methods depend on.
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

struct WatchSettings {
  /// How often the snapshot is looked at without a hint, since hints may be lost.
  ports::Millis interval{std::chrono::seconds(15)};
  /// Of one read at the payment service.
  ports::Millis read_timeout{std::chrono::seconds(10)};
  /// Of one look at the snapshot: a store that hangs holds up no first answer for longer.
  ports::Millis look_timeout{500};
  /// How soon a watch ends after its caller has gone, its deadline has come or the process drains.
  ports::Millis patrol{250};
  /// After a read that was older than the one before (a replica that lags), and how often in a row.
  ports::Millis reread_after{1000};
  int rereads = 5;
};

/// Bind what a configuration may set, with its bounds.
void Describe(config::Section& section, PaymentOptions* options);
void Describe(config::Section& section, WatchSettings* watch);

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_OPTIONS_H_
