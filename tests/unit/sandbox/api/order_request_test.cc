#include "sandbox/api/order_request.h"
#include "sandbox/core/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tollbridge::sandbox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kToken = "6f9619ff-8b86-4011-b42d-00cf4fc964ff";
constexpr std::string_view kFullCustomer =
    R"({"merchant_customer_id": "C-1", "email_address": "someone@shop.example",
        "first_name": "A", "last_name": "B", "address_type": "billing", "address": "Street 1",
        "postal_code": "12345", "city": "Town", "country": "DE", "locale": "de-DE",
        "phone_numbers": ["+49 1"], "ip_address": "192.0.2.1"})";

/// A whole body with these members after currency and amount.
std::string Body(std::string_view more) {
  return R"({"currency": "EUR", "amount": 1250)" +
         (more.empty() ? std::string() : ", " + std::string(more)) + "}";
}

std::string CardBody(std::string_view details, std::string_view more = "") {
  return Body(R"("transactions": [{"payment_method": "credit-card", "payment_method_details": )" +
              std::string(details) + "}]" +
              (more.empty() ? std::string() : ", " + std::string(more)));
}

std::string AftBody(std::string_view customer) {
  return CardBody(R"({"receiver_account_number": "DE-77", "receiver_account_number_type": "iban"})",
                  R"("customer": )" + std::string(customer));
}

std::string PayoutBody(std::string_view more) {
  return Body(R"("transactions": [{"payment_method": "credit-card-oct"}])" +
              (more.empty() ? std::string() : ", " + std::string(more)));
}

std::string Without(std::string_view field) {
  boost::json::object customer =
      boost::json::parse({kFullCustomer.data(), kFullCustomer.size()}).as_object();
  customer.erase(field);
  return boost::json::serialize(customer);
}

std::string With(std::string_view field, std::string_view value) {
  boost::json::object customer =
      boost::json::parse({kFullCustomer.data(), kFullCustomer.size()}).as_object();
  customer[field] = value;
  return boost::json::serialize(customer);
}

Order Read(const std::string& body) {
  Result<OrderDraft> read = ReadOrderRequest(body);
  if (!read.ok()) {
    ADD_FAILURE() << read.error().value << " in " << body;
    return {};
  }
  return read->order;
}

ApiError Refused(const std::string& body) {
  Result<OrderDraft> read = ReadOrderRequest(body);
  if (!read.ok()) return read.error();
  ADD_FAILURE() << "not refused: " << body.substr(0, 300);
  return {};
}

TEST(OrderRequest, ReadsEveryFieldOfAnOrder) {
  const Order order =
      Read(Body(R"("merchant_order_id": "A-1", "merchant_name": "Shop", "description": "Tea",
      "expiration_period": "PT1H", "payment_methods": ["credit-card", "wallet-a-pay"],
      "return_url": "https://shop.example/back?order=1", "failure_url": "http://shop.example:8080/",
      "webhook_url": "https://shop.example/hook", "customer": )" +
                std::string(kFullCustomer) +
                R"(, "client": {"platform_name": "x"}, "extra": {"a": [1, null, 0.1]})"));
  EXPECT_EQ(order.currency, "EUR");
  EXPECT_EQ(order.amount, 1250);
  EXPECT_EQ(order.merchant_order_id, "A-1");
  EXPECT_EQ(order.merchant_name, "Shop");
  EXPECT_EQ(order.description, "Tea");
  EXPECT_EQ(order.expiration_period, "PT1H");
  EXPECT_THAT(order.payment_methods.value(), ElementsAre("credit-card", "wallet-a-pay"));
  EXPECT_EQ(order.return_url, "https://shop.example/back?order=1");
  EXPECT_EQ(order.failure_url, "http://shop.example:8080/");
  EXPECT_EQ(order.webhook_url, "https://shop.example/hook");
  EXPECT_EQ(boost::json::parse(order.customer),
            boost::json::parse({kFullCustomer.data(), kFullCustomer.size()}));
  EXPECT_EQ(boost::json::parse(order.client), boost::json::parse(R"({"platform_name": "x"})"));
  EXPECT_EQ(boost::json::parse(order.extra), boost::json::parse(R"({"a": [1, null, 0.1]})"));
  EXPECT_TRUE(order.customer_picks);
  EXPECT_TRUE(order.transactions.empty());
}

