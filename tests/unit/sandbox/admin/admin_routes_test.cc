#include "sandbox/admin/admin_routes.h"

#include <absl/strings/str_replace.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/unit/sandbox/admin/admin_test.h"

namespace tollbridge::sandbox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

class AdminRoutesTest : public AdminTest {};

TEST_F(AdminRoutesTest, AreForTheOperatorOnly) {
  for (const Route& route : router_.routes()) {
    EXPECT_EQ(route.access, Access::kOperator) << route.operation;
    EXPECT_TRUE(route.operation.starts_with("admin_")) << route.operation;
    EXPECT_NE(static_cast<bool>(route.handle), static_cast<bool>(route.handle_later))
        << route.operation;
  }
}

TEST_F(AdminRoutesTest, OperationNamesAreUnique) {
  std::vector<std::string_view> names;
  for (const Route& route : router_.routes()) names.push_back(route.operation);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST_F(AdminRoutesTest, LedgerTellsWhatMovedAndWhichRequestDidIt) {
  const Uuid order = AddOrder();
  world_.simulation.cause = {.operation = "hosted_page", .request = 41};
  ASSERT_EQ(Pay(order, R"({"outcome": "approve"})").status, 200);
  const boost::json::array ledger = Array(Get("/_sandbox/ledger"));
  ASSERT_EQ(ledger.size(), 1U);
  const std::string transaction = world_.orders.Find(order)->transactions.front().id.ToString();
  EXPECT_EQ(ledger[0], (boost::json::value{{"effect", "charge"},
                                           {"at", kStart},
                                           {"project_id", demo().id.ToString()},
                                           {"order_id", order.ToString()},
                                           {"transaction_id", transaction},
                                           {"result_order_id", order.ToString()},
                                           {"amount", 1250},
                                           {"currency", "EUR"},
                                           {"operation", "hosted_page"},
                                           {"request", 41}}));
}

TEST_F(AdminRoutesTest, LedgerOfARefundNamesBothOrders) {
  const Uuid order = AddOrder();
  ASSERT_EQ(Pay(order, R"({"outcome": "approve"})").status, 200);
  const boost::json::object refund = Object(Pay(order, R"({"outcome": "refund"})"));
  const boost::json::array ledger = Array(Get("/_sandbox/ledger/"));
  ASSERT_EQ(ledger.size(), 2U);
  EXPECT_EQ(ledger[1].at("effect"), "refund");
  EXPECT_EQ(TextOf(ledger[1].at("order_id")), order.ToString());
  EXPECT_EQ(ledger[1].at("result_order_id"), refund.at("id"));
}

TEST_F(AdminRoutesTest, ChangesAreEveryStatusThatAnyOrderHasTaken) {
  const Uuid order = AddOrder();
  ASSERT_EQ(Pay(order, R"({"outcome": "approve"})").status, 200);
  Advance(Millis{1'000});
  const boost::json::object refund = Object(Pay(order, R"({"outcome": "refund"})"));
  std::vector<std::string> told;
  for (const boost::json::value& change : Array(Get("/_sandbox/changes"))) {
    told.push_back(TextOf(change.at("order_id")) + " " + TextOf(change.at("status")) + " " +
                   TextOf(change.at("at")));
  }
  const std::string paid = order.ToString();
  const std::string refunded(refund.at("id").as_string());
  EXPECT_THAT(told, ElementsAre(paid + " new 2026-11-21T08:00:00.000Z",
                                paid + " processing 2026-11-21T08:00:00.000Z",
                                paid + " completed 2026-11-21T08:00:00.000Z",
                                refunded + " new 2026-11-21T08:00:01.000Z",
                                refunded + " processing 2026-11-21T08:00:01.000Z",
                                refunded + " completed 2026-11-21T08:00:01.000Z"));
  ASSERT_EQ(Post("/_sandbox/reset", "{}").status, 200);
  EXPECT_EQ(Get("/_sandbox/changes").body, "[]");
}

TEST_F(AdminRoutesTest, CardsAreThoseThatSetupTokensStoredWithTheCallThatDidIt) {
  const Uuid order = AddOrder();
  const Uuid transaction = world_.orders.Find(order)->transactions.front().id;
  const Uuid setup_token = world_.vault.IssueSetupToken(demo().id, order, transaction);
  const CardEntry card{.pan = kApprovedPan, .expiry = "122030"};
  world_.vault.Keep(demo().id, card);  // entered on a page
  world_.simulation.cause = {.operation = "store_card", .request = 17};
  const auto stored = world_.vault.Store(demo().id, setup_token, card);
  ASSERT_TRUE(stored.ok());
  world_.simulation.cause = {.operation = "store_card", .request = 18};
  std::ignore = world_.vault.Store(demo().id, setup_token, card);

  const boost::json::array cards = Array(Get("/_sandbox/cards"));
  ASSERT_EQ(cards.size(), 1U);
  EXPECT_EQ(cards[0], (boost::json::value{{"at", kStart},
                                          {"project_id", demo().id.ToString()},
                                          {"order_id", order.ToString()},
                                          {"transaction_id", transaction.ToString()},
                                          {"vault_token", stored->token.ToString()},
                                          {"operation", "store_card"},
                                          {"request", 17}}));
  ASSERT_EQ(Post("/_sandbox/reset", "{}").status, 200);
  EXPECT_EQ(Get("/_sandbox/cards").body, "[]");
}

TEST_F(AdminRoutesTest, PaymentLinksComeOldestFirst) {
  for (const std::string_view name : {"first", "second", "third"}) {
    PaymentLink link;
    link.merchant_order_id = name;
    link.amount = 800;
    link.currency = "EUR";
    ASSERT_TRUE(world_.links.Create(demo(), std::move(link)).ok());
    Advance(Millis{1});
  }
  const boost::json::array links = Array(Get("/_sandbox/payment-links"));
  ASSERT_EQ(links.size(), 3U);
  EXPECT_EQ(links[0].at("merchant_order_id"), "first");
  EXPECT_EQ(links[1].at("merchant_order_id"), "second");
  EXPECT_EQ(links[2].at("merchant_order_id"), "third");
}

TEST_F(AdminRoutesTest, OrdersComeOldestFirst) {
  const Uuid first = AddOrder();
  const Uuid second = AddOrder();
  const boost::json::array orders = Array(Get("/_sandbox/orders"));
  ASSERT_EQ(orders.size(), 2U);
  EXPECT_EQ(TextOf(orders[0].at("id")), first.ToString());
  EXPECT_EQ(TextOf(orders[1].at("id")), second.ToString());
  EXPECT_EQ(orders[0].at("status"), "new");
}

TEST_F(AdminRoutesTest, AnOrderShowsWhateverExtraItWasGiven) {
  const Uuid order = AddOrder();
  const std::string path = "/_sandbox/orders/" + order.ToString() + "/extra";
  ASSERT_EQ(Post(path, R"({"a":["\ud800",NaN]})").status, 200);
  EXPECT_THAT(Get("/_sandbox/orders").body, testing::HasSubstr(R"("extra":{"a":["\ud800",NaN]})"));
  EXPECT_EQ(Post("/_sandbox/orders/" + Uuid::V4({9}).ToString() + "/extra", "{}").status, 404);
}

TEST_F(AdminRoutesTest, OrdersAreLimitedToTheNewest) {
  for (std::size_t i = 0; i < kDefaultOrdersListed + 1; ++i) AddOrder();
  const std::vector<Uuid>& ids = world_.orders.by_creation();
  const boost::json::array by_default = Array(Get("/_sandbox/orders"));
  ASSERT_EQ(by_default.size(), kDefaultOrdersListed);
  EXPECT_EQ(TextOf(by_default.front().at("id")), ids[1].ToString());

  const boost::json::array two = Array(Get("/_sandbox/orders?limit=2"));
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(TextOf(two[0].at("id")), ids[ids.size() - 2].ToString());
  EXPECT_EQ(TextOf(two[1].at("id")), ids.back().ToString());
  EXPECT_EQ(Array(Get("/_sandbox/orders?limit=10000")).size(), ids.size());
}

TEST_F(AdminRoutesTest, PagesByTheLastIdHaveEachOrderOnce) {
  for (int i = 0; i < 5; ++i) AddOrder();
  std::vector<std::string> seen;
  for (std::string after;; after = seen.back()) {
    const boost::json::array page = Array(Get("/_sandbox/orders?limit=2&after=" + after));
    for (const auto& order : page) seen.push_back(TextOf(order.at("id")));
    if (page.empty()) break;
    EXPECT_LE(page.size(), 2U);
    // What comes while somebody pages is on a later page.
    if (seen.size() == 4) AddOrder();
  }
  std::vector<std::string> made;
  for (const Uuid& id : world_.orders.by_creation()) made.push_back(id.ToString());
  EXPECT_EQ(made.size(), 6U);
  EXPECT_EQ(seen, made);
}

TEST_F(AdminRoutesTest, OrdersAfterOneThatIsNotThereAreRefused) {
  const Uuid order = AddOrder();
  for (const std::string after : {"first", "99999999-9999-4999-8999-999999999999"}) {
    ExpectError(Get("/_sandbox/orders?after=" + after), 422, "ValidationError",
                "after must be empty or the id of an order");
  }
  EXPECT_EQ(Get("/_sandbox/orders?after=" + order.ToString()).body, "[]");
}

TEST_F(AdminRoutesTest, OrdersWithABadLimitAreRefused) {
  for (const std::string_view limit :
       {"0", "-1", "10001", "", "ten", "5x", "%35x", "99999999999999999999999"}) {
    ExpectError(Get("/_sandbox/orders?limit=" + std::string(limit)), 422, "ValidationError",
                "limit must be from 1 to 10000");
  }
}

TEST_F(AdminRoutesTest, DeliveriesAreThoseOfTheSender) {
  EXPECT_EQ(Array(Get("/_sandbox/deliveries")), (boost::json::array{{{"attempt", 1}}}));
}

TEST_F(AdminRoutesTest, ClockTellsTheTimeAndThatItStands) {
  EXPECT_EQ(Object(Get("/_sandbox/clock")),
            (boost::json::object{{"now", kStart}, {"stands", true}}));
}

TEST_F(AdminRoutesTest, ClockMovesAheadAndAnswersTheNewTime) {
  EXPECT_EQ(Object(MoveClock(R"({"advance": "PT5M"})")),
            (boost::json::object{{"now", "2026-11-21T08:05:00.000Z"}, {"stands", true}}));
  EXPECT_THAT(advanced_, ElementsAre(std::chrono::minutes(5)));
}

TEST_F(AdminRoutesTest, ClockMovesAtMost400DaysAtOnce) {
  EXPECT_EQ(MoveClock(R"({"advance": "P400D"})").status, 200);
  ExpectError(MoveClock(R"({"advance": "P400DT0.001S"})"), 422, "ValidationError", "advance");
  ExpectError(MoveClock(R"({"advance": "P400DT1S"})"), 422, "ValidationError",
              "advance must be an ISO 8601 duration of at most P400D");
  EXPECT_EQ(advanced_.size(), 1U);
}

TEST_F(AdminRoutesTest, ClockStaysWhereTheDurationIsNone) {
  for (const std::string_view body :
       {R"({"advance": "5 minutes"})", R"({"advance": "-PT5M"})", R"({"advance": "PT"})",
        R"({"advance": 300})", R"({"advance": null})", R"({})", "", R"({"advance": ""})"}) {
    ExpectError(MoveClock(body), 422, "ValidationError", "advance ");
  }
  ExpectError(MoveClock("PT5M"), 400, "ValidationError", "not JSON");
  ExpectError(MoveClock(R"(["PT5M"])"), 422, "ValidationError", "must be an object");
  EXPECT_THAT(advanced_, IsEmpty());
}

TEST_F(AdminRoutesTest, FaultPlanIsPutInForceAndGivenBack) {
  const http::Response set = Post("/_sandbox/faults", R"({"rules": [{"status": 503}]})");
  EXPECT_EQ(set.status, 200);
  EXPECT_EQ(set.body, R"({"rules":[{"status":503}]})");
  EXPECT_EQ(Get("/_sandbox/faults").body, set.body);
  EXPECT_EQ(Post("/_sandbox/faults", "{}").status, 200);
  EXPECT_EQ(Get("/_sandbox/faults").body, "{}");
}

TEST_F(AdminRoutesTest, FaultPlanThatIsRefusedChangesNothing) {
  ASSERT_EQ(Post("/_sandbox/faults", R"({"rules": []})").status, 200);
  ExpectError(Post("/_sandbox/faults", R"({"refused": 1})"), 422, "ValidationError", "refused");
  ExpectError(Post("/_sandbox/faults", "[]"), 422, "ValidationError", "must be an object");
  ExpectError(Post("/_sandbox/faults", "{"), 400, "ValidationError");
  EXPECT_EQ(Get("/_sandbox/faults").body, R"({"rules":[]})");
}

TEST_F(AdminRoutesTest, ResetForgetsTheWorldAndTheRest) {
  ASSERT_EQ(Pay(AddOrder(), R"({"outcome": "approve"})").status, 200);
  const http::Response reset = Post("/_sandbox/reset", "");
  EXPECT_EQ(reset.status, 200);
  EXPECT_EQ(reset.body, "{}");
  EXPECT_TRUE(rest_was_cleared_);
  EXPECT_EQ(Get("/_sandbox/orders").body, "[]");
  EXPECT_EQ(Get("/_sandbox/ledger").body, "[]");
}

TEST_F(AdminRoutesTest, ResetWithABodyThatAsksForMoreIsRefused) {
  AddOrder();
  ExpectError(Post("/_sandbox/reset", R"({"orders": true})"), 422, "ValidationError",
              "orders is not a field");
  EXPECT_EQ(Array(Get("/_sandbox/orders")).size(), 1U);
  EXPECT_FALSE(rest_was_cleared_);
}

TEST_F(AdminRoutesTest, SeedGoesToTheFirstProjectUnlessOneIsNamed) {
  EXPECT_EQ(Post("/_sandbox/seed", R"({"orders": 5})").body, R"({"seeded":5,"orders":0})");
  EXPECT_EQ(Post("/_sandbox/seed", R"({"orders": 0, "project": "shop"})").status, 200);
  EXPECT_THAT(seeded_, ElementsAre(Pair("demo", 5U), Pair("shop", 0U)));
}

TEST_F(AdminRoutesTest, ApiKeysOfAProjectAreReplaced) {
  const auto keys_of_shop = [&] {
    return std::ranges::find(world_.simulation.settings.projects, "shop", &Project::name)->api_keys;
  };
  EXPECT_EQ(Post("/_sandbox/api-keys", R"({"project": "shop", "api_keys": ["a", "b"]})").body,
            R"({"api_keys":2})");
  EXPECT_THAT(keys_of_shop(), ElementsAre("a", "b"));
  ExpectError(Post("/_sandbox/api-keys", R"({"project": "none", "api_keys": []})"), 422,
              "ValidationError", "project names no project");
  ExpectError(Post("/_sandbox/api-keys", R"({"project": "shop"})"), 422, "ValidationError",
              "api_keys is required");
  EXPECT_THAT(keys_of_shop(), ElementsAre("a", "b"));
}

TEST_F(AdminRoutesTest, SeedRefusesWhatItCannotDo) {
  ExpectError(Post("/_sandbox/seed", "{}"), 422, "ValidationError", "orders is required");
  for (const std::string_view orders :
       {"-1", "1.5", "\"5\"", "true", "[]", "1e400", "4294967296", "99999999999999999999999"}) {
    const http::Response answer =
        Post("/_sandbox/seed", R"({"orders": )" + std::string(orders) + "}");
    EXPECT_THAT(answer.status, testing::AnyOf(400, 422)) << orders;
  }
  ExpectError(Post("/_sandbox/seed", R"({"orders": 1, "project": "none"})"), 422, "ValidationError",
              "project names no project");
  ExpectError(Post("/_sandbox/seed", R"({"orders": 1, "project": 7})"), 422, "ValidationError",
              "project must be a string");
  ExpectError(Post("/_sandbox/seed", R"({"orders": 1, "count": 7})"), 422, "ValidationError",
              "count is not a field");
  EXPECT_THAT(seeded_, IsEmpty());
}

class SmallSandboxTest : public AdminTest {
 protected:
  SmallSandboxTest() : AdminTest(Settings{.max_orders = 3}) {}
};

TEST_F(SmallSandboxTest, SeedStaysWithinMaxOrders) {
  AddOrder();
  ExpectError(Post("/_sandbox/seed", R"({"orders": 3})"), 422, "ValidationError",
              "orders must be at most 2");
  EXPECT_EQ(Post("/_sandbox/seed", R"({"orders": 2})").status, 200);
}

TEST_F(AdminRoutesTest, PayApprovesAnOpenOrder) {
  const Uuid order = AddOrder();
  const boost::json::object answer = Object(Pay(order, R"({"outcome": "approve"})"));
  EXPECT_EQ(TextOf(answer.at("id")), order.ToString());
  EXPECT_EQ(answer.at("status"), "completed");
}

TEST_F(AdminRoutesTest, PayDeclinesAnOpenOrder) {
  EXPECT_EQ(Object(Pay(AddOrder(), R"({"outcome": "decline"})")).at("status"), "error");
}

TEST_F(AdminRoutesTest, PayExpiresAnOpenOrder) {
  EXPECT_EQ(Object(Pay(AddOrder(), R"({"outcome": "expire"})")).at("status"), "expired");
}

TEST_F(AdminRoutesTest, PayOfAnOrderThatIsOverIsRefusedWith409) {
  const Uuid order = AddOrder();
  ASSERT_EQ(Pay(order, R"({"outcome": "expire"})").status, 200);
  for (const std::string_view outcome : {"approve", "decline", "expire"}) {
    ExpectError(Pay(order, R"({"outcome": ")" + std::string(outcome) + "\"}"), 409,
                "TransactionAlreadyStarted");
  }
}

/// Each makes an order of a paid one, and names it as its origin.
class AdminFollowUpTest : public AdminTest,
                          public testing::WithParamInterface<std::pair<const char*, const char*>> {
};

TEST_P(AdminFollowUpTest, AnswersTheNewOrderWithTheAmountTaken) {
  const auto& [outcome, origin] = GetParam();
  const Uuid order = AddOrder();
  ASSERT_EQ(Pay(order, R"({"outcome": "approve"})").status, 200);
  const boost::json::object part =
      Object(Pay(order, R"({"amount": 250, "outcome": ")" + std::string(outcome) + "\"}"));
  EXPECT_NE(TextOf(part.at("id")), order.ToString());
  EXPECT_EQ(TextOf(part.at(origin)), order.ToString());
  EXPECT_EQ(part.at("amount"), 250);
  const boost::json::object rest =
      Object(Pay(order, R"({"outcome": ")" + std::string(outcome) + "\"}"));
  EXPECT_EQ(rest.at("amount"), 1000);
  ExpectError(Pay(order, R"({"outcome": ")" + std::string(outcome) + "\"}"), 422, "RefundError");
}

