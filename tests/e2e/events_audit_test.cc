// `tollbridge events audit --repair` and `events republish`, on real Redis, real Kafka and a
// reader. A topic of TOLLBRIDGE_AUDIT_EVENTS events, 500 unless it says otherwise
// (docs/guides/operators.md#what-is-missing-on-the-topic).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/encoding.h"
#include "base/core/uuid.h"
#include "services/domain/timestamps.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/produce.h"
#include "tests/support/read_file.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"
#include "tollbridge/events/v1/events.pb.h"
#include "tollbridge/events/v1/hint.pb.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr std::size_t kHolesOfAKind = 4;
/// For what takes as long as there are events.
constexpr std::chrono::minutes kLong{20};

std::size_t EventsWanted() {
  const char* text = std::getenv("TOLLBRIDGE_AUDIT_EVENTS");
  return text == nullptr ? 500 : std::stoul(text);
}

/// What an audit found, by family, and its summary.
struct Audited {
  int code = -1;
  std::map<std::string, std::set<std::string>> faults;
  boost::json::object summary;
  std::string text;
};

/// A topic that a reader has filled, and a copy of it with holes.
class EventsAuditTest : public testing::Test {
 protected:
  EventsAuditTest()
      : stack_({.settings = {{"events", {{"max_reads_per_second", "100000"}}},
                             {"reconcile", {{"max_hints_per_second", "10000"}}}}}) {}

  Audited Audit(const std::string& config, std::vector<std::string> options = {}) {
    std::vector<std::string> command = {ProgramBeside("tollbridge"),
                                        "events",
                                        "audit",
                                        "--json",
                                        "--from",
                                        "3h",
                                        "--config",
                                        config};
    command.insert(command.end(), options.begin(), options.end());
    const Finished finished = test::Run(command, {}, kLong);
    Audited audited{.code = finished.code, .faults = {}, .summary = {}, .text = finished.output};
    audited.text += finished.error;
    std::istringstream lines(finished.output);
    for (std::string line; std::getline(lines, line);) {
      const boost::json::object object = boost::json::parse(line).as_object();
      if (object.contains("summary")) {
        audited.summary = object.at("summary").as_object();
      } else if (object.at("state").as_string() != "told_again") {
        audited.faults[std::string(object.at("root_order_id").as_string())].insert(
            std::string(object.at("fault").as_string()));
      }
    }
    return audited;
  }

  /// Has the sandbox hold so many orders, and gives the reader a hint of each. How many hints.
  std::size_t SeedAndHint(std::size_t orders) {
    EXPECT_EQ(stack_
                  .Http("POST", stack_.sandbox_url() + "/_sandbox/seed/",
                        R"({"orders": )" + std::to_string(orders) + "}")
                  .status,
              200);
    std::vector<TopicRecord> hints;
    for (const boost::json::value& order : stack_.SandboxOrders()) {
      events::v1::Hint hint;
      hint.set_order_id(std::string(order.at("id").as_string()));
      hint.set_project("demo");
      hint.set_source(events::v1::HINT_SOURCE_SWEEP);
      hints.push_back({.key = "demo:" + hint.order_id(), .value = hint.SerializeAsString()});
    }
    ProduceAll(stack_.brokers(), stack_.TopicName("hints"), hints);
    return hints.size();
  }

  /// Has the sandbox hold so many orders, made now, and the reader tell them.
  void FillTopic(std::size_t orders) {
    OrderOf(CreateOrder(stack_, OrderRequest("first")));
    const std::size_t hints = SeedAndHint(orders);
    const auto topic = stack_.OpenTopic("events");
    std::set<std::string> told;
    std::size_t looked_at = 0;
    ASSERT_TRUE(topic->ReadUntil(
        [&](const std::vector<TopicRecord>& records) {
          for (; looked_at < records.size(); ++looked_at) {
            told.insert(records[looked_at].header("ce_subject"));
          }
          return told.size() >= hints;
        },
        kLong));
    ASSERT_TRUE(Eventually([&] { return Audit(stack_.config_path()).code == 0; }, kLong));
    for (const TopicRecord& record : topic->ReadAll()) families_[record.key].push_back(record);
    stack_.gateway().Kill();
  }