TEST(OrderRequest, AddressesForBrowsersMayHaveAFragment) {
  EXPECT_EQ(Read(Body(R"("return_url": "https://shop.example/#/thanks")")).return_url,
            "https://shop.example/#/thanks");
  EXPECT_EQ(Refused(Body(R"("webhook_url": "https://shop.example/#hook")")).type,
            "ValidationError");
}

TEST(OrderRequest, EmptyListOfMethodsIsRefused) {
  EXPECT_THAT(Refused(Body(R"("payment_methods": [])")).value,
              testing::HasSubstr("payment_methods"));
}

TEST(OrderRequest, NullCountsAsAbsent) {
  const Order order = Read(Body(
      R"("merchant_order_id": null, "expiration_period": null, "payment_methods": null,
      "return_url": null, "customer": null, "client": null, "extra": null, "transactions": null)"));
  EXPECT_EQ(order.merchant_order_id, std::nullopt);
  EXPECT_EQ(order.payment_methods, std::nullopt);
  EXPECT_EQ(order.return_url, std::nullopt);
  EXPECT_TRUE(order.customer.empty() && order.client.empty() && order.extra.empty());
  EXPECT_TRUE(order.customer_picks);
}

TEST(OrderRequest, AmountsAtTheBoundsAreTaken) {
  EXPECT_EQ(Read(R"({"currency": "EUR", "amount": 0})").amount, 0);
  EXPECT_EQ(Read(R"({"currency": "EUR", "amount": 9007199254740991})").amount, 9007199254740991);
}

TEST(OrderRequest, EmptyListOfTransactionsLeavesTheChoiceToTheCustomer) {
  EXPECT_TRUE(Read(Body(R"("transactions": [])")).customer_picks);
}

TEST(OrderRequest, ReadsATransaction) {
  const Order order = Read(Body(
      R"("transactions": [{"payment_method": "credit-card", "capture_mode": "delayed",
      "payment_method_details": {"one_click_type": "first"}}])"));
  EXPECT_FALSE(order.customer_picks);
  ASSERT_EQ(order.transactions.size(), 1u);
  const Transaction& transaction = order.transactions.front();
  EXPECT_EQ(transaction.payment_method, "credit-card");
  EXPECT_EQ(transaction.capture_mode, "delayed");
  EXPECT_EQ(transaction.transaction_type, "");
  EXPECT_FALSE(transaction.debit);
  EXPECT_EQ(transaction.Detail("one_click_type"), "first");
}

TEST(OrderRequest, SecurityCodeIsCheckedAndDropped) {
  const Order order = Read(CardBody(R"({"one_click_type": "one-click", "cvc": "9876",
      "vault_token": "6F9619FF-8B86-4011-B42D-00CF4FC964FF"})"));
  const boost::json::object& details = order.transactions.front().details;
  EXPECT_FALSE(details.contains("cvc"));
  EXPECT_THAT(boost::json::serialize(details), Not(HasSubstr("9876")));
  EXPECT_EQ(order.transactions.front().Detail("vault_token"), kToken);
}

TEST(OrderRequest, OneClickMayNameTheFirstTransactionInPlaceOfTheToken) {
  const Order order = Read(CardBody(R"({"one_click_type": "one-click", "cvc": "987",
      "first_transaction_id": "6f9619ff-8b86-4011-b42d-00cf4fc964ff"})"));
  EXPECT_EQ(order.transactions.front().Detail("first_transaction_id"), kToken);
}

TEST(OrderRequest, SeriesFromAnotherPlatformIsContinued) {
  const Order order = Read(CardBody(R"({"recurring_type": "recurring",
      "schedule_type": "unscheduled", "first_network_transaction_id": "N-1"})"));
  const Transaction& transaction = order.transactions.front();
  EXPECT_EQ(transaction.Detail("recurring_type"), "recurring");
  EXPECT_EQ(transaction.Detail("schedule_type"), "unscheduled");
  EXPECT_EQ(transaction.Detail("first_network_transaction_id"), "N-1");
}

TEST(OrderRequest, SeriesCanStartHere) {
  const Order order = Read(CardBody(R"({"recurring_type": "recurring"})"));
  EXPECT_EQ(order.transactions.front().Detail("recurring_type"), "recurring");
}

TEST(OrderRequest, ReceiverMakesItAccountFunding) {
  const Order order = Read(Body(
      R"("transactions": [{"payment_method": "credit-card", "capture_mode": "manual",
      "payment_method_details": {"receiver_account_number": "DE-77",
      "receiver_account_number_type": "iban"}}], "customer": )" +
      std::string(kFullCustomer)));
  const Transaction& transaction = order.transactions.front();
  EXPECT_EQ(transaction.transaction_type, "aft");
  EXPECT_EQ(transaction.capture_mode, "manual");
  EXPECT_FALSE(transaction.debit);
  EXPECT_EQ(transaction.Detail("receiver_account_number"), "DE-77");
  EXPECT_EQ(transaction.Detail("receiver_account_number_type"), "iban");
}

TEST(OrderRequest, ReceiverThatIsACardIsKeptMasked) {
  const struct {
    std::string_view given;
    std::string_view kept;
  } rows[] = {
      {"4111111111111111", "************1111"},
      {"4111 1111 1111 1111", "************1111"},
      {"4111-1111-1111-1111", "************1111"},
      {"371449635398431", "***********8431"},
      // Fails Luhn; too short; letters: account numbers of other kinds.
      {"4111111111111112", "4111111111111112"},
      {"000000000000", "000000000000"},
      {"DE4111111111111111", "DE4111111111111111"},
  };
  for (const auto& [given, kept] : rows) {
    SCOPED_TRACE(given);
    const Order order = Read(CardBody(
        R"({"receiver_account_number_type": "card-account", "receiver_account_number": ")" +
            std::string(given) + "\"}",
        R"("customer": )" + std::string(kFullCustomer)));
    EXPECT_EQ(order.transactions.front().Detail("receiver_account_number"), kept);
  }
}

