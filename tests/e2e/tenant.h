#ifndef TOLLBRIDGE_TESTS_E2E_TENANT_H_
#define TOLLBRIDGE_TESTS_E2E_TENANT_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/e2e/support/mutations.h"
#include "tests/support/grpc_client.h"
#include "tests/support/stack.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/operations/v1/operations.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

/// Callers of two projects that share a gateway and a store.
namespace tollbridge::test {

using Request = std::shared_ptr<const google::protobuf::Message>;

/// A call and its answer. Of a stream: all its messages, as bytes.
struct Exchange {
  const google::protobuf::MethodDescriptor* method = nullptr;
  Request request;
  RpcReply reply;
};

/// The method that takes such a request.
const google::protobuf::MethodDescriptor& MethodOf(const google::protobuf::Message& request);
bool IsMutation(const google::protobuf::MethodDescriptor& method);

/// A copy with texts in these fields, where the request has them. Fields are of the request itself.
std::shared_ptr<google::protobuf::Message> With(
    const google::protobuf::Message& request,
    const std::vector<std::pair<std::string, std::string>>& texts);
/// The text of a field of the request itself; empty when there is none.
std::string TextOf(const google::protobuf::Message& request, const std::string& field);

/// Every UUID in the bytes, as text or as a text within a message.
std::set<std::string> IdsIn(std::string_view bytes);

/// How a call ended, without the ids in it: what a caller may learn of an order that it may not
/// see.
std::string EndOf(const RpcReply& reply);

/// The caller of one project. It makes its own orders under keys and references that every other
/// tenant uses too.
class Tenant {
 public:
  /// `stack` has two projects.
  Tenant(Stack& stack, const StackProject& project) : stack_(stack), project_(project) {}
  /// Waits for the calls that it began.
  ~Tenant();
  Tenant(const Tenant&) = delete;
  Tenant& operator=(const Tenant&) = delete;

  std::string project() const { return std::string(project_.name); }
  std::string project_id() const { return std::string(project_.id); }
  Stack& stack() const { return stack_; }

  /// Calls as this project, whatever the request says.
  RpcReply Send(const google::protobuf::Message& request);
  /// The same and does not wait; ends by itself.
  void Start(const google::protobuf::Message& request);
  /// The same as Send; throws when there is no result.
  template <typename Response>
  Response Must(const google::protobuf::Message& request) {
    const RpcReply reply = Send(request);
    if (!reply.status.ok()) {
      throw std::runtime_error(EndOf(reply) + ": " + reply.status.message);
    }
    Response response = reply.As<Response>();
    if constexpr (requires { response.has_pending(); }) {
      if (response.has_pending()) throw std::runtime_error(response.pending().what_to_do());
    }
    return response;
  }

  /// A mutation that is ready to be sent: its order is as it must be. Its key is `name` and the
  /// kind.
  Request Ready(Kind kind, const std::string& name);
  /// Calls every RPC with a good end, and keeps what was sent and answered.
  void CallEveryRpc();
  const std::vector<Exchange>& exchanges() const { return exchanges_; }

  /// The ids that answers have given to it, and those of its operations.
  std::set<std::string> OwnIds() const;

  std::string OperationId(std::string_view key) const;
  std::optional<operations::v1::Operation> ReadOperation(std::string_view key);
  /// One page; throws when it is refused.
  operations::v1::ListOperationsResponse List(
      const operations::v1::ListOperationsRequest& request = {});
  /// Ids of the order's operations, with the state of each.
  std::vector<std::string> OperationsOf(const std::string& order_id);
  /// All that the gateway says of the mutations that were kept: their records, and what their keys
  /// answer.
  std::string Standing();

 private:
  common::v1::Order Order(const std::string& name, const std::string& method, bool manual = false);
  std::string Store(const std::string& name, const common::v1::Order& order);
  /// An order that is paid, or only reserved.
  common::v1::Order Paid(const std::string& name, bool manual);
  Request ReadyOnNew(Kind kind, const std::string& name, const std::string& key);
  Request ReadyOnPaid(Kind kind, const std::string& name, const std::string& key);
  /// Sends it, and keeps both.
  void Keep(const google::protobuf::Message& request);
  template <typename Message>
  void KeepAbout(const std::string& order_id);
  void KeepOperation(const std::string& key);
  void CallAndRead(Kind kind);

  Stack& stack_;
  const StackProject project_;
  std::vector<Exchange> exchanges_;
  std::vector<std::future<void>> begun_;
};

/// A stack with two projects, and the caller of each.
struct TwoTenants {
  explicit TwoTenants(StackOptions options = {});

  Stack stack;
  Tenant demo{stack, kDemoProject};
  Tenant shop{stack, kShopProject};
};

/// Settings of a stack in which what is lost stays UNKNOWN for the whole test.
StackSettings LongQuarantine();

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_TENANT_H_