INSTANTIATE_TEST_SUITE_P(Each, AdminFollowUpTest,
                         testing::Values(std::pair{"refund", "refund_of_order_id"},
                                         std::pair{"chargeback", "chargeback_of_order_id"},
                                         std::pair{"reversal", "reversal_of_order_id"}),
                         [](const auto& given) { return std::string(given.param.first); });

TEST_F(AdminRoutesTest, PayRefusesABodyThatIsWrong) {
  const Uuid order = AddOrder();
  constexpr std::string_view kChoice = "outcome must be approve, decline, expire";
  ExpectError(Pay(order, "{}"), 422, "ValidationError", "outcome is required");
  ExpectError(Pay(order, ""), 422, "ValidationError", "outcome is required");
  ExpectError(Pay(order, R"({"outcome": "Approve"})"), 422, "ValidationError", kChoice);
  ExpectError(Pay(order, R"({"outcome": 1})"), 422, "ValidationError", "outcome must be a string");
  ExpectError(Pay(order, R"({"outcome": "approve", "amount": 5})"), 422, "ValidationError",
              "amount goes with chargeback, refund and reversal only");
  for (const std::string_view amount : {"0", "-1", "1.0", "\"1\"", "9223372036854775808"}) {
    ExpectError(Pay(order, R"({"outcome": "refund", "amount": )" + std::string(amount) + "}"), 422,
                "ValidationError", "amount must be");
  }
  ExpectError(Pay(order, "outcome=approve"), 400, "ValidationError");
  EXPECT_EQ(world_.orders.Find(order)->status, OrderStatus::kNew);
}

