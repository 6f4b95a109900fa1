#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_VAULT_VAULT_FIXTURE_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_VAULT_VAULT_FIXTURE_H_

#include <memory>
#include <string>
#include <utility>

#include "services/vault/methods.h"
#include "tests/support/plans_of.h"
#include "tests/unit/services/orders/orders_fixture.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::vault {

using orders::NewId;
using orders::Shop;

inline const std::string kPan = "4111111111111111";
inline const std::string kWalletMessage = R"({"protocolVersion":"test","signedMessage":"..."})";

inline v1::StoreCardRequest CardRequestOf(const std::string& key) {
  v1::StoreCardRequest request;
  request.set_idempotency_key(key);
  request.set_pan(kPan);
  request.set_expiry("122030");
  request.set_setup_token(NewId(1));
  request.set_name("A Cardholder");
  return request;
}

inline v1::ExchangeWalletBTokenRequest ExchangeRequestOf(const std::string& key) {
  v1::ExchangeWalletBTokenRequest request;
  request.set_idempotency_key(key);
  request.set_wallet_pay_message(kWalletMessage);
  request.set_setup_token(NewId(1));
  request.set_transaction_id(orders::Upper(orders::kTransactionId));
  return request;
}

/// Notes what arrives, as it is at that moment.
class VaultFake : public test::UnaskedPaymentService {
 public:
  boost::asio::awaitable<ports::Answer> StoreCard(const domain::Project&,
                                                  const v1::StoreCardRequest& request,
                                                  const ports::Context&,
                                                  const ports::SendGuard& guard) override {
    stored = request;
    seen_stored = &request;
    write_before = guard.write_before;
    co_return answer;
  }
  boost::asio::awaitable<ports::Answer> ExchangeWalletBToken(
      const domain::Project&, const v1::ExchangeWalletBTokenRequest& request, const ports::Context&,
      const ports::SendGuard& guard) override {
    exchanged = request;
    seen_exchanged = &request;
    write_before = guard.write_before;
    co_return answer;
  }

  ports::Answer answer;
  v1::StoreCardRequest stored;
  v1::ExchangeWalletBTokenRequest exchanged;
  /// The plan's own copy.
  const v1::StoreCardRequest* seen_stored = nullptr;
  const v1::ExchangeWalletBTokenRequest* seen_exchanged = nullptr;
  BootTime write_before;
};

/// The registrations of the service, on a fake.
class VaultTest : public ::testing::Test {
 protected:
  const operations::PlanRegistration& Registration(const std::string& method) const {
    return *plans_.Find("tollbridge.vault.v1.Vault/" + method);
  }

  void Send(const operations::Plan& plan) {
    operations::StepContext step;
    step.guard.write_before = BootTime{std::chrono::seconds(7)};
    answer_ = test::Await(context_, plan.steps.at(0).send(service_, step));
  }

  boost::asio::io_context context_;
  VaultFake service_;
  domain::Project project_ = Shop();
  operations::PlanTable plans_ = *operations::PlanTable::Of(test::PlansOf(VaultMethods()));
  ports::Answer answer_;
};

}  // namespace tollbridge::vault

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_VAULT_VAULT_FIXTURE_H_
