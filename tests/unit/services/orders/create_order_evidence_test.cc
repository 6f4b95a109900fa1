#include "services/orders/create_order_evidence.h"
#include <absl/strings/ascii.h>

#include <string>

#include "tests/unit/services/orders/orders_fixture.h"

namespace tollbridge::orders {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class CreateOrderEvidenceTest : public OrdersTest {
 protected:
  void Scanned(std::vector<operations::Candidate> candidates) {
    look_.candidates =
        std::make_shared<const std::vector<operations::Candidate>>(std::move(candidates));
  }
  CreateOrderEvidenceTest() {
    look_.step = {};
    look_.step.merchant_order_id = "order 7";
  }

  /// An order that search and GET show, created `second` seconds after the step was sent.
  common::v1::Order& Put(int number, int second = 0) {
    const std::string id = NewId(number);
    common::v1::Order& order = service_.orders[id];
    order.set_id(id);
    order.set_merchant_order_id("order 7");
    *order.mutable_created() = domain::ToTimestamp(kSentAt + std::chrono::seconds(second));
    common::v1::Order& found = service_.found.emplace_back();
    found.set_id(id);
    found.set_merchant_order_id("order 7");
    return order;
  }

  operations::Finding Look() { return OrdersTest::Look(CreateOrderStep()); }
};

TEST_F(CreateOrderEvidenceTest, IsNotRunAgainByNameAndIsFoundBySearch) {
  const operations::StepKind& kind = CreateOrderStep();
  EXPECT_EQ(kind.name, "create_order");
  EXPECT_EQ(kind.on_absence, operations::OnAbsence::kNotExecuted);
  EXPECT_TRUE(kind.by_search);
  EXPECT_TRUE(kind.late_effect_is_orphan);
  EXPECT_FALSE(kind.service_guards_repeat);
}

TEST_F(CreateOrderEvidenceTest, SearchesByTheReferenceAsAQuotedValue) {
  look_.step.merchant_order_id = R"(a"b\c OR *)";
  EXPECT_THAT(Look(), Is(kAbsent));
  ASSERT_EQ(service_.searches.size(), 1U);
  EXPECT_EQ(service_.searches[0].query(), R"(merchant_order_id:"a\"b\\c OR *")");
  EXPECT_EQ(service_.searches[0].sort(), "id asc");
}

TEST_F(CreateOrderEvidenceTest, AnOrderWithOurMarkIsIt) {
  SetMark(Put(1), operation_);
  const operations::Finding finding = Look();
  EXPECT_THAT(finding, Is(kPresent));
  EXPECT_EQ(ResultAs<common::v1::Order>(finding).id(), NewId(1));
  EXPECT_THAT(finding.reason, HasSubstr(NewId(1)));
}

TEST_F(CreateOrderEvidenceTest, TheMarkCountsInAnyEpochAndAttempt) {
  SetMark(Put(1), operation_, "other", 7);
  EXPECT_THAT(Look(), Is(kPresent));
}

TEST_F(CreateOrderEvidenceTest, AnOrderThatWasSeenIsReadBesideWhatIsFound) {
  SetMark(Put(1), operation_);
  service_.found[0].set_id(absl::AsciiStrToUpper(NewId(1)));
  look_.seen_orders = {NewId(1)};
  EXPECT_EQ(Look().reason, "order " + NewId(1) + " carries the mark") << "read once";
  service_.found.clear();
  EXPECT_THAT(Look(), Is(kPresent));
  service_.failing_page = 0;
  EXPECT_THAT(Look(), Is(kPresent)) << "though the search fails";
  look_.step.merchant_order_id.clear();
  EXPECT_THAT(Look(), Is(kPresent)) << "without a reference";
  Scanned({});
  EXPECT_THAT(Look(), Is(kPresent));
  Put(2);
  look_.seen_orders = {NewId(2)};
  EXPECT_THAT(Look(), Is(kAbsent)) << "it does not carry the mark";
}

TEST_F(CreateOrderEvidenceTest, OfSeveralWhatWasSeenIsTaken) {
  SetMark(Put(1, 1), operation_);
  SetMark(Put(2, 2), operation_);
  EXPECT_EQ(ResultAs<common::v1::Order>(Look()).id(), NewId(1));
  look_.seen_orders = {NewId(2)};
  EXPECT_EQ(ResultAs<common::v1::Order>(Look()).id(), NewId(2)) << "its events are out";
}

TEST_F(CreateOrderEvidenceTest, OrdersWithoutAMarkOrWithAnothersAreNotIt) {
  Put(1);
  SetMark(Put(2), Uuid::V5(operation_, "other"));
  EXPECT_THAT(Look(), Is(kAbsent));
  EXPECT_THAT(service_.reads, UnorderedElementsAre(NewId(1), NewId(2)));
}

