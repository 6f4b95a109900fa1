#ifndef TOLLBRIDGE_SERVICES_DOMAIN_OUTBOX_HEADER_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_OUTBOX_HEADER_H_

#include <string_view>

namespace tollbridge::storage::v1 {
class OutboxEntry;
}  // namespace tollbridge::storage::v1

namespace tollbridge::domain {

/// The first header of that name; empty for none. Of the entry: valid as long as it.
std::string_view HeaderOf(const storage::v1::OutboxEntry& entry, std::string_view name);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_OUTBOX_HEADER_H_
