#ifndef TOLLBRIDGE_TESTS_SUPPORT_PRODUCE_H_
#define TOLLBRIDGE_TESTS_SUPPORT_PRODUCE_H_

#include <map>
#include <string>
#include <vector>

#include "tests/support/topic.h"

namespace tollbridge::test {

/// Writes records with their keys, values and headers, in this order, and waits until the broker
/// has them all. Throws std::runtime_error when it does not take one.
void ProduceAll(const std::string& brokers, const std::string& topic,
                const std::vector<TopicRecord>& records);

/// Makes a topic of one partition with these settings, and waits until it is there. Throws
/// std::runtime_error when the broker does not make it.
void CreateTopicOf(const std::string& brokers, const std::string& topic,
                   const std::map<std::string, std::string>& settings);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_PRODUCE_H_
