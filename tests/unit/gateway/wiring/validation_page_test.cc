// docs/validation.md lists every rule that a request must fulfil. Here it is made and compared: the
// rules of the fields from the .proto, those of the code as it was seen to answer them. Each rule
// text in the sources must have been seen, so that none is left out.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "gateway/config/config.h"
#include "gateway/config/published_services.h"
#include "gateway/wiring/methods.h"
#include "google/rpc/error_details.pb.h"
#include "services/domain/field_rule_texts.h"
#include "services/operations/list_operations.h"
#include "services/rpc/request_project.h"
#include "services/rpc/validate.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_operation_registry.h"
#include "tests/support/read_file.h"
#include "tests/unit/gateway/wiring/field_rule_list.h"
#include "tests/unit/gateway/wiring/rule_sources.h"

namespace tollbridge::gateway {
namespace {

namespace fs = std::filesystem;
namespace pb = google::protobuf;

const fs::path kSource = TOLLBRIDGE_SOURCE_DIR;
constexpr domain::FieldLimits kLimits;

/// Field and rule; `[]` for each element of a list.
using Rule = std::pair<std::string, std::string>;
using Found = std::set<Rule>;

// Pieces of requests that break rules. Each is given to every method whose request can hold it, so
// that a rule that several methods have is seen at each of them.
constexpr const char* kPieces[] = {
    R"({})",
    R"({"project": "nobody"})",
    R"({"description": "[tb:0123456789abcdef] shoes"})",
    R"({"extra": {"tollbridge_operation": "x"}})",
    R"({"webhook_url": "https://shop.test/hook"})",
    R"({"customer": {"country": "US"}})",
    R"({"customer": {"country": "US", "state": "ZZ"}})",
    R"({"payment_methods": ["credit-card-oct"]})",
    R"({"transactions": [{"payment_method": "credit-card-oct", "payment_method_details":
        {"one_click_type": "one-click", "receiver_account_number": "1"}}],
        "customer": {"country": "US"}})",
    R"({"transactions": [{"payment_method_details": {"receiver_account_number_type": "x"}}]})",
    R"({"validation_url": "http://wallet.example/"})",
    R"({"validation_url": "https://me@wallet.example/"})",
    R"({"validation_url": "https://127.0.0.1/"})",
    R"({"cavv": "x"})",
    R"({"three_ds_version": "2.2.0"})",
    R"({"expiry": "012020"})",
    R"({"card": {"expiry": "012020"}, "customer": {"country": "NL"}})",
    R"({"query": {"filter": {"merchant_order_id": "", "status": "ORDER_STATUS_UNSPECIFIED",
        "created_from": "1969-01-01T00:00:00Z", "created_to": "1969-01-01T00:00:00Z"}}})",
    R"({"query": {"filter": {"created_from": "2021-01-01T00:00:00Z",
        "created_to": "2020-01-01T00:00:00Z"}}})",
    R"({"query": {"raw": ""}})",
    R"({"page_token": "x"})",
    R"({"sort": "x"})",
    R"({"state": "OPERATION_STATE_DONE"})",
    R"({"state": "OPERATION_STATE_RUNNING",
        "order_id": "7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10"})",
};

// Rule texts of the sources that no request reaches: another rule finds the same before, or they
// are of something else.
const std::map<std::string, std::string> kBehindOthers = {
    {"must be a key id and the base64 of 32 bytes, with a space between", "a rule of key files"},
    {"holds a field that this version of the interface does not have", "the general rule"},
    {"must be of a transaction of the order", "needs the order, and limits of payouts"},
    {"must not be of a payout: payouts are made by tollbridge.payouts.v1.Payouts/CreatePayout",
     "as above"},
};

std::string Normal(const std::string& field) {
  static const std::regex index(R"(\[\d+\])");
  return std::regex_replace(field, index, "[]");
}

std::vector<domain::FieldViolation> ViolationsOf(const absl::Status& status) {
  google::rpc::BadRequest bad;
  const auto payload = status.GetPayload(std::string(domain::kBadRequestUrl));
  if (payload.has_value()) EXPECT_TRUE(bad.ParseFromString(std::string(*payload)));
  std::vector<domain::FieldViolation> violations;
  for (const auto& violation : bad.field_violations()) {
    violations.push_back({violation.field(), violation.description()});
  }
  return violations;
}

