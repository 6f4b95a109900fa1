#ifndef TOLLBRIDGE_TESTS_UNIT_COVERAGE_PUBLISHED_H_
#define TOLLBRIDGE_TESTS_UNIT_COVERAGE_PUBLISHED_H_

#include <set>
#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>

#include "tests/unit/coverage/table.h"

/// What the gateway publishes of docs/interface.md, by descriptor: the RPCs of Payments, Vault,
/// Payouts and Search with the fields of their requests and responses.
namespace tollbridge::coverage {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::MethodDescriptor;

/// A path of the table, and the fields that it leads through.
struct Path {
  /// With `{}` replaced; empty when there is no such field.
  std::string text;
  std::vector<const FieldDescriptor*> fields;
};

/// All RPCs of the four services, as they are declared.
std::vector<const MethodDescriptor*> PublishedMethods();

/// All fields of our own messages in the requests and responses of those RPCs, at any depth.
std::set<const FieldDescriptor*> PublishedFields();

/// The RPC of "Payments/GetOrder"; nullptr when it is not published.
const MethodDescriptor* FindMethod(const std::string& rpc);

/// "Payments/GetOrder" of the RPC.
std::string NameOf(const MethodDescriptor& method);

/// The fields along `path` from `type`. `{}` stands for the field whose name in the payment
/// service's JSON is `name`.
Path FindPath(const Descriptor& type, const std::string& path, const std::string& name);

/// The field "payments.v1.WalletASessionOrder.{}", in any message of ours.
Path FindMessageField(const std::string& full_name, const std::string& name);

/// Each RPC whose response holds the message directly or in a field of it, as "Payments/GetOrder
/// `order`".
std::vector<std::string> RpcsThatAnswer(const std::string& message);

}  // namespace tollbridge::coverage

#endif  // TOLLBRIDGE_TESTS_UNIT_COVERAGE_PUBLISHED_H_