TEST(OrderRequest, AccountFundingNeedsTheWholeAddress) {
  for (const std::string_view field :
       {"first_name", "last_name", "address_type", "address", "postal_code", "city", "country"}) {
    SCOPED_TRACE(field);
    const ApiError error = Refused(AftBody(Without(field)));
    EXPECT_EQ(error.status, 422);
    EXPECT_EQ(error.type, "MissingInformationToCreateTransaction");
    EXPECT_EQ(error.value, "customer." + std::string(field) + " is required for account funding");
    if (field != "address_type" && field != "country") {
      EXPECT_EQ(Refused(AftBody(With(field, ""))).type, "MissingInformationToCreateTransaction");
    }
  }
  for (const std::string_view field :
       {"merchant_customer_id", "email_address", "locale", "phone_numbers", "ip_address"}) {
    EXPECT_EQ(Read(AftBody(Without(field))).transactions.front().transaction_type, "aft") << field;
  }
}

TEST(OrderRequest, AccountFundingNeedsAStateWhereTheCountryHasThem) {
  for (const std::string_view country : {"US", "CA"}) {
    const ApiError error = Refused(AftBody(With("country", country)));
    EXPECT_EQ(error.type, "MissingInformationToCreateTransaction") << country;
    EXPECT_EQ(error.value, "customer.state is required for account funding") << country;
  }
  boost::json::object customer = boost::json::parse(With("country", "CA")).as_object();
  customer["state"] = "ON";
  EXPECT_EQ(Read(AftBody(boost::json::serialize(customer))).transactions.front().transaction_type,
            "aft");
  EXPECT_EQ(Read(AftBody(With("country", "AU"))).transactions.front().transaction_type, "aft");
}

TEST(OrderRequest, PayoutIsMoneyGoingOut) {
  const Order order = Read(PayoutBody(R"("customer": {"country": "DE"})"));
  const Transaction& transaction = order.transactions.front();
  EXPECT_EQ(transaction.transaction_type, "oct");
  EXPECT_TRUE(transaction.debit);
  EXPECT_TRUE(transaction.capture_mode.empty());
}

