#ifndef TOLLBRIDGE_TESTS_UNIT_EVENT_CONTRACT_ASYNCAPI_H_
#define TOLLBRIDGE_TESTS_UNIT_EVENT_CONTRACT_ASYNCAPI_H_

#include <boost/json/object.hpp>

#include <google/protobuf/descriptor.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tollbridge::contract {

/// A header of an event's record, and what it holds.
using HeaderTexts = std::vector<std::pair<std::string, std::string>>;

/// What each header of an event's record is, in their order.
const HeaderTexts& EventHeaders();
/// Those of a heartbeat, in the same way.
const HeaderTexts& HeartbeatHeaders();

/// What Tollbridge publishes for others, as AsyncAPI 3 says it: both topics, a message for each
/// type of event, and the values as JSON has them. `commented`: the contract with its comments.
boost::json::object AsyncApi(const google::protobuf::DescriptorPool& commented);

/// The .proto files of both topics with all that they import, those first that others import: what
/// clients need that read protobuf by descriptor.
std::string DescriptorSet();

}  // namespace tollbridge::contract

#endif  // TOLLBRIDGE_TESTS_UNIT_EVENT_CONTRACT_ASYNCAPI_H_
