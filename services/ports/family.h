#ifndef TOLLBRIDGE_SERVICES_PORTS_FAMILY_H_
#define TOLLBRIDGE_SERVICES_PORTS_FAMILY_H_

#include <string>

#include "base/core/uuid.h"

namespace tollbridge::ports {

/// A root order and all orders made from it: the unit of reading, numbering and event keys
/// (docs/design/events.md#family).
struct FamilyKey {
  std::string project;  ///< name of the project
  Uuid root;            ///< id of the root order

  auto operator<=>(const FamilyKey&) const = default;
};

/// What an operation leaves with its order for the reader: written when the operation closes.
struct OrderEntry {
  FamilyKey key;
  /// It is as the caller sent it, and empty when there was none. The service may not return it
  /// (docs/interface.md#7-capture_mode-delayed).
  std::string capture_mode;
  /// The creating call's traceparent: travels as origin_traceparent.
  std::string traceparent;
  /// Set by initiate, authenticate and wallet execute: then the transaction decides
  /// (docs/design/events.md#which-event).
  bool own_checkout = false;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_FAMILY_H_