TEST_F(AdminRoutesTest, PayOfAnOrderThatIsNotThereIs404) {
  const std::string body = R"({"outcome": "approve"})";
  ExpectError(Post("/_sandbox/orders/no-uuid/pay", body), 404, "NotFound");
  ExpectError(Pay(demo().id, body), 404, "NotFound");
}

TEST_F(AdminRoutesTest, OperationsAreThoseOfTheApp) {
  EXPECT_EQ(Get("/_sandbox/operations").body, R"(["create_order","admin_ledger"])");
}

TEST_F(AdminRoutesTest, ProjectsAreShownWithoutTheirKeys) {
  const http::Response answer = Get("/_sandbox/projects");
  const boost::json::array projects = Array(answer);
  ASSERT_EQ(projects.size(), 3U);
  EXPECT_EQ(projects[0].at("name"), "demo");
  EXPECT_EQ(projects[0].at("id"), "11111111-1111-4111-8111-111111111111");
  EXPECT_EQ(projects[2].at("read_only"), true);
  EXPECT_THAT(answer.body, Not(HasSubstr("-key")));
}

TEST_F(AdminRoutesTest, WalletBMessageIsMadeOfTheCard) {
  const http::Response device = Post("/_sandbox/wallet-b-message",
                                     R"({"pan": "4111111111111111", "expirationMonth": 12,
                                         "expirationYear": 2030, "authMethod": "CRYPTOGRAM_3DS"})");
  EXPECT_EQ(Object(device).at("walletPayMessage"), "411111/12/2030/device");
  const http::Response account = Post("/_sandbox/wallet-b-message",
                                      R"({"pan": "4111111111111111", "expirationMonth": 1,
                                          "expirationYear": 2030, "authMethod": "PAN_ONLY"})");
  EXPECT_EQ(Object(account).at("walletPayMessage"), "411111/1/2030/account");
}