TEST(OrderRequest, PayoutMayNameAStoredCardAtOnce) {
  const Order order = Read(Body(R"("customer": {}, "transactions": [
      {"payment_method": "credit-card-oct", "payment_method_details":
      {"vault_token": "6f9619ff-8b86-4011-b42d-00cf4fc964ff"}}])"));
  EXPECT_EQ(order.transactions.front().Detail("vault_token"), kToken);
}

TEST(OrderRequest, PayoutNeedsACustomerAndInSomeCountriesAState) {
  const ApiError nobody = Refused(PayoutBody(""));
  EXPECT_EQ(nobody.type, "MissingInformationToCreateTransaction");
  EXPECT_EQ(nobody.value, "customer is required for a payout");
  for (const std::string country : {"US", "CA", "AU"}) {
    SCOPED_TRACE(country);
    const std::string customer = R"("customer": {"country": ")" + country + "\"";
    const ApiError error = Refused(PayoutBody(customer + "}"));
    EXPECT_EQ(error.status, 422);
    EXPECT_EQ(error.type, "MissingInformationToCreateTransaction");
    EXPECT_THAT(error.value, HasSubstr("customer.state is required"));
    // A state of any of the three: two letters, and in none of the lists wrong.
    const std::string state = country == "US" ? "CA" : country == "CA" ? "QC" : "WA";
    EXPECT_EQ(Read(PayoutBody(customer + R"(, "state": ")" + state + "\"}")).transactions.size(),
              1u);
  }
}

TEST(OrderRequest, StatesAreThoseOfTheCountry) {
  const auto customer = [](std::string_view country, std::string_view state) {
    return Body(R"("customer": {"country": ")" + std::string(country) + R"(", "state": ")" +
                std::string(state) + "\"}");
  };
  Read(customer("US", "NY"));
  Read(customer("US", "WY"));
  Read(customer("CA", "AB"));
  Read(customer("CA", "YT"));
  Read(customer("FR", "ZZ"));
  Read(Body(R"("customer": {"state": "ZZ"})"));
  for (const auto& [country, state] : {std::pair("US", "ON"), std::pair("CA", "NY"),
                                       std::pair("US", "ZZ"), std::pair("CA", "ZZ")}) {
    const ApiError error = Refused(customer(country, state));
    EXPECT_EQ(error.type, "ValidationError");
    EXPECT_EQ(error.value, "customer.state is not a state of " + std::string(country));
  }
}

TEST(OrderRequest, EachStateOfTheDocumentIsTaken) {
  const std::pair<std::string, std::string> lists[] = {
      {"CA", "AB BC MB NB NL NS NT NU ON PE QC SK YT"},
      {"US",
       "AA AE AK AL AP AR AZ CA CO CT DC DE FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT "
       "NC ND NE NH NJ NM NV NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY"},
      // The interface lists none: any two letters.
      {"AU", "WA ZZ"}};
  for (const auto& [country, states] : lists) {
    for (std::size_t at = 0; at < states.size(); at += 3) {
      const std::string customer =
          R"({"country": ")" + country + R"(", "state": ")" + states.substr(at, 2) + "\"}";
      EXPECT_EQ(boost::json::parse(Read(Body(R"("customer": )" + customer)).customer),
                boost::json::parse(customer));
    }
  }
}

constexpr std::string_view kValidation = "ValidationError";
constexpr std::string_view kMissing = "MissingInformationToCreateTransaction";

struct BadBody {
  std::string body;
  int status;
  std::string_view type;
  /// Path and rule.
  std::string_view value;
};

void ExpectRefused(const std::vector<BadBody>& rows) {
  for (const auto& [body, status, type, value] : rows) {
    SCOPED_TRACE(body.substr(0, 200));
    const ApiError error = Refused(body);
    EXPECT_EQ(error.status, status);
    EXPECT_EQ(error.type, type);
    EXPECT_THAT(error.value, HasSubstr(value));
  }
}

