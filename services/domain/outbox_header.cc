#include "services/domain/outbox_header.h"

#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::domain {

std::string_view HeaderOf(const storage::v1::OutboxEntry& entry, std::string_view name) {
  for (const storage::v1::Header& header : entry.headers()) {
    if (header.name() == name) return header.value();
  }
  return {};
}

}  // namespace tollbridge::domain
