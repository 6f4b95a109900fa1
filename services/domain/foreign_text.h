#ifndef TOLLBRIDGE_SERVICES_DOMAIN_FOREIGN_TEXT_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_FOREIGN_TEXT_H_

#include <google/protobuf/message.h>

namespace tollbridge::domain {

/// Masks card numbers in every text of the message that people or other systems worded: reasons,
/// descriptions, names, what is known of the customer, the free data of merchants, and statuses
/// kept as they came. Identifiers are left alone, because one in ten long numbers would pass for a
/// card number; of numbers of telephones only what reads as a whole card number is masked, of the
/// addresses that customers go back to only what reads as one.
void MaskForeignText(google::protobuf::Message& message);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_FOREIGN_TEXT_H_
