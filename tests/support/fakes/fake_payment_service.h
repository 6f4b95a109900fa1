#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_PAYMENT_SERVICE_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_PAYMENT_SERVICE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "services/ports/clock.h"
#include "services/ports/payment_service.h"
#include "tests/support/fakes/unasked_payment_service.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/payment_link.pb.h"
#include "tollbridge/common/v1/search.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::test {

/// A payment service in memory, which does what a test tells it. Without instructions it creates
/// orders, runs, captures, voids and refunds them, makes payment links, stores cards, refuses what
/// was done before, and shows what is there. Used on one shard.
class FakePaymentService : public UnaskedPaymentService {
 public:
  enum class Function {
    kCreateOrder,
    kInitiate,
    kAuthenticate,
    kCapture,
    kVoid,
    kRefund,
    kExecuteWalletB,
    kCreatePaymentLink,
    kStoreCard,
    kExchange,
    kCreateWalletASession,
    kGetOrder,
    kListRefunds,
    kSearchOrders,
    kGetPaymentLink,
    kListCurrencies,
  };
  using Answer = ports::Answer;
  using Order = common::v1::Order;

  /// A CreateOrder call as it arrived.
  struct Created {
    std::string project;
    payments::v1::CreateOrderRequest request;
    ports::Context context;
    ports::SendGuard guard;
  };
  /// Any call as it arrived, CreateOrder included.
  struct Call {
    Function function;
    std::string project;
    /// The order it is about; empty for CreateOrder and SearchOrders.
    std::string order_id;
    /// A copy of the request, or of the OrderSearch; nullptr for the other reads.
    std::shared_ptr<const google::protobuf::Message> request;
    ports::Context context;
    /// Of a mutation.
    ports::SendGuard guard;
  };
  /// What a mutation did, whether anybody was told or not.
  struct Effect {
    Function function;
    /// The order that was acted on, or made.
    std::string order_id;
    /// The capture, void or refund order.
    std::string made_order_id;
    std::int64_t amount = 0;
  };

  /// What the next calls of a mutation answer, in order. kAnswered: the order in `result` is what
  /// is there from now on, and an effect. Anything else: no effect.
  void AnswerNext(Answer answer) { AnswerNext(Function::kCreateOrder, std::move(answer)); }
  void AnswerNext(Function function, Answer answer);
  /// The next call has its effect, and no answer: the fate is kUnknown.
  void LoseNextAnswer(Function function);
  /// The next call has neither.
  void IgnoreNext(Function function) { AnswerNext(function, NoAnswer("connection reset")); }
  /// The answers of the name: proven not sent; refused with an error object; no definite answer.
  static Answer NotSent(std::string cause);
  static Answer Refused(int http_status, std::string type);
  static Answer NoAnswer(std::string cause);
  static Answer Answered(const Order& order);

  /// The order that a request makes, with the next id and status new.
  Order MakeOrder(const payments::v1::CreateOrderRequest& request);
  void PutOrder(const Order& order) { orders_[order.id()] = order; }
  /// The order as it is; nullptr when there is none. Hiding does not count here.
  Order* FindOrder(std::string_view order_id);
  /// Orders made from now on carry this clock's time in `created`. Outlives this.
  void UseClock(const ports::Clock* clock) { clock_ = clock; }

  /// From now on CreateOrder waits, after it has taken the request, until Release.
  void Hold() { held_ = true; }
  void Release();

  static constexpr std::size_t kForGood = std::numeric_limits<std::size_t>::max();
  /// What all reads answer from now on; OK: what is there.
  void FailReads(absl::Status status) { read_error_ = std::move(status); }
  /// What the next `times` reads of the function answer.
  void FailNextReads(Function function, absl::Status status, std::size_t times = 1);
  /// The order is unknown to that many reads of it (GetOrder, ListRefunds, and as somebody's
  /// refund); or missing in that many searches that would have shown it.
  void HideFromReads(std::string_view order_id, std::size_t times = kForGood);
  void HideFromSearch(std::string_view order_id, std::size_t times = kForGood);
  void Show(std::string_view order_id);

  const std::vector<Created>& created() const { return created_; }
  const std::vector<Call>& calls() const { return calls_; }
  std::size_t CallsOf(Function function) const;
  const std::vector<Effect>& effects() const { return effects_; }
  std::size_t EffectsOf(Function function) const;
  std::size_t orders() const { return orders_.size(); }