TEST(OrderRequest, BadBodiesAreRefused) {
  ExpectRefused({
      {"", 400, kValidation, "not JSON"},
      {"{", 400, kValidation, "not JSON"},
      {"{\"currency\": \"\xff\"}", 400, kValidation, "not JSON"},
      {std::string(100'000, '['), 400, kValidation, "nested"},
      {Body(R"("extra": {"a": )" + std::string(40, '[') + std::string(40, ']') + "}"), 400,
       kValidation, "nested"},
      {"[]", 422, kValidation, "must be an object"},
      {"null", 422, kValidation, "must be an object"},
      {"{}", 422, kValidation, "currency is required"},
      {R"({"currency": "EUR"})", 422, kValidation, "amount is required"},
      {R"({"amount": 1})", 422, kValidation, "currency is required"},
      {R"({"currency": "EUR", "amount": null})", 422, kValidation, "amount is required"},
      {R"({"currency": "EUR", "amount": 1, "amuont": 2})", 422, kValidation, "amuont is not"},
      {R"({"currency": "EUR", "amount": 1, "status": "completed"})", 422, kValidation,
       "status is not"},
      {R"({"currency": "EUR", "amount": 1, "id": "x"})", 422, kValidation, "id is not"},
  });
}

TEST(OrderRequest, BadFieldsOfTheOrderAreRefused) {
  const auto row = [](std::string_view more, std::string_view value) {
    return BadBody{Body(more), 422, kValidation, value};
  };
  ExpectRefused({
      {R"({"currency": "eur", "amount": 1})", 422, kValidation, "currency must match ^[A-Z]{3}$"},
      {R"({"currency": "EURO", "amount": 1})", 422, kValidation, "currency must match"},
      {R"({"currency": "", "amount": 1})", 422, kValidation, "currency must match"},
      {R"({"currency": 978, "amount": 1})", 422, kValidation, "currency must be a string"},
      {R"({"currency": "EUR", "amount": -1})", 422, kValidation,
       "amount must be an integer from 0"},
      {R"({"currency": "EUR", "amount": "1"})", 422, kValidation, "amount must be an integer"},
      {R"({"currency": "EUR", "amount": 1.5})", 422, kValidation, "amount must be an integer"},
      {R"({"currency": "EUR", "amount": 9007199254740992})", 422, kValidation, "amount must be"},
      {R"({"currency": "EUR", "amount": 18446744073709551615})", 422, kValidation, "amount must"},
      {R"({"currency": "EUR", "amount": 1e400})", 422, kValidation, "amount must be"},
      row(R"("merchant_order_id": 1)", "merchant_order_id must be a string"),
      row(R"("merchant_name": [])", "merchant_name must be a string"),
      row(R"("description": true)", "description must be a string"),
      row(R"("description": ")" + std::string(4097, 'x') + "\"", "description must have at most"),
      row(R"("expiration_period": 60)", "expiration_period must be a string"),
      row(R"("expiration_period": "1h")", "expiration_period must be an ISO 8601 duration"),
      row(R"("expiration_period": "P0D")", "expiration_period must be an ISO 8601 duration"),
      row(R"("expiration_period": "-PT1H")", "expiration_period must be an ISO 8601 duration"),
      row(R"("expiration_period": "P99999999999999999999D")", "expiration_period must be an ISO"),
      row(R"("return_url": "shop.example")", "return_url must be an absolute http or https URL"),
      row(R"("return_url": "")", "return_url must be an absolute"),
      row(R"("return_url": "mailto:someone@shop.example")", "return_url must be an absolute"),
      row(R"("failure_url": "/failed")", "failure_url must be an absolute"),
      row(R"("webhook_url": "https://u:p@shop.example/")", "webhook_url must be an absolute"),
      row(R"("webhook_url": 1)", "webhook_url must be a string"),
      row(R"("payment_methods": "credit-card")", "payment_methods must be an array"),
      row(R"("payment_methods": ["credit-card", {}])", "payment_methods[1] must be a string"),
      row(R"("customer": "x")", "customer must be an object"),
      row(R"("client": [])", "client must be an object"),
      row(R"("client": {"a": ")" + std::string(4097, 'x') + "\"}", "client must hold strings"),
      row(R"("extra": [])", "extra must be an object"),
      row(R"("extra": {"a": [")" + std::string(4097, 'x') + "\"]}", "extra must hold strings"),
      row(R"("extra": {")" + std::string(4097, 'x') + "\": 1}", "extra must hold names"),
      row(R"("extra": {"a": [-1e400]})", "extra must hold numbers that fit a double"),
      row(R"("transactions": {})", "transactions must be an array"),
      row(R"("transactions": ["x"])", "transactions[0] must be an object"),
      row(R"("transactions": [null])", "transactions[0] must be an object"),
      row(R"("transactions": [{"payment_method": "credit-card"}, {}])", "transactions may have"),
  });
}