TEST_F(AdminRoutesTest, WalletBMessageRefusesACardWithoutRepeatingIt) {
  // "$" stands for what is not wrong.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{}", "pan is required"},
      {R"({"pan": "4111 1111 1111 1111", $})", "pan must have 12 to 19 digits"},
      {R"({"pan": "41111111111", $})", "pan must have 12 to 19 digits"},
      {R"({"pan": 4111111111111111, $})", "pan must be a string"},
      {R"({"pan": "4111111111111111"})", "expirationMonth is required"},
      {R"({$, "pan": "4111111111111111", "expirationMonth": 13})",
       "expirationMonth must be an integer from 1 to 12"},
      {R"({$, "pan": "4111111111111111", "expirationYear": 30})",
       "expirationYear must be an integer from 2000 to 9999"},
      {R"({"pan": "4111111111111111", "expirationMonth": 1, "expirationYear": 2030})",
       "authMethod is required"},
      {R"({$, "pan": "4111111111111111", "authMethod": "pan_only"})",
       "authMethod must be PAN_ONLY or CRYPTOGRAM_3DS"},
      {R"({"4111111111111111": 1})", "is not a field"},
  };
  for (const auto& [row, part] : cases) {
    const std::string body = absl::StrReplaceAll(
        row, {{"$", R"("expirationMonth": 1, "expirationYear": 2030, "authMethod": "PAN_ONLY")"}});
    const http::Response answer = Post("/_sandbox/wallet-b-message", body);
    ExpectError(answer, 422, "ValidationError", part);
    EXPECT_THAT(answer.body, Not(HasSubstr("41111111111"))) << body;
  }
}

