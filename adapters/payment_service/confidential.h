#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_CONFIDENTIAL_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_CONFIDENTIAL_H_

#include <google/protobuf/message.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The payment service words its errors freely, and may repeat in them what it was sent. Its texts
/// go to callers, into logs and into stored outcomes: CARD_DATA and credentials must not go along
/// (docs/design/operations.md#rule-17).
namespace tollbridge::payment_service {

/// Appends the values of all fields of the request that are declared CARD_DATA or CREDENTIAL.
void AddConfidential(const google::protobuf::Message& request, std::vector<std::string>* values);

/// Whether a text holds one of the values, or a piece of one that is 24 bytes long. A value of
/// digits alone counts where no further digit stands beside it.
bool Repeats(std::string_view text, std::span<const std::string> values);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_CONFIDENTIAL_H_
