#ifndef TOLLBRIDGE_TESTS_E2E_SUPPORT_PAYMENTS_H_
#define TOLLBRIDGE_TESTS_E2E_SUPPORT_PAYMENTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/grpc_client.h"
#include "tests/support/stack.h"
#include "tests/support/topic.h"
#include "tollbridge/events/v1/events.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::test {

inline constexpr std::string_view kCreateOrder = "tollbridge.payments.v1.Payments.CreateOrder";
inline constexpr std::string_view kGetOrder = "tollbridge.payments.v1.Payments.GetOrder";
inline constexpr std::string_view kPaymentCreated = "tollbridge.payment.created.v1";
inline constexpr std::string_view kPaymentCompleted = "tollbridge.payment.completed.v1";

/// The least that an order needs.
payments::v1::CreateOrderRequest OrderRequest(const std::string& key, std::int64_t amount = 1250);

RpcReply CreateOrder(Stack& stack, const payments::v1::CreateOrderRequest& request,
                     const RpcOptions& options = {});

/// The order of an answer that must be one; throws otherwise.
common::v1::Order OrderOf(const RpcReply& reply);

RpcReply GetOrder(Stack& stack, const std::string& order_id);

/// The customer of an account funding: all that it asks for.
common::v1::Customer FundingCustomer();

// The customer's part, as a browser plays it on the sandbox's pages. All give the address that the
// customer is sent to, and throw when the page does not send them anywhere.

/// Submits a form, `a=b&c=d`.
std::string SubmitForm(const Stack& stack, const std::string& page, const std::string& form);
/// Submits the card's form of a transaction's page.
std::string PayOnCardPage(const Stack& stack, const std::string& page,
                          std::string_view pan = kApprovedPan);
/// Picks the card on the order's page, then pays with it.
std::string PayOnHostedPage(const Stack& stack, const common::v1::Order& order,
                            std::string_view pan = kApprovedPan);

/// Of an order that there is not.
inline constexpr std::string_view kNobodysOrder = "99999999-9999-4999-8999-999999999999";

/// The events about an order among the records: all, or those of one type.
std::vector<TopicRecord> EventsOf(const std::vector<TopicRecord>& records,
                                  std::string_view order_id, std::string_view type = {});

/// Reads on until an event of this type and order is there. Whether it came.
bool AwaitEvent(Topic& events, std::string_view order_id, std::string_view type);

enum class Health { kUnknown, kServing, kNotServing };

/// What grpc.health.v1 says of a name.
Health HealthOf(GrpcClient& client, const std::string& name);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_SUPPORT_PAYMENTS_H_