  /// Has the sandbox hold orders of 90 days, and the reader tell some of them, which happened long
  /// before that.
  void FillTopicLate() {
    SeedAndHint(300);
    const auto topic = stack_.OpenTopic("events");
    const auto read = [&] {
      families_.clear();
      for (const TopicRecord& record : topic->ReadAll()) families_[record.key].push_back(record);
      return static_cast<std::size_t>(std::ranges::count_if(
          families_, [](const auto& family) { return IsToldLate(family.second); }));
    };
    ASSERT_TRUE(Eventually(
        [&] { return read() >= kHolesOfAKind && Audit(stack_.config_path()).code == 0; }));
    stack_.gateway().Kill();
    read();
  }
  /// Created and completed alone, longer ago than audits here look back.
  static bool IsToldLate(const std::vector<TopicRecord>& records) {
    events::v1::PaymentEvent event;
    return records.size() == 2 && records[1].header("ce_type").ends_with(".completed.v1") &&
           event.ParseFromString(records[1].value) &&
           domain::ToWallTime(event.occurred_at()) + std::chrono::hours(4) <
               domain::ToWallTime(event.noticed_at());
  }

  /// Takes families of which created and completed were told, and nothing else.
  std::vector<std::string> TakeFamilies(std::size_t count) {
    std::vector<std::string> taken;
    for (const auto& [root, records] : families_) {
      if (taken.size() == count) break;
      if (planted_.contains(root) || records.size() != 2) continue;
      if (!records[1].header("ce_type").ends_with(".completed.v1")) continue;
      taken.push_back(root);
    }
    EXPECT_EQ(taken.size(), count);
    return taken;
  }
  void Plant(const std::string& fault, const std::function<void(const std::string&)>& plant) {
    for (const std::string& root : TakeFamilies(kHolesOfAKind)) {
      planted_[root] = fault;
      plant(root);
    }
  }
  void DropLast(const std::string& root) { families_[root].pop_back(); }
  void DropFirst(const std::string& root) { families_[root].erase(families_[root].begin()); }
  void Swap(const std::string& root) { std::swap(families_[root][0], families_[root][1]); }
  void TellOtherwise(const std::string& root) {
    TopicRecord other = families_[root].back();
    events::v1::PaymentEvent event;
    ASSERT_TRUE(event.ParseFromString(other.value));
    event.set_id(Uuid::V5({}, root).ToString());
    event.set_type("tollbridge.payment.failed.v1");
    other.value = event.SerializeAsString();
    families_[root].push_back(other);
  }
  /// Leaves the last event in an outbox, as a reader that died an hour ago.
  void LeaveUnpublished(const std::string& root) {
    const TopicRecord last = families_[root].back();
    families_[root].pop_back();
    events::v1::PaymentEvent event;
    ASSERT_TRUE(event.ParseFromString(last.value));
    *event.mutable_noticed_at() =
        domain::ToTimestamp(domain::ToWallTime(event.noticed_at()) - std::chrono::hours(1));
    storage::v1::Outbox outbox;
    storage::v1::OutboxEntry& entry = *outbox.add_entries();
    entry.set_key(last.key);
    entry.set_payload(event.SerializeAsString());
    entry.set_id(event.id());
    entry.set_sequence(event.sequence());
    for (const auto& [name, value] : last.headers) {
      storage::v1::Header& header = *entry.add_headers();
      header.set_name(name);
      header.set_value(value);
    }
    const std::string script =
        "local function raw(hex) return (string.gsub(hex, '..', function(two) return "
        "string.char(tonumber(two, 16)) end)) end "
        "local root = raw(ARGV[2]) "
        "local version = redis.call('HGET', ARGV[1] .. 'f:' .. root, 'v') "
        "return redis.call('HSET', ARGV[1] .. 'x:' .. root, 'v', version, 'o', raw(ARGV[3]))";
    stack_.RedisCommand({"EVAL", script, "0", DemoKey(""), HexEncode(Uuid::Parse(root)->ToBytes()),
                         HexEncode(outbox.SerializeAsString())});
  }

