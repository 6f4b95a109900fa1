#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_OPERATION_TEXT_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_OPERATION_TEXT_H_

#include <string>

namespace tollbridge::operations::v1 {
class ListOperationsResponse;
class Operation;
}  // namespace tollbridge::operations::v1

/// Operations as people read them on a terminal. Text from records is shown without control
/// characters.
namespace tollbridge::gateway {

/// One line an operation under a heading; what to say when there are none.
std::string OperationTable(const operations::v1::ListOperationsResponse& list);

/// The whole story: what it is, its steps, each transition with its time, owner and evidence, and
/// what to do next.
std::string OperationStory(const operations::v1::Operation& operation);

/// What an operator should do about it, in words, with the commands.
std::string WhatToDo(const operations::v1::Operation& operation);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_OPERATION_TEXT_H_
