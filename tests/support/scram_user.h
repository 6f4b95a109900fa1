#ifndef TOLLBRIDGE_TESTS_SUPPORT_SCRAM_USER_H_
#define TOLLBRIDGE_TESTS_SUPPORT_SCRAM_USER_H_

#include <optional>
#include <string>

namespace tollbridge::test {

/// Gives a user of Kafka this password for SCRAM-SHA-256, or takes the user away. Throws
/// std::runtime_error when the brokers do not do so.
void SetScramUser(const std::string& brokers, const std::string& user,
                  const std::optional<std::string>& password);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_SCRAM_USER_H_
