#ifndef TOLLBRIDGE_TESTS_SUPPORT_PRODUCE_H_
#define TOLLBRIDGE_TESTS_SUPPORT_PRODUCE_H_

#include <string>
#include <vector>

#include "tests/support/topic.h"

namespace tollbridge::test {

/// Writes records with their keys, values and headers, in this order, and waits until the broker
/// has them all. Throws std::runtime_error when it does not take one.
void ProduceAll(const std::string& brokers, const std::string& topic,
                const std::vector<TopicRecord>& records);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_PRODUCE_H_
