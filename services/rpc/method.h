#ifndef TOLLBRIDGE_SERVICES_RPC_METHOD_H_
#define TOLLBRIDGE_SERVICES_RPC_METHOD_H_

#include <chrono>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <absl/status/statusor.h>

#include "tollbridge/options/v1/options.pb.h"

namespace google::protobuf {
class Descriptor;
class MethodDescriptor;
class ServiceDescriptor;
}  // namespace google::protobuf

namespace tollbridge::rpc {

/// What the pipe has to know of a method, read once from the method option `policy` in the .proto.
struct MethodInfo {
  const google::protobuf::MethodDescriptor* descriptor = nullptr;
  std::string full_name;  ///< `tollbridge.payments.v1.Payments.CreateOrder`
  std::string path;       ///< `/tollbridge.payments.v1.Payments/CreateOrder`
  std::string service;    ///< `tollbridge.payments.v1.Payments`
  std::string name;       ///< `CreateOrder`
  options::v1::Effect effect = options::v1::EFFECT_UNSPECIFIED;
  std::string permission;
  /// Used when the caller sets no deadline.
  std::chrono::milliseconds default_deadline{0};
  /// Neither request nor response is ever logged or kept.
  bool carries_card_data = false;
  bool server_streaming = false;
};

/// Reads the policy of one method. FAILED_PRECONDITION when it has none, or one that does not fit
/// the method: no effect, permission or deadline; a caller's stream; a mutation that streams or
/// whose request has no idempotency_key.
absl::StatusOr<MethodInfo> DescribeMethod(const google::protobuf::MethodDescriptor& descriptor);

/// The method that takes this request, among the services of the file that declares it; nullptr
/// when none does, or several do.
const google::protobuf::MethodDescriptor* MethodOf(const google::protobuf::Descriptor& request);

/// The methods that the process publishes. Immutable, shared by all shards; MethodInfo addresses
/// stay valid as long as the table, also when it is moved.
class MethodTable {
 public:
  /// All methods of the services of these full names, which must be compiled in (generated
  /// descriptor pool). Fails if one service is not there or one method is refused by
  /// DescribeMethod.
  static absl::StatusOr<MethodTable> Of(const std::vector<std::string_view>& services);

  /// By full name with dots; nullptr when it is not published.
  const MethodInfo* Find(std::string_view full_name) const;
  const std::vector<MethodInfo>& all() const { return methods_; }
  const std::vector<const google::protobuf::ServiceDescriptor*>& services() const {
    return services_;
  }

 private:
  MethodTable() = default;

  std::vector<const google::protobuf::ServiceDescriptor*> services_;
  std::vector<MethodInfo> methods_;
  std::unordered_map<std::string_view, const MethodInfo*> by_name_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_METHOD_H_
