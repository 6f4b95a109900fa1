#ifndef TOLLBRIDGE_TESTS_E2E_SUPPORT_MUTATIONS_H_
#define TOLLBRIDGE_TESTS_E2E_SUPPORT_MUTATIONS_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/grpc_client.h"
#include "tests/support/process.h"
#include "tests/support/stack.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::test {

/// The mutations of durable operations.
enum class Kind {
  kCreate,
  kInitiate,
  kAuthenticate,
  kCapture,
  kVoid,
  kRefund,
  kPayoutByCard,
  kPayoutByToken,
  kExecuteWalletB,
  kStoreCard,
  kExchangeWalletB,
  kCreatePaymentLink,
};
/// Those of one step, whose effect is found again at the payment service.
inline constexpr std::array<Kind, 7> kKinds = {
    Kind::kCreate, Kind::kInitiate, Kind::kAuthenticate,  Kind::kCapture,
    Kind::kVoid,   Kind::kRefund,   Kind::kExecuteWalletB};
/// What they do cannot be read back, and moves no money.
inline constexpr std::array<Kind, 3> kUnreadableKinds = {Kind::kStoreCard, Kind::kExchangeWalletB,
                                                         Kind::kCreatePaymentLink};
/// Those of several steps.
inline constexpr std::array<Kind, 2> kPayoutKinds = {Kind::kPayoutByCard, Kind::kPayoutByToken};

/// "CreateOrder"
std::string RpcOf(Kind kind);
/// As fault plans of the sandbox call it: "create_order"; of a payout, that of its last step
std::string RouteOf(Kind kind);
void PrintTo(Kind kind, std::ostream* out);

/// A mutation that is ready to be called, any number of times: its order is as it must be.
struct Mutation {
  Kind kind = Kind::kCreate;
  std::string key;
  std::string order;
  std::string transaction;
  std::string request;  ///< bytes
};

/// Settings of a stack in which what is lost is known to be lost after about 2 s: send window,
/// attempt deadline and late execution bound together.
StackSettings ShortIntervals();
/// The sandbox of such a stack: an order is completed when it is paid.
std::vector<std::string> ImmediateSandbox();

/// Makes the order that the mutation needs, through the stack's gateway; throws when something goes
/// wrong. The key is `name` and the kind.
Mutation Prepare(Stack& stack, Kind kind, const std::string& name);
/// The same once more under another key.
Mutation WithKey(const Mutation& mutation, const std::string& key);

/// What a call was answered.
struct Told {
  RpcStatus status;
  std::string bytes;
  /// It has a result.
  bool result = false;
  /// The order of the result, where that is one.
  std::optional<common::v1::Order> order;
  operations::v1::Knowledge knowledge = operations::v1::KNOWLEDGE_UNSPECIFIED;
  std::optional<operations::v1::PendingOperation> pending;

  /// It has a result, was refused, or wants a person: calling again brings no more.
  bool definite() const;
  bool retry_is_safe() const;
  /// For the message of a failed expectation.
  std::string text() const;
};

Told CallOnce(GrpcClient& client, const Mutation& mutation,
              std::chrono::milliseconds deadline = std::chrono::seconds(10));
/// Calls again and again until the answer is definite; the last answer at the limit.
Told CallUntilDefinite(GrpcClient& client, const Mutation& mutation,
                       std::chrono::milliseconds limit = kPatientLimit);

/// All that the payment service has done by now, read once: for the effects of many mutations.
class SandboxEffects {
 public:
  explicit SandboxEffects(const Stack& stack);

  /// What was done for this key: effects of its kind on its order, or orders that carry its mark.
  /// None of kUnreadableKinds: the ledger has effects on money.
  std::size_t Of(const Mutation& mutation) const;
  /// Whether the payment has been accepted and is not in the ledger yet: it is completed a second
  /// later.
  bool IsAccepted(const Mutation& mutation) const;

 private:
  /// The orders on which the mutation has its effect, or which are its effect.
  std::vector<std::string> OrdersOf(const Mutation& mutation) const;

  /// By the id of the operation whose mark they carry.
  std::map<std::string, std::vector<std::string>> marked_;
  std::set<std::string> accepted_;
  /// By order.
  std::map<std::string, std::vector<std::string>> effects_;
};

/// The same of one mutation, when what was accepted has been completed.
std::size_t Effects(const Stack& stack, const Mutation& mutation);

/// Id of the operation that the key names.
std::string OperationIdOf(const Mutation& mutation);
/// The operation as the gateway shows it; nullopt when it does not.
std::optional<operations::v1::Operation> ReadOperation(GrpcClient& client,
                                                       const Mutation& mutation);

/// A fault plan for one operation: the first call of it meets the fault, which is JSON.
std::string FirstCallMeets(Kind kind, const std::string& fault);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_SUPPORT_MUTATIONS_H_