  /// A configuration like the stack's, whose topic of events holds what is left of the families.
  std::string CopyTopic() {
    const std::string topic = stack_.TopicName("events");
    std::string text = ReadFile(stack_.config_path());
    text.replace(text.find(topic), topic.size(), topic + "-holes");
    const std::string config = folder_.Write("holes.yaml", text);
    const Finished created = stack_.Tollbridge({"topics", "create", "--config", config});
    EXPECT_EQ(created.code, 0) << created.error;
    std::vector<TopicRecord> records;
    for (const auto& [root, family] : families_) {
      records.insert(records.end(), family.begin(), family.end());
    }
    ProduceAll(stack_.brokers(), topic + "-holes", records);
    copied_ = records.size();
    return config;
  }
  std::unique_ptr<Topic> OpenCopy() const {
    return std::make_unique<Topic>(stack_.brokers(), stack_.TopicName("events") + "-holes");
  }

  Stack stack_;
  TempFolder folder_;
  std::map<std::string, std::vector<TopicRecord>> families_;
  std::map<std::string, std::string> planted_;
  std::map<std::string, std::set<std::string>> planted_ids_;
  std::size_t copied_ = 0;
};

TEST_F(EventsAuditTest, TwentyHolesOfFiveKindsAreFoundAndMendedOnce) {
  ASSERT_NO_FATAL_FAILURE(FillTopic(EventsWanted() / 2));
  Plant("missing", [this](const std::string& root) { DropLast(root); });
  Plant("gap", [this](const std::string& root) { DropFirst(root); });
  Plant("two_contents", [this](const std::string& root) { TellOtherwise(root); });
  Plant("wrong_order", [this](const std::string& root) { Swap(root); });
  Plant("unpublished", [this](const std::string& root) { LeaveUnpublished(root); });
  const std::string config = CopyTopic();
  ASSERT_EQ(planted_.size(), 5 * kHolesOfAKind);

  const Audited found = Audit(config);
  EXPECT_EQ(found.code, 1) << found.text;
  EXPECT_EQ(found.faults.size(), planted_.size()) << found.text;
  for (const auto& [root, fault] : planted_) {
    ASSERT_TRUE(found.faults.contains(root)) << fault << " of " << root;
    EXPECT_THAT(found.faults.at(root), Contains(fault)) << root;
  }
  EXPECT_EQ(found.summary.at("asked").to_number<std::size_t>(), 0U);

  const Audited repair = Audit(config, {"--repair"});
  EXPECT_EQ(repair.code, 1);
  EXPECT_LE(repair.summary.at("asked").to_number<std::size_t>(), planted_.size());
  const Audited again = Audit(config, {"--repair"});
  EXPECT_EQ(again.summary.at("asked").to_number<std::size_t>(), 0U) << "they are asked for already";

  {
    const GatewayProcess gateway(config);
    EXPECT_TRUE(Eventually([&] { return Audit(config).code == 0; }, kLong)) << Audit(config).text;
  }
  // As consumers see it: what was told in the new stream has the ids that it had.
  const auto topic = OpenCopy();
  for (const TopicRecord& record : topic->ReadAll()) {
    if (planted_.contains(record.key)) planted_ids_[record.key].insert(record.header("ce_id"));
  }
  for (const auto& [root, fault] : planted_) {
    const std::size_t ids = fault == "two_contents" ? 3U : 2U;
    EXPECT_LE(planted_ids_[root].size(), ids) << fault << " of " << root;
    EXPECT_GE(planted_ids_[root].size(), 2U) << fault << " of " << root;
  }

  const std::size_t before = topic->ReadAll().size();
  EXPECT_GT(before, copied_);
  const Audited last = Audit(config, {"--repair"});
  EXPECT_EQ(last.code, 0) << last.text;
  EXPECT_EQ(last.summary.at("asked").to_number<std::size_t>(), 0U);
  EXPECT_EQ(topic->ReadAll().size(), before);
}