/// A call, its body, and all that its error says.
struct RefusedCall {
  std::string_view target;
  std::string_view body;
  std::string_view error;
};

class AdminRefusalTest : public AdminTest, public testing::WithParamInterface<RefusedCall> {};

TEST_P(AdminRefusalTest, SaysThisAndNothingElse) {
  const RefusedCall& call = GetParam();
  std::string target(call.target);
  if (target == "pay") target = "orders/" + AddOrder().ToString() + "/pay";
  const http::Response answer =
      target == "clock" ? MoveClock(call.body) : Post("/_sandbox/" + target, call.body);
  ExpectError(answer, call.error.starts_with("the body is n") ? 400 : 422, "ValidationError");
  EXPECT_EQ(TextOf(Object(answer).at("error").at("value")), call.error) << call.body;
}

INSTANTIATE_TEST_SUITE_P(
    Calls, AdminRefusalTest,
    testing::Values(
        RefusedCall{"pay", "{", "the body is not JSON"},
        RefusedCall{"pay", "[]", "the body must be an object"},
        RefusedCall{"pay", "", "outcome is required"},
        RefusedCall{"pay", R"({"outcome": null})", "outcome is required"},
        RefusedCall{"pay", R"({"outcome": 7})", "outcome must be a string"},
        RefusedCall{"pay", R"({"outcome": "lose"})",
                    "outcome must be approve, decline, expire, chargeback, refund or reversal"},
        RefusedCall{"pay", R"({"outcome": "refund", "amount": 0})",
                    "amount must be an integer from 1 to 9223372036854775807"},
        RefusedCall{"pay", R"({"outcome": "refund", "amount": "1"})",
                    "amount must be an integer from 1 to 9223372036854775807"},
        RefusedCall{"pay", R"({"outcome": "refund", "amount": 18446744073709551615})",
                    "amount must be an integer from 1 to 9223372036854775807"},
        RefusedCall{"pay", R"({"outcome": "approve", "amount": 1})",
                    "amount goes with chargeback, refund and reversal only"},
        RefusedCall{"pay", R"({"outcome": "lose", "amout": 0, "x": 1})",
                    "amout is not a field; did you mean 'amount'?"},
        RefusedCall{"clock", "{}", "advance is required"},
        RefusedCall{"clock", R"({"advance": 300})", "advance must be a string"},
        RefusedCall{"clock", R"({"advance": ""})",
                    "advance must be an ISO 8601 duration of at most P400D"},
        RefusedCall{"clock", R"({"advance": "five"})",
                    "advance must be an ISO 8601 duration of at most P400D"},
        RefusedCall{"clock", R"({"advance": "P401D"})",
                    "advance must be an ISO 8601 duration of at most P400D"},
        RefusedCall{"clock", R"({"by": "PT5M", "advance": "PT5M"})",
                    "by is not a field; known here: advance"},
        RefusedCall{"reset", R"({"orders": true})", "orders is not a field"},
        RefusedCall{"seed", "{}", "orders is required"},
        RefusedCall{"seed", R"({"orders": "5"})", "orders must be an integer from 0 to 2147483647"},
        RefusedCall{"seed", R"({"orders": 1.5})", "orders must be an integer from 0 to 2147483647"},
        RefusedCall{"seed", R"({"orders": -1})", "orders must be an integer from 0 to 2147483647"},
        RefusedCall{"seed", R"({"orders": 4294967296, "project": 7})",
                    "orders must be an integer from 0 to 2147483647"},
        RefusedCall{"seed", R"({"orders": 2000000})",
                    "orders must be at most 1000000: the sandbox holds max_orders = 1000000"},
        RefusedCall{"seed", R"({"orders": 1, "project": 7})", "project must be a string"},
        RefusedCall{"seed", R"({"orders": 1, "project": "none"})", "project names no project"}));