class ValidationPageTest : public ::testing::Test {
 protected:
  struct World {
    explicit World(std::vector<domain::Project> with)
        : projects(std::move(with)),
          published(*rpc::MethodTable::Of({kPublishedServices.begin(), kPublishedServices.end()})),
          methods(*operations::Methods::Of(published, PublishedMethods(Config(), drain))) {}
    domain::Projects projects;
    rpc::Drain drain;
    rpc::MethodTable published;
    std::unique_ptr<const operations::Methods> methods;
  };

  static domain::Project Project(const std::string& name, char digit) {
    return {.name = name,
            .id = *Uuid::Parse(digit + std::string("b241101-e2bb-4255-8caf-4136c566a962"))};
  }

  /// Of each method by its full name, what is found beyond the rules of its fields.
  std::map<std::string, Found> Observed() {
    std::map<std::string, Found> observed;
    for (World* world : {&one_, &several_}) {
      for (const rpc::MethodInfo& method : world->published.all()) {
        for (const char* piece : kPieces)
          Observe(*world, method, piece, observed[method.full_name]);
      }
    }
    ObservePageTokens(observed["tollbridge.operations.v1.Operations.ListOperations"]);
    return observed;
  }

  World one_{{Project("shop", '3')}};
  World several_{{Project("shop", '3'), Project("other", '4')}};

 private:
  void Observe(const World& world, const rpc::MethodInfo& method, const std::string& json,
               Found& found) {
    const pb::Descriptor& type = *method.descriptor->input_type();
    const std::unique_ptr<pb::Message> request(
        pb::MessageFactory::generated_factory()->GetPrototype(&type)->New());
    if (!pb::util::JsonStringToMessage(json, request.get()).ok()) return;
    // The fields' own rules come first, then the method's: what follows theirs is the rest.
    const domain::FieldRulesChecker fields({&type}, kLimits);
    const std::size_t own = fields.Check(*request).size();
    const domain::Project* project = rpc::ProjectOf(world.projects, *request);
    const std::vector<domain::FieldViolation> all =
        world.methods->rules().Check(method, *request, project);
    for (std::size_t i = own; i < all.size(); ++i)
      found.insert({Normal(all[i].field), all[i].rule});
    if (project != nullptr) ObservePlan(*world.methods, *project, *request, found);
  }

  // What the plan of a mutation finds, also when it is asked with the date.
  static void ObservePlan(const operations::Methods& methods, const domain::Project& project,
                          const pb::Message& request, Found& found) {
    const auto* mutation = methods.plans().Find(operations::RpcOf(*request.GetDescriptor()));
    if (mutation == nullptr) return;
    const absl::StatusOr<operations::Plan> plan = mutation->make(project, request);
    absl::Status status = plan.status();
    if (plan.ok() && plan->check_before_sending) {
      status = plan->check_before_sending(WallTime(std::chrono::years(100)));
    }
    for (const auto& [field, rule] : ViolationsOf(status)) found.insert({Normal(field), rule});
  }

  // They are looked at only by who reads on.
  void ObservePageTokens(Found& found) {
    boost::asio::io_context context;
    test::FakeClock clock;
    test::FakeOperationRegistry registry;
    const domain::Project& project = one_.projects.all().front();
    for (const std::string id : {"one", "two"}) {
      operations::v1::Operation& operation = registry.records[id];
      operation.set_id(id);
      operation.set_project(project.name);
      operation.set_state(operations::v1::OPERATION_STATE_UNKNOWN);
    }
    const auto list = [&](const operations::v1::ListOperationsRequest& request) {
      return test::Await(
          context, operations::ListOperations(
                       registry, project, request,
                       {.deadline = clock.BootNow() + std::chrono::seconds(15), .trace = {}}));
    };
    operations::v1::ListOperationsRequest request;
    request.set_page_size(1);
    const auto page = list(request);
    ASSERT_TRUE(page.ok()) << page.status();
    // No token, and one of another list.
    request.set_state(operations::v1::OPERATION_STATE_UNKNOWN);
    for (const std::string& token : {std::string("x"), page->next_page_token()}) {
      request.set_page_token(token);
      for (const auto& [field, rule] : ViolationsOf(list(request).status())) {
        found.insert({Normal(field), rule});
      }
    }
  }
};

