#include "services/search/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

v1::OrderQuery Filter(const std::function<void(v1::OrderFilter&)>& fill) {
  v1::OrderQuery query;
  fill(*query.mutable_filter());
  return query;
}

std::vector<std::string> FieldsRefused(const v1::OrderQuery& query) {
  orders::Violations violations;
  CheckQuery(query, "query", violations);
  std::vector<std::string> fields;
  for (const domain::FieldViolation& violation : violations) fields.push_back(violation.field);
  return fields;
}

TEST(CompileQuery, FindsEveryOrderWhenNothingIsAsked) {
  EXPECT_EQ(CompileQuery({}), "*");
  EXPECT_EQ(CompileQuery(Filter([](v1::OrderFilter&) {})), "*");
}

TEST(CompileQuery, JoinsAllConditionsByAnd) {
  EXPECT_EQ(CompileQuery(Filter([](v1::OrderFilter& filter) {
              filter.set_id("ABCDEF01-0000-4000-8000-000000000000");
              filter.set_merchant_order_id("A-1");
              filter.set_status(common::v1::ORDER_STATUS_COMPLETED);
              filter.mutable_created_from()->set_seconds(1'767'225'600);
              filter.mutable_created_to()->set_seconds(1'767'225'601);
              filter.mutable_created_to()->set_nanos(250'000'000);
            })),
            "id:abcdef01-0000-4000-8000-000000000000 AND merchant_order_id:\"A-1\" AND "
            "status:completed AND "
            "created:[2026-01-01T00:00:00Z TO 2026-01-01T00:00:01.250Z]");
}

TEST(CompileQuery, EscapesWhatWouldEndOrChangeAQuotedValue) {
  EXPECT_EQ(CompileQuery(Filter(
                [](v1::OrderFilter& filter) { filter.set_merchant_order_id(R"(a" OR id:* \)"); })),
            R"(merchant_order_id:"a\" OR id:* \\")");
}

TEST(CompileQuery, WritesEveryStatusAsTheServiceNamesIt) {
  const auto* statuses = common::v1::OrderStatus_descriptor();
  for (int i = 0; i < statuses->value_count(); ++i) {
    const auto status = static_cast<common::v1::OrderStatus>(statuses->value(i)->number());
    if (status == common::v1::ORDER_STATUS_UNSPECIFIED) continue;
    const v1::OrderQuery query =
        Filter([status](v1::OrderFilter& filter) { filter.set_status(status); });
    EXPECT_THAT(FieldsRefused(query), IsEmpty());
    EXPECT_GT(CompileQuery(query).size(), std::string("status:").size()) << status;
  }
  EXPECT_EQ(CompileQuery(Filter([](v1::OrderFilter& filter) {
              filter.set_status(common::v1::ORDER_STATUS_SEE_TRANSACTIONS);
            })),
            "status:see-transactions");
}

TEST(CompileQuery, GivesARangeWithOneEndItsOther) {
  EXPECT_EQ(CompileQuery(Filter([](v1::OrderFilter& filter) {
              filter.mutable_created_from()->set_seconds(1'767'225'600);
            })),
            "created:[2026-01-01T00:00:00Z TO 9999-12-31T23:59:59Z]");
  EXPECT_EQ(CompileQuery(Filter([](v1::OrderFilter& filter) {
              filter.mutable_created_to()->set_seconds(1'767'225'600);
            })),
            "created:[1970-01-01T00:00:00Z TO 2026-01-01T00:00:00Z]");
}

TEST(CompileQuery, PassesARawQueryOnAsItIs) {
  v1::OrderQuery query;
  query.set_raw(R"( status:new OR (x:"y\) )");
  EXPECT_EQ(CompileQuery(query), R"( status:new OR (x:"y\) )");
  EXPECT_THAT(FieldsRefused(query), IsEmpty());
}

TEST(CheckQuery, RefusesAnEmptyRawQuery) {
  v1::OrderQuery query;
  query.set_raw("");
  EXPECT_THAT(FieldsRefused(query), ElementsAre("query.raw"));
}

TEST(CheckQuery, RefusesStatusesThatAreNone) {
  for (const int status : {0, 99, -1}) {
    EXPECT_THAT(FieldsRefused(Filter([status](v1::OrderFilter& filter) {
                  filter.set_status(static_cast<common::v1::OrderStatus>(status));
                })),
                ElementsAre("query.filter.status"));
  }
}

TEST(CheckQuery, RefusesAnEmptyReference) {
  EXPECT_THAT(
      FieldsRefused(Filter([](v1::OrderFilter& filter) { filter.set_merchant_order_id(""); })),
      ElementsAre("query.filter.merchant_order_id"));
}

TEST(CheckQuery, RefusesAPeriodThatEndsBeforeItBegins) {
  const auto period = [](std::int64_t from, std::int64_t to) {
    return Filter([=](v1::OrderFilter& filter) {
      filter.mutable_created_from()->set_seconds(from);
      filter.mutable_created_to()->set_seconds(to);
    });
  };
  EXPECT_THAT(FieldsRefused(period(2, 1)), ElementsAre("query.filter.created_from"));
  EXPECT_THAT(FieldsRefused(period(1, 1)), IsEmpty());
}

TEST(CheckQuery, RefusesTimesThatNoQueryCanCarry) {
  for (const std::int64_t seconds :
       {std::int64_t{-1}, std::int64_t{253'402'300'800}, std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_THAT(FieldsRefused(Filter([seconds](v1::OrderFilter& filter) {
                  filter.mutable_created_from()->set_seconds(seconds);
                  filter.mutable_created_to()->set_seconds(seconds);
                })),
                ElementsAre("query.filter.created_from", "query.filter.created_to"));
  }
  for (const std::int32_t nanos : {-1, 1'000'000'000}) {
    EXPECT_THAT(FieldsRefused(Filter([nanos](v1::OrderFilter& filter) {
                  filter.mutable_created_to()->set_nanos(nanos);
                })),
                ElementsAre("query.filter.created_to"));
  }
}

}  // namespace
}  // namespace tollbridge::search