TEST(OrderRequest, ExtraIsBoundedAsAWhole) {
  const auto body = [](std::size_t strings) {
    std::string list;
    for (std::size_t i = 0; i < strings; ++i) {
      list += (i == 0 ? "\"" : ",\"") + std::string(4093, 'x') + "\"";
    }
    return Body(R"("extra": {"a": [)" + list + "]}");
  };
  EXPECT_EQ(Read(body(15)).extra.size(), 15u * 4096 + 7);
  EXPECT_THAT(Refused(body(16)).value, HasSubstr("extra must have at most 65536 bytes"));
}

TEST(OrderRequest, BadCustomersAreRefused) {
  const auto row = [](std::string_view customer, std::string_view value) {
    return BadBody{Body(R"("customer": )" + std::string(customer)), 422, kValidation, value};
  };
  ExpectRefused({
      row(R"({"name": "A"})", "customer.name is not a field"),
      row(R"({"first_name": 1})", "customer.first_name must be a string"),
      row(R"({"last_name": {}})", "customer.last_name must be a string"),
      row(R"({"email_address": []})", "customer.email_address must be a string"),
      row(R"({"merchant_customer_id": 7})", "customer.merchant_customer_id must be a string"),
      row(R"({"address": 7})", "customer.address must be a string"),
      row(R"({"postal_code": 12345})", "customer.postal_code must be a string"),
      row(R"({"city": false})", "customer.city must be a string"),
      row(R"({"locale": 1})", "customer.locale must be a string"),
      row(R"({"ip_address": 1})", "customer.ip_address must be a string"),
      row(R"({"address_type": "shipping"})", "customer.address_type must be billing"),
      row(R"({"country": "DEU"})", "customer.country must be two upper-case letters"),
      row(R"({"country": "de"})", "customer.country must be two upper-case letters"),
      row(R"({"country": 49})", "customer.country must be a string"),
      row(R"({"state": "NSW"})", "customer.state must be two upper-case letters"),
      row(R"({"state": "ny"})", "customer.state must be two upper-case letters"),
      row(R"({"phone_numbers": "+49"})", "customer.phone_numbers must be an array"),
      row(R"({"phone_numbers": [49]})", "customer.phone_numbers[0] must be a string"),
  });
}

TEST(OrderRequest, BadTransactionsAreRefused) {
  const auto row = [](std::string_view element, std::string_view type, std::string_view value) {
    return BadBody{Body("\"transactions\": [" + std::string(element) + "]"), 422, type, value};
  };
  ExpectRefused({
      row("{}", kMissing, "transactions[0].payment_method is required"),
      row(R"({"payment_method": null})", kMissing, "transactions[0].payment_method is required"),
      row(R"({"payment_method": ""})", kMissing, "transactions[0].payment_method is required"),
      row(R"({"payment_method": 1})", kValidation, "transactions[0].payment_method must be"),
      row(R"({"payment_methd": "x"})", kValidation, "transactions[0].payment_methd is not"),
      row(R"({"payment_method": "credit-card", "amount": 1})", kValidation,
          "transactions[0].amount is not"),
      row(R"({"payment_method": "credit-card", "capture_mode": "later"})", kValidation,
          "transactions[0].capture_mode must be manual or delayed"),
      row(R"({"payment_method": "credit-card", "capture_mode": ""})", kValidation,
          "transactions[0].capture_mode must be"),
      row(R"({"payment_method": "credit-card", "payment_method_details": []})", kValidation,
          "transactions[0].payment_method_details must be an object"),
      {Body(R"("customer": {}, "transactions": [{"payment_method": "credit-card-oct",
              "capture_mode": "manual"}])"),
       422, kValidation, "transactions[0].capture_mode is not for payouts"},
      row(R"({"payment_method": "wallet-b-pay",
              "payment_method_details": {"one_click_type": "first"}})",
          kValidation, "payment_method_details.one_click_type is for payment_method credit-card"),
      row(R"({"payment_method": "wallet-a-pay",
              "payment_method_details": {"receiver_account_number": "1"}})",
          kValidation, "receiver_account_number is for payment_method credit-card"),
  });
}

