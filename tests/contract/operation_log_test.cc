#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "adapters/kafka/operation_log.h"
#include "adapters/kafka/producer.h"
#include "tests/contract/kafka_topics.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_operation_log.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::test {
namespace {

using operations::v1::OperationRecord;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// An empty operations topic. One a test.
class OperationLogWorld {
 public:
  virtual ~OperationLogWorld() = default;
  virtual ports::OperationLog& log() = 0;
  /// The first `count` records as they lie there, those of one operation in order.
  virtual std::vector<OperationRecord> Read(std::size_t count) = 0;
  virtual void SetReachable(bool reachable) = 0;
  boost::asio::io_context& context() { return context_; }

 private:
  boost::asio::io_context context_;
};

class FakeWorld final : public OperationLogWorld {
 public:
  ports::OperationLog& log() override { return log_; }
  std::vector<OperationRecord> Read(std::size_t count) override {
    return {log_.records().begin(), log_.records().begin() + static_cast<std::ptrdiff_t>(count)};
  }
  void SetReachable(bool reachable) override { log_.SetReachable(reachable); }

 private:
  FakeOperationLog log_;
};

class KafkaWorld final : public OperationLogWorld {
 public:
  KafkaWorld() {
    CreateTopic(context(), topic_, 3);
    auto producer =
        kafka::Producer::Create({.client = OwnBrokerSettings()}, context().get_executor());
    if (!producer.ok()) throw std::runtime_error(producer.status().ToString());
    producer_ = *std::move(producer);
    log_ = std::make_unique<kafka::KafkaOperationLog>(*producer_, topic_);
  }
  ~KafkaWorld() override { SetReachable(true); }

  ports::OperationLog& log() override { return *log_; }
  std::vector<OperationRecord> Read(std::size_t count) override {
    std::vector<OperationRecord> records;
    for (const kafka::TailedRecord& tailed : ReadRaw(count)) {
      OperationRecord& record = records.emplace_back();
      if (!record.ParseFromString(tailed.value)) throw std::runtime_error("no OperationRecord");
    }
    return records;
  }
  std::vector<kafka::TailedRecord> ReadRaw(std::size_t count) { return ReadTopic(topic_, count); }
  void SetReachable(bool reachable) override {
    KafkaBroker& broker = OwnBroker();
    if (!reachable) {
      broker.Stop();
    } else if (!broker.running()) {
      broker.Start();
    }
  }

 private:
  const std::string topic_ = UniqueName("operations");
  std::unique_ptr<kafka::Producer> producer_;
  std::unique_ptr<kafka::KafkaOperationLog> log_;
};

struct Param {
  std::string name;
  std::unique_ptr<OperationLogWorld> (*make)();
};
void PrintTo(const Param& param, std::ostream* out) { *out << param.name; }

constexpr char kOperation[] = "3f2504e0-4f89-51d3-9a0c-0305e82c3301";

OperationRecord RecordOf(std::uint32_t number, const std::string& operation = kOperation) {
  OperationRecord record;
  record.set_operation_id(operation);
  record.set_rpc("tollbridge.payments.v1.Payments/CreateOrder");
  record.set_project("shop");
  operations::v1::Transition& transition = *record.mutable_transition();
  transition.set_from(operations::v1::OPERATION_STATE_RUNNING);
  transition.set_to(operations::v1::OPERATION_STATE_UNKNOWN);
  transition.mutable_time()->set_seconds(1'767'225'600 + number);
  transition.set_owner("tollbridge");
  transition.set_evidence("a reset, caf\xc3\xa9");
  transition.set_number(number);
  transition.set_attempt(1);
  return record;
}

absl::Status AppendTo(OperationLogWorld& world, const OperationRecord& record,
                      milliseconds time = seconds(15)) {
  const ports::Context context{.deadline = BootClock::now() + time, .trace = {}};
  return Await(world.context(), world.log().Append(record, context));
}

class OperationLogContract : public testing::TestWithParam<Param> {
 protected:
  std::unique_ptr<OperationLogWorld> world_ = GetParam().make();
};

TEST_P(OperationLogContract, RecordsOfAnOperationComeInTheOrderOfAppendingAndRepeatsAreCopies) {
  for (const std::uint32_t number : {1U, 2U, 2U, 3U}) {
    const absl::Status appended = AppendTo(*world_, RecordOf(number));
    ASSERT_TRUE(appended.ok()) << appended;
  }
  const std::vector<OperationRecord> records = world_->Read(4);
  const std::vector<std::uint32_t> wanted = {1, 2, 2, 3};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(records[i].SerializeAsString(), RecordOf(wanted[i]).SerializeAsString());
  }
}

TEST_P(OperationLogContract, UnavailableByTheDeadlineWhileTheLogIsAwayAndAppendedAfterwards) {
  ASSERT_TRUE(AppendTo(*world_, RecordOf(1)).ok());
  world_->SetReachable(false);
  const BootTime start = BootClock::now();
  const absl::Status refused = AppendTo(*world_, RecordOf(2), milliseconds(700));
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_LT(BootClock::now() - start, milliseconds(1200));
  world_->SetReachable(true);
  const absl::Status appended = AppendTo(*world_, RecordOf(2));
  ASSERT_TRUE(appended.ok()) << appended;
  EXPECT_EQ(world_->Read(2)[1].transition().number(), 2U);
}

INSTANTIATE_TEST_SUITE_P(OnFake, OperationLogContract,
                         testing::Values(Param{"Fake",
                                               []() -> std::unique_ptr<OperationLogWorld> {
                                                 return std::make_unique<FakeWorld>();
                                               }}),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(OnKafka, OperationLogContract,
                         testing::Values(Param{"Kafka",
                                               []() -> std::unique_ptr<OperationLogWorld> {
                                                 return std::make_unique<KafkaWorld>();
                                               }}),
                         [](const auto& info) { return info.param.name; });

// What only the topic shows: key, headers, partition.
TEST(OperationLogRecordTest, ARecordIsPlainProtobufUnderItsOperationsId) {
  KafkaWorld world;
  const std::string other = "aaaaaaaa-4f89-51d3-9a0c-0305e82c3301";
  for (std::uint32_t number = 1; number <= 3; ++number) {
    ASSERT_TRUE(AppendTo(world, RecordOf(number)).ok());
    ASSERT_TRUE(AppendTo(world, RecordOf(number, other)).ok());
  }
  for (const kafka::TailedRecord& record : world.ReadRaw(6)) {
    OperationRecord parsed;
    ASSERT_TRUE(parsed.ParseFromString(record.value));
    EXPECT_EQ(record.key, parsed.operation_id());
    EXPECT_EQ(record.headers, (std::vector<std::pair<std::string, std::string>>{
                                  {"content-type", "application/protobuf"}}));
  }
}

TEST(OperationLogRecordTest, APrivilegedActionIsUnderAnIdOfItsOwn) {
  KafkaWorld world;
  OperationRecord record;
  record.mutable_privileged()->set_id("0b6f2d1e-6a3b-4c7d-8a55-0d6d2f4f9c11");
  record.mutable_privileged()->mutable_command()->set_name("init-store");
  ASSERT_TRUE(AppendTo(world, record).ok());
  EXPECT_EQ(world.ReadRaw(1).at(0).key, record.privileged().id());
}

}  // namespace
}  // namespace tollbridge::test
