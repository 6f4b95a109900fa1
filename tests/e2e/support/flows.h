#ifndef TOLLBRIDGE_TESTS_E2E_SUPPORT_FLOWS_H_
#define TOLLBRIDGE_TESTS_E2E_SUPPORT_FLOWS_H_

#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/e2e/support/payments.h"
#include "tests/support/grpc_client.h"
#include "tests/support/stack.h"
#include "tests/support/topic.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::test {

// Test cards of the sandbox (docs/guides/sandbox.md).
inline constexpr std::string_view kChallengePan = "4000000000003220";
inline constexpr std::string_view kChallengeFailsPan = "4000000000003337";
inline constexpr std::string_view kSlowPan = "4000000000003774";
inline constexpr std::string_view kLostAnswerPan = "4000000000003923";

/// A card that does not pay, and how an order stands that was tried with it (StateOf).
struct BadCard {
  std::string_view pan;
  std::string_view state;
};
/// Every class of decline, and the issuer that fails.
inline constexpr std::array<BadCard, 5> kBadCards = {{{kDeclinedPan, "ERROR DECLINED 05"},
                                                      {"4000000000000515", "ERROR DECLINED 51"},
                                                      {"4000000000000549", "ERROR DECLINED 54"},
                                                      {"4000000000000598", "ERROR DECLINED 59"},
                                                      {"4000000000003915", "ERROR ERROR 91"}}};

/// The order's status, its last transaction's, and the issuer's answer, as far as they are there:
/// "COMPLETED COMPLETED 00", "NEW".
std::string StateOf(const common::v1::Order& order);

/// How a call was refused: code, reason, and the error type of the payment service or else the
/// fields that are at fault. "OK" when it was not.
std::string RefusalOf(const RpcReply& reply);

/// What refusals there are by the state of the order, by the request, and by its fields.
inline constexpr const char* kStarted =
    "FAILED_PRECONDITION UPSTREAM_REFUSED TransactionAlreadyStarted";
inline constexpr const char* kInvalid = "INVALID_ARGUMENT UPSTREAM_REFUSED ValidationError";

/// Flows of docs/interface.md through the whole product, with TLS wherever two processes speak. One
/// stack for a suite. The sandbox's clock is moved, so tests leave nothing behind that would still
/// move money; whatever a test moves is all that Moved() shows.
class FlowTest : public testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;

  static Stack& stack() { return *stack_; }

  /// Calls the method that the request is named for; under a key of its own where it has none.
  template <typename Request>
  static RpcReply Send(Request request) {
    if constexpr (requires { request.set_idempotency_key(""); }) {
      if (request.idempotency_key().empty()) request.set_idempotency_key(NextKey());
    }
    return SendAsIs(request);
  }

  /// The same; throws when it has no result.
  template <typename Response, typename Request>
  static Response Must(Request request) {
    const RpcReply reply = Send(std::move(request));
    if (!reply.status.ok()) {
      throw std::runtime_error(RefusalOf(reply) + ": " + reply.status.message);
    }
    Response response = reply.As<Response>();
    if constexpr (requires { response.has_pending(); }) {
      if (response.has_pending()) throw std::runtime_error(response.pending().what_to_do());
    }
    return response;
  }

  /// An order with one transaction of this method; empty: the customer picks.
  static payments::v1::CreateOrderRequest NewOrder(const std::string& method,
                                                   std::int64_t amount = 1250);
  static common::v1::Order Create(const payments::v1::CreateOrderRequest& request);
  static common::v1::Order Read(const std::string& order_id);

  static vault::v1::StoreCardRequest CardFor(const common::v1::Order& order, std::string_view pan);
  /// Stores a card with the order's setup token; gives the vault token.
  static std::string Store(const common::v1::Order& order, std::string_view pan = kApprovedPan);

  /// A request about the order's one transaction.
  template <typename Request>
  static Request About(const common::v1::Order& order, const std::string& vault_token = "") {
    Request request;
    request.set_order_id(order.id());
    request.set_transaction_id(order.transactions(0).id());
    if constexpr (requires { request.set_vault_token(""); }) request.set_vault_token(vault_token);
    return request;
  }
  /// Own checkout: stores the card and pays with it.
  static payments::v1::AuthenticateTransactionResponse PayWith(const common::v1::Order& order,
                                                               std::string_view pan);

  /// Moves the sandbox's clock, by an ISO 8601 duration.
  static void LetPass(std::string_view duration);
  /// What a bank or the merchant's portal does to an order: "chargeback", "refund", ...
  static void DoAtTheService(const std::string& order_id, const std::string& outcome);

  /// The effects on money since the test began, oldest first: "charge 1250 EUR".
  std::vector<std::string> Moved() const;
  /// The one outcome that the events tell of the order, now and at the end of the suite, is
  /// `outcome`, as "payment.completed"; the first event of a root is of the creation.
  static void ExpectEvents(const std::string& order_id, std::string_view outcome);
  /// The same for several outcomes, in order.
  static void ExpectEventsInTurn(const std::string& order_id,
                                 const std::vector<std::string>& outcomes);

 private:
  static std::string NextKey();
  static RpcReply SendAsIs(const google::protobuf::Message& request);

  static inline std::unique_ptr<Stack> stack_;
  static inline std::unique_ptr<Topic> events_;
  /// What ExpectEvents has found, by order: looked at again when the suite ends.
  static inline std::map<std::string, std::vector<std::string>> told_;
  std::size_t effects_before_ = 0;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_SUPPORT_FLOWS_H_
