#include "sandbox/webhooks/delivery_log.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <string>

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

DeliveryRow Row(int attempt) {
  return {.order_id = *Uuid::Parse("11111111-1111-4111-8111-111111111111"),
          .project_id = *Uuid::Parse("22222222-2222-4222-8222-222222222222"),
          .attempt = attempt,
          .at = *ParseTime("2026-11-21T08:00:00Z"),
          .url_origin = "http://shop.test:80"};
}

TEST(DeliveryLogTest, AttemptUnderWaySaysSo) {
  DeliveryLog log(10);
  log.Add(Row(1));
  EXPECT_EQ(log.ToJson(), json::parse(R"([{"order_id": "11111111-1111-4111-8111-111111111111",
      "project_id": "22222222-2222-4222-8222-222222222222", "event": "status_changed", "attempt": 1,
      "at": "2026-11-21T08:00:00.000Z", "url_origin": "http://shop.test:80",
      "result": "in flight", "outcome": "in flight", "detail": "", "final": false}])"));
}

TEST(DeliveryLogTest, ResultIsTheStatusElseTheReason) {
  DeliveryLog log(10);
  DeliveryRow* answered = log.Find(log.Add(Row(1)));
  answered->outcome = DeliveryOutcome::kDelivered;
  answered->status = 204;
  answered->final = true;
  DeliveryRow* broken = log.Find(log.Add(Row(2)));
  broken->outcome = DeliveryOutcome::kFailed;
  broken->error = "refused";
  const json::array rows = log.ToJson();
  EXPECT_EQ(rows[0].at("result"), "204");
  EXPECT_EQ(rows[0].at("status"), 204);
  EXPECT_EQ(rows[0].at("outcome"), "delivered");
  EXPECT_EQ(rows[0].at("final"), true);
  EXPECT_EQ(rows[1].at("result"), "refused");
  EXPECT_EQ(rows[1].at("outcome"), "failed");
  EXPECT_FALSE(rows[1].as_object().contains("status"));
}

TEST(DeliveryLogTest, KeepsTheLastOnesAsManyAsItIsTold) {
  DeliveryLog log(10'000);
  const DeliveryLog::RowId first = log.Add(Row(0));
  const DeliveryLog::RowId second = log.Add(Row(1));
  for (int i = 2; i <= 10'000; ++i) log.Add(Row(i));
  EXPECT_EQ(log.Find(first), nullptr);
  ASSERT_NE(log.Find(second), nullptr);
  EXPECT_EQ(log.Find(second)->attempt, 1);
  const json::array rows = log.ToJson();
  ASSERT_EQ(rows.size(), 10'000u);
  EXPECT_EQ(rows.front().at("attempt"), 1);
  EXPECT_EQ(rows.back().at("attempt"), 10'000);
}

TEST(DeliveryLogTest, ClearedRowsAreNotFoundAgain) {
  DeliveryLog log(10);
  const DeliveryLog::RowId before = log.Add(Row(1));
  log.Clear();
  EXPECT_TRUE(log.ToJson().empty());
  const DeliveryLog::RowId after = log.Add(Row(2));
  EXPECT_EQ(log.Find(before), nullptr);
  EXPECT_EQ(log.Find(after)->attempt, 2);
}

}  // namespace
}  // namespace tollbridge::sandbox
