#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_OPERATION_TEXT_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_OPERATION_TEXT_H_

#include <string>
#include <string_view>

namespace google::protobuf {
class Timestamp;
}  // namespace google::protobuf

namespace tollbridge::operations::v1 {
class ListOperationsResponse;
class Operation;
}  // namespace tollbridge::operations::v1

/// Operations as people read them on a terminal. Text from records is shown without control
/// characters.
namespace tollbridge::gateway {

/// The name of an enum value without its prefix; "-" for none.
std::string EnumText(const std::string& name, std::string_view prefix);

/// `tollbridge.payments.v1.Payments/CreateOrder` without its package.
std::string RpcText(const std::string& rpc);

std::string TimeText(const google::protobuf::Timestamp& time);

/// One line an operation under a heading; what to say when there are none.
std::string OperationTable(const operations::v1::ListOperationsResponse& list);

/// The whole story: what it is, its steps, each transition with its time, owner and evidence, and
/// what to do next.
std::string OperationStory(const operations::v1::Operation& operation);

/// What an operator should do about it, in words, with the commands.
std::string WhatToDo(const operations::v1::Operation& operation);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_OPERATION_TEXT_H_