TEST(OrderRequest, BadDetailsAreRefused) {
  const auto row = [](std::string_view details, std::string_view type, std::string_view value) {
    return BadBody{CardBody(details, R"("customer": )" + std::string(kFullCustomer)), 422, type,
                   value};
  };
  const std::string token = R"("vault_token": "6f9619ff-8b86-4011-b42d-00cf4fc964ff")";
  const std::string first = R"("first_transaction_id": "6f9619ff-8b86-4011-b42d-00cf4fc964ff")";
  const std::string one_click = R"({"one_click_type": "one-click", )";
  ExpectRefused({
      row(R"({"pan": "4111111111111111"})", kValidation, "payment_method_details.pan is not"),
      row(R"({"cardholder_name": "A B"})", kValidation, "details.cardholder_name is not"),
      row(R"({"setup_token": "x"})", kValidation, "details.setup_token is not"),
      row(R"({"one_click_type": "second"})", kValidation,
          "transactions[0].payment_method_details.one_click_type must be first or one-click"),
      row(one_click + token + "}", kMissing, "details.cvc is required for one-click"),
      row(one_click + R"("cvc": "987"})", kMissing,
          "details.vault_token or first_transaction_id is required for one-click"),
      row(one_click + R"("cvc": "987", )" + token + ", " + first + "}", kValidation,
          "first_transaction_id must not come together with vault_token"),
      row(one_click + R"("cvc": 987, )" + token + "}", kValidation, "cvc must be a string"),
      row(one_click + R"("cvc": "98", )" + token + "}", kValidation, "cvc must have 3 to 4 digits"),
      row(one_click + R"("cvc": "98765", )" + token + "}", kValidation, "cvc must have 3 to 4"),
      row(one_click + R"("cvc": "98x", )" + token + "}", kValidation, "cvc must have 3 to 4"),
      row(one_click + R"("cvc": "987", "vault_token": "x"})", kValidation,
          "vault_token must be a uuid"),
      row(one_click + R"("cvc": "987", "first_transaction_id": "x"})", kValidation,
          "first_transaction_id must be a uuid"),
      row("{" + first + "}", kValidation, "first_transaction_id is for one_click_type one-click"),
      row(R"({"recurring_type": "weekly"})", kValidation, "recurring_type must be recurring"),
      row(R"({"first_network_transaction_id": "N-1"})", kMissing,
          "recurring_type is required with first_network_transaction_id"),
      row(R"({"recurring_type": "recurring", "first_network_transaction_id": ""})", kValidation,
          "first_network_transaction_id must not be empty"),
      row(R"({"schedule_type": 1})", kValidation, "schedule_type must be a string"),
      row(R"({"receiver_account_number": "DE-77"})", kMissing,
          "receiver_account_number_type is required for account funding"),
      row(R"({"receiver_account_number_type": "iban"})", kMissing,
          "receiver_account_number is required for account funding"),
      row(R"({"receiver_account_number": "", "receiver_account_number_type": "iban"})", kValidation,
          "receiver_account_number must not be empty"),
      row(R"({"receiver_account_number": 77, "receiver_account_number_type": "iban"})", kValidation,
          "receiver_account_number must be a string"),
      {CardBody(R"({"receiver_account_number": "1", "receiver_account_number_type": "iban"})"), 422,
       kMissing, "customer is required for account funding"},
  });
}

TEST(OrderRequest, RefusalsRepeatNoValue) {
  for (const std::string& body :
       {CardBody(R"({"one_click_type": "4111111111111111"})"),
        CardBody(R"({"cvc": "4111111111111111"})"),
        CardBody(R"({"vault_token": "4111111111111111"})"), CardBody(R"({"4111111111111111": 1})"),
        Body(R"("return_url": "4111111111111111")"),
        Body(R"("customer": {"country": "4111111111111111"})"),
        Body(R"("expiration_period": "4111111111111111")")}) {
    EXPECT_THAT(Refused(body).value, Not(HasSubstr("41111111111"))) << body;
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