TEST_F(CreateOrderEvidenceTest, AMarkThatTheSearchShowsSavesARead) {
  SetMark(Put(1), Uuid::V5(operation_, "other"));
  SetMark(service_.found[0], Uuid::V5(operation_, "other"));
  EXPECT_THAT(Look(), Is(kAbsent));
  EXPECT_THAT(service_.reads, IsEmpty());
}

TEST_F(CreateOrderEvidenceTest, WhatTheSearchShowsIsNoProof) {
  SetMark(service_.found.emplace_back(), operation_);
  service_.found[0].set_id(NewId(1));
  EXPECT_THAT(Look(), Is(kUndecided)) << "its GET answers 404";
}

TEST_F(CreateOrderEvidenceTest, OrdersThatASearchFindsByAnotherReferenceAreLeftAlone) {
  SetMark(Put(1), operation_);
  service_.found[0].set_merchant_order_id("order 77");
  EXPECT_THAT(Look(), Is(kAbsent));
  EXPECT_THAT(service_.reads, IsEmpty());
}

TEST_F(CreateOrderEvidenceTest, OfSeveralTheOldestIsTaken) {
  SetMark(Put(1, 20), operation_, "e1", 2);
  SetMark(Put(2, 5), operation_);
  SetMark(Put(3, 30), operation_, "e1", 3);
  const operations::Finding finding = Look();
  EXPECT_EQ(ResultAs<common::v1::Order>(finding).id(), NewId(2));
  EXPECT_THAT(finding.reason, HasSubstr("2 more"));
}

TEST_F(CreateOrderEvidenceTest, AnExpiredOneIsTakenOnlyWhenAllAre) {
  common::v1::Order& oldest = Put(1, 0);
  SetMark(oldest, operation_);
  oldest.set_status(common::v1::ORDER_STATUS_EXPIRED);
  common::v1::Order& other = Put(2, 9);
  SetMark(other, operation_);
  EXPECT_EQ(ResultAs<common::v1::Order>(Look()).id(), NewId(2));
  service_.searches.clear();
  other.set_status(common::v1::ORDER_STATUS_EXPIRED);
  EXPECT_EQ(ResultAs<common::v1::Order>(Look()).id(), NewId(1));
}

TEST_F(CreateOrderEvidenceTest, ACandidateThatCannotBeReadLeavesItOpenUnlessAnotherIsOurs) {
  Put(1);
  service_.unreadable[NewId(1)] = absl::UnavailableError("foreign words");
  const operations::Finding open = Look();
  EXPECT_THAT(open, Is(kUndecided));
  EXPECT_THAT(open.reason, HasSubstr(NewId(1)));
  EXPECT_THAT(open.reason, ::testing::Not(HasSubstr("foreign")));
  service_.searches.clear();
  SetMark(Put(2), operation_);
  EXPECT_THAT(Look(), Is(kPresent));
}

TEST_F(CreateOrderEvidenceTest, ASearchThatFailsLeavesItOpen) {
  SetMark(Put(1), operation_);
  service_.failing_page = 0;
  EXPECT_THAT(Look(), Is(kUndecided));
}

TEST_F(CreateOrderEvidenceTest, ACommonReferenceIsNotReadWithoutEnd) {
  for (int i = 0; i < 1001; ++i) service_.found.emplace_back().set_id(NewId(i));
  EXPECT_THAT(Look(), Is(kUndecided));
  EXPECT_THAT(service_.reads, IsEmpty());
}

TEST_F(CreateOrderEvidenceTest, WithoutAReferenceOnlyAScanDecides) {
  SetMark(Put(1), operation_);
  look_.step.merchant_order_id.clear();
  EXPECT_THAT(Look(), Is(kUndecided));
  EXPECT_THAT(service_.searches, IsEmpty());
  Scanned({{NewId(1), "order 7"}});
  EXPECT_THAT(Look(), Is(kPresent));
}

TEST_F(CreateOrderEvidenceTest, AScanTakesThePlaceOfTheSearch) {
  SetMark(Put(1), operation_);
  Put(2);
  Put(3);
  Scanned({{NewId(1), "order 7"}, {NewId(2), "order 8"}, {NewId(3), ""}});
  EXPECT_THAT(Look(), Is(kPresent));
  EXPECT_THAT(service_.searches, IsEmpty());
  EXPECT_THAT(service_.reads, ElementsAre(NewId(1), NewId(3)));
  Scanned({});
  EXPECT_THAT(Look(), Is(kAbsent)) << "a scan that found nothing is one, too";
}

}  // namespace
}  // namespace tollbridge::orders