  boost::asio::awaitable<Answer> CreateOrder(const domain::Project& project,
                                             const payments::v1::CreateOrderRequest& request,
                                             const ports::Context& context,
                                             const ports::SendGuard& guard) override;
  boost::asio::awaitable<Answer> InitiateTransaction(
      const domain::Project& project, const payments::v1::InitiateTransactionRequest& request,
      const ports::Context& context, const ports::SendGuard& guard) override;
  boost::asio::awaitable<Answer> AuthenticateTransaction(
      const domain::Project& project, const payments::v1::AuthenticateTransactionRequest& request,
      const ports::Context& context, const ports::SendGuard& guard) override;
  boost::asio::awaitable<Answer> CaptureTransaction(
      const domain::Project& project, const payments::v1::CaptureTransactionRequest& request,
      const ports::Context& context, const ports::SendGuard& guard) override;
  boost::asio::awaitable<Answer> VoidTransaction(
      const domain::Project& project, const payments::v1::VoidTransactionRequest& request,
      const ports::Context& context, const ports::SendGuard& guard) override;
  boost::asio::awaitable<Answer> CreateRefund(const domain::Project& project,
                                              const payments::v1::CreateRefundRequest& request,
                                              const ports::Context& context,
                                              const ports::SendGuard& guard) override;
  boost::asio::awaitable<Answer> ExecuteWalletBPayment(
      const domain::Project& project, const payments::v1::ExecuteWalletBPaymentRequest& request,
      const ports::Context& context, const ports::SendGuard& guard) override;
  boost::asio::awaitable<Answer> CreatePaymentLink(
      const domain::Project& project, const payments::v1::CreatePaymentLinkRequest& request,
      const ports::Context& context, const ports::SendGuard& guard) override;
  /// Stores the card under a token of its own; a setup_token is for one card.
  boost::asio::awaitable<Answer> StoreCard(const domain::Project& project,
                                           const vault::v1::StoreCardRequest& request,
                                           const ports::Context& context,
                                           const ports::SendGuard& guard) override;
  boost::asio::awaitable<Answer> ExchangeWalletBToken(
      const domain::Project& project, const vault::v1::ExchangeWalletBTokenRequest& request,
      const ports::Context& context, const ports::SendGuard& guard) override;
  Async<payments::v1::CreateWalletASessionResponse> CreateWalletASession(
      const domain::Project& project, const payments::v1::WalletASessionOrder& request,
      const ports::Context& context) override;
  Async<common::v1::PaymentLink> GetPaymentLink(const domain::Project& project,
                                                std::string_view payment_link_id,
                                                const ports::Context& context) override;
  Async<payments::v1::CurrencyList> ListCurrencies(const domain::Project& project,
                                                   const ports::Context& context) override;
  Async<Order> GetOrder(const domain::Project& project, std::string_view order_id,
                        const ports::Context& context) override;
  Async<common::v1::RefundList> ListRefunds(const domain::Project& project,
                                            std::string_view order_id,
                                            const ports::Context& context) override;
  Async<common::v1::OrderSearchResult> SearchOrders(const domain::Project& project,
                                                    const common::v1::OrderSearch& search,
                                                    const ports::Context& context) override;

 private:
  /// The next call's instruction: an answer without an effect, or an effect whose answer is lost.
  struct Instruction {
    Answer answer;
    bool lose_answer = false;
  };
  struct Failure {
    absl::Status status;
    std::size_t times = 0;
  };
  using Hidden = std::map<std::string, std::size_t, std::less<>>;

  /// Takes the instruction of this call, if there is one; else, or when only the answer is lost,
  /// does what `act` does.
  template <typename Act>
  Answer Obey(Function function, const Act& act);
  template <typename Request>
  void Note(Function function, const domain::Project& project, const Request& request,
            std::string_view order_id, const ports::Context& context,
            const ports::SendGuard& guard);
  /// Starts a payment: the transaction leaves `new`.
  Answer Start(Function function, const std::string& order_id, const std::string& transaction_id);
  /// Captures or voids: 0 = the whole.
  Answer FollowUp(Function function, const std::string& order_id, const std::string& transaction_id,
                  std::int64_t amount, const std::string& description);
  Answer Refund(const payments::v1::CreateRefundRequest& request);
  /// The new order that a capture, void or refund makes of `original`.
  Order MakeRelated(const Order& original, std::int64_t amount, const std::string& description);
  Order NewOrder();
  common::v1::Transaction* FindTransaction(Order* order, std::string_view transaction_id);

  absl::Status ReadFailure(Function function);
  /// Whether the order is there for this look; counts it.
  static bool Hide(Hidden& hidden, std::string_view order_id);
  absl::StatusOr<Order> Read(std::string_view order_id);

  std::map<Function, std::deque<Instruction>> instructions_;
  std::vector<Created> created_;
  std::vector<Call> calls_;
  std::vector<Effect> effects_;
  std::map<std::string, Order, std::less<>> orders_;
  std::map<std::string, common::v1::PaymentLink, std::less<>> links_;
  std::set<std::string> spent_setup_tokens_;
  std::map<Function, Failure> failures_;
  Hidden hidden_from_reads_;
  Hidden hidden_from_search_;
  absl::Status read_error_;
  const ports::Clock* clock_ = nullptr;
  bool held_ = false;
  std::vector<std::shared_ptr<boost::asio::steady_timer>> waiting_;
  std::size_t made_ = 0;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_PAYMENT_SERVICE_H_