std::string Row(const std::string& field, const std::string& rule) {
  return "| `" + field + "` | " + rule + " |\n";
}

std::string Head() {
  std::string text = R"(# What requests must fulfil

Made by `ValidationPageTest` from the .proto files and the code, and held to them by it; not written
by hand. To make it anew:
`TOLLBRIDGE_WRITE=1 build/dev/bin/gateway_wiring_test --gtest_filter=ValidationPageTest.*`

A request that breaks a rule is answered INVALID_ARGUMENT with reason INVALID_REQUEST and every
violation at once: the path of the field and the rule in the words of this page, never the value.
Nothing is sent to the payment service then. Two rules are looked at after all others: that a card
is not past, once the key is known not to have been answered, and the page_token of ListOperations.

In a path, `[]` stands for each element of a list and `.*` for each value of a map or a free JSON
object. A rule of a field other than "is required" and "must not be empty" says nothing while the
field is absent, and none counts while the message that it is in is absent.

## Every request

| of | rule |
|---|---|
)";
  text += Row("a message", domain::rule_text::Deepest(kLimits.max_depth));
  text += Row("a field", domain::rule_text::NoFieldOf("TYPE"));
  text += "\nAn answer names at most " + std::to_string(kLimits.max_violations) +
          " violations of fields.\n";
  return text;
}

std::string Section(const rpc::MethodInfo& method, const Found& beyond) {
  std::string text = "\n### " + method.service + "/" + method.name + "\n";
  text += "\n| field of " + method.descriptor->input_type()->name() + " | rule |\n|---|---|\n";
  for (const ListedField& field : ListFieldRules(*method.descriptor->input_type(), kLimits)) {
    if (field.rules.empty()) text += Row(field.field, "any value");
    for (const std::string& rule : field.rules) text += Row(field.field, rule);
  }
  text += "\nBeyond its fields:\n\n| field | rule |\n|---|---|\n";
  for (const auto& [field, rule] : beyond) text += Row(field, rule);
  return text;
}

TEST_F(ValidationPageTest, ThePageSaysWhatTheCodeChecks) {
  std::map<std::string, Found> observed = Observed();
  std::string page = Head();
  std::string service;
  for (const rpc::MethodInfo& method : one_.published.all()) {
    if (method.service != service) page += "\n## " + method.service + "\n";
    service = method.service;
    page += Section(method, observed[method.full_name]);
  }
  const fs::path golden = kSource / "docs/validation.md";
  if (std::getenv("TOLLBRIDGE_WRITE") != nullptr) std::ofstream(golden) << page;
  const std::string actual = ::testing::TempDir() + "validation.md";
  std::ofstream(actual) << page;
  // Not EXPECT_EQ: the difference of two such pages is better seen with diff.
  EXPECT_TRUE(test::ReadFile(golden) == page)
      << "If the change is meant: cp " << actual << " docs/validation.md\nTo see it: diff "
      << golden.string() << " " << actual;
}

TEST_F(ValidationPageTest, EachRuleTextOfTheSourcesWasSeen) {
  std::set<std::string> seen;
  for (const auto& [method, found] : Observed()) {
    EXPECT_FALSE(found.empty()) << method << " does not even ask for a project";
    for (const auto& [field, rule] : found) seen.insert(rule);
  }
  std::vector<fs::path> folders;
  for (const char* room : {"operations", "orders", "payments", "payouts", "search", "vault"}) {
    folders.push_back(kSource / "services" / room);
  }
  const std::map<std::string, std::string> texts = RuleTexts(folders);
  EXPECT_GT(texts.size(), 30U);
  for (const auto& [text, files] : texts) {
    if (kBehindOthers.contains(text)) continue;
    EXPECT_TRUE(seen.contains(text)) << "no piece breaks \"" << text << "\" of" << files;
  }
  for (const auto& [text, finder] : kBehindOthers) {
    EXPECT_TRUE(texts.contains(text) && !seen.contains(text)) << text;
  }
  // Nothing is answered that the sources were not seen to say.
  for (const std::string& rule : seen) EXPECT_TRUE(texts.contains(rule)) << rule;
}

}  // namespace
}  // namespace tollbridge::gateway