TEST_F(AdminRoutesTest, HostileBodiesAreRefusedWhole) {
  const std::string deep = std::string(5'000, '[') + std::string(5'000, ']');
  const std::string deep_member = R"({"outcome": )" + deep + "}";
  const std::string bad_utf8 = "{\"outcome\": \"\xff\xfe\"}";
  const Uuid order = AddOrder();
  for (const std::string& body : {deep, deep_member, bad_utf8, std::string("\0{}", 3),
                                  std::string("null"), std::string(10'000, '"')}) {
    EXPECT_THAT(Pay(order, body).status, testing::AnyOf(400, 422));
    EXPECT_THAT(MoveClock(body).status, testing::AnyOf(400, 422));
    EXPECT_THAT(Post("/_sandbox/seed", body).status, testing::AnyOf(400, 422));
    EXPECT_THAT(Post("/_sandbox/reset", body).status, testing::AnyOf(400, 422));
  }
  const http::Response long_name =
      Post("/_sandbox/seed", R"({")" + std::string(100'000, 'x') + R"(": 1})");
  ExpectError(long_name, 422, "ValidationError", "is not a field");
  EXPECT_LT(long_name.body.size(), 300U);
}

TEST_F(AdminRoutesTest, AnotherMethodIsNotAllowed) {
  ExpectError(Post("/_sandbox/ledger", ""), 405, "MethodNotAllowed");
  ExpectError(Get("/_sandbox/reset"), 405, "MethodNotAllowed");
  ExpectError(Get("/_sandbox/nothing"), 404, "NotFound");
}

}  // namespace
}  // namespace tollbridge::sandbox