TEST_F(EventsAuditTest, WhatWasToldLongAfterItHappenedIsMendedToo) {
  ASSERT_NO_FATAL_FAILURE(FillTopicLate());
  for (auto& [root, records] : families_) {
    if (planted_.size() == kHolesOfAKind || !IsToldLate(records)) continue;
    for (const TopicRecord& record : records) planted_ids_[root].insert(record.header("ce_id"));
    planted_[root] = planted_.size() % 2 == 0 ? "gap" : "missing";
    if (planted_[root] == "gap") {
      records.pop_back();
    } else {
      records.clear();
    }
  }
  ASSERT_EQ(planted_.size(), kHolesOfAKind);
  const std::string config = CopyTopic();
  const Audited found = Audit(config, {"--repair"});
  EXPECT_EQ(found.code, 1) << found.text;
  EXPECT_EQ(found.faults.size(), planted_.size()) << found.text;
  for (const auto& [root, fault] : planted_) {
    ASSERT_TRUE(found.faults.contains(root)) << fault << " of " << root;
    EXPECT_THAT(found.faults.at(root), Contains(fault)) << root;
  }
  {
    const GatewayProcess gateway(config);
    EXPECT_TRUE(Eventually([&] { return Audit(config).code == 0; })) << Audit(config).text;
  }
  const auto topic = OpenCopy();
  const auto records = topic->ReadAll();
  for (const auto& [root, ids] : planted_ids_) {
    std::set<std::string> there;
    for (const TopicRecord& record : records) {
      if (record.key == root) there.insert(record.header("ce_id"));
    }
    EXPECT_EQ(there, ids) << planted_[root] << " of " << root;
  }
  const Audited last = Audit(config, {"--repair"});
  EXPECT_EQ(last.code, 0) << last.text;
  EXPECT_EQ(last.summary.at("asked").to_number<std::size_t>(), 0U);
  EXPECT_EQ(topic->ReadAll().size(), records.size());
}

TEST_F(EventsAuditTest, AnOrderIsToldAgainWithTheIdsThatItHad) {
  const auto events = stack_.OpenTopic("events");
  const auto order = OrderOf(CreateOrder(stack_, OrderRequest("again")));
  PayOnHostedPage(stack_, order);
  ASSERT_TRUE(AwaitEvent(*events, order.id(), kPaymentCompleted));
  const auto republish = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"events", "republish", "--config", stack_.config_path()});
    return stack_.Tollbridge(options);
  };
  const Finished dry = republish({"--order", order.id(), "--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.error;
  EXPECT_THAT(dry.output, HasSubstr("1 families would be told again"));
  EXPECT_NE(republish({"--order", order.id()}).code, 0) << "why is not said";

  const Finished asked = republish({"--order", order.id(), "--note", "the ledger lost its disk"});
  EXPECT_EQ(asked.code, 0) << asked.error;
  ASSERT_TRUE(events->ReadUntil([&](const std::vector<TopicRecord>& records) {
    return EventsOf(records, order.id(), kPaymentCompleted).size() == 2;
  }));
  const auto told = EventsOf(events->records(), order.id(), kPaymentCompleted);
  EXPECT_EQ(told[0].header("ce_id"), told[1].header("ce_id"));
  events::v1::PaymentEvent first;
  events::v1::PaymentEvent second;
  ASSERT_TRUE(first.ParseFromString(told[0].value));
  ASSERT_TRUE(second.ParseFromString(told[1].value));
  EXPECT_NE(first.stream(), second.stream());

  const auto operations = stack_.OpenTopic("operations");
  EXPECT_TRUE(std::ranges::any_of(operations->ReadAll(), [](const TopicRecord& record) {
    return record.value.find("the ledger lost its disk") != std::string::npos;
  }));
  EXPECT_EQ(republish({"--order", std::string(kNobodysOrder), "--note", "x"}).code, 1);
}

}  // namespace
}  // namespace tollbridge::test
