// Any Kafka client can use the broker of the sandbox, which ./dev demo runs: it produces, it
// consumes in a group, a second member joins, and the group goes on behind what it has committed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/ledger_programs.h"
#include "tests/support/process.h"
#include "tests/support/produce.h"
#include "tests/support/temp_folder.h"
#include "tests/support/topic.h"

namespace tollbridge::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

const std::string kScripts = TOLLBRIDGE_SOURCE_DIR "/tests/e2e/clients/";
const std::string kTopic = "events";
const std::string kGroup = "group";
constexpr std::chrono::seconds kLimit{60};
/// For a rebalance: less than the session timeout of any client, which it is not to wait for.
constexpr std::chrono::seconds kRebalanceLimit{40};
/// As many as it takes that both partitions get some of them, by any client's hash of the keys.
constexpr int kBatch = 8;

/// A name that no other contains: keys, values and orders are told apart by it.
std::string Numbered(const std::string& what, int number) {
  return what + (number < 10 ? "-0" : "-") + std::to_string(number);
}

using Command = std::vector<std::string>;
Command operator+(Command command, const Command& arguments) {
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

/// What the clients write about themselves counts as output too.
const Command kWithErrors = {"sh", "-c", R"(exec "$@" 2>&1)", "sh"};
const Command kFromFile = {"sh", "-c", R"(exec "$@" <"$0")"};

/// A Kafka client as a program.
struct Client {
  std::string name;
  /// Writes the lines of a file, KEY:VALUE each, with the header "client: by-itself" and acks=all,
  /// and ends.
  std::function<Command(const std::string& brokers, const std::string& file)> produce;
  /// Reads the topic from its beginning as a member of the group until SIGTERM, writes what it
  /// reads to stdout, and has committed it when it ends.
  std::function<Command(const std::string& brokers)> consume;
  /// What a member writes when one of the two partitions is its own.
  std::string shares;
  /// What a line of the file begins with, for one that takes the headers from there.
  std::string before_key = {};
};

Client Kcat() {
  return {.name = "kcat",
          .produce =
              [](const std::string& brokers, const std::string& file) {
                return Command{
                    "kcat", "-P", "-b", brokers,    "-t", kTopic, "-H", "client=by-itself",
                    "-K",   ":",  "-X", "acks=all", "-l", file};
              },
          .consume =
              [](const std::string& brokers) {
                return kWithErrors + Command{"kcat",  "-G",
                                             kGroup,  "-b",
                                             brokers, "-u",
                                             "-f",    "%k %s %h\n",
                                             "-X",    "auto.offset.reset=earliest",
                                             "-X",    "heartbeat.interval.ms=300",
                                             kTopic};
              },
          .shares = R"(assigned: events \[[01]\]\n)"};
}

Command JavaProgram(const std::string& name) {
  const char* libs = std::getenv("TOLLBRIDGE_KAFKA_LIBS");
  return {"java",
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-cp",
          std::string(libs == nullptr ? "" : libs) + "/*",
          "org.apache.kafka.tools." + name,
          "--topic",
          kTopic};
}

Client Java() {
  return {.name = "Java",
          .produce =
              [](const std::string& brokers, const std::string& file) {
                return kFromFile + Command{file} + JavaProgram("ConsoleProducer") +
                       Command{"--bootstrap-server", brokers,
                               "--command-property", "acks=all",
                               "--reader-property",  "parse.key=true",
                               "--reader-property",  "key.separator=:",
                               "--reader-property",  "parse.headers=true"};
              },
          .consume =
              [](const std::string& brokers) {
                return kWithErrors + JavaProgram("consumer.ConsoleConsumer") +
                       Command{"--bootstrap-server",
                               brokers,
                               "--group",
                               kGroup,
                               "--from-beginning",
                               "--command-property",
                               "heartbeat.interval.ms=300",
                               "--formatter-property",
                               "print.key=true",
                               "--formatter-property",
                               "print.headers=true"};
              },
          .shares = R"(Assignment\(partitions=\[events-[01]\]\))",
          .before_key = "client:by-itself\t"};
}

/// One of tests/e2e/clients, whose lines.py says how they are used.
Client Script(const std::string& name, const Command& interpreter, const std::string& file) {
  const Command program = interpreter + Command{kScripts + file};
  return {.name = name,
          .produce =
              [program](const std::string& brokers, const std::string& records) {
                return program + Command{"produce", "--brokers", brokers, "--topic",
                                         kTopic,    "--records", records};
              },
          .consume =
              [program](const std::string& brokers) {
                return program + Command{"consume", "--brokers", brokers, "--topic",
                                         kTopic,    "--group",   kGroup};
              },
          .shares = "assigned: 1\n"};
}

/// Those that the machine can run. Beside them, the consumers of examples/ stand for
/// confluent-kafka and franz-go.
std::vector<Client> Clients() {
  std::vector<Client> clients = {Kcat(), Java()};
  if (const char* python = std::getenv("TOLLBRIDGE_CLIENTS_PYTHON")) {
    clients.push_back(Script("kafka_python", {python}, "kafka_python_client.py"));
    clients.push_back(Script("aiokafka", {python}, "aiokafka_client.py"));
  }
  const char* modules = std::getenv("TOLLBRIDGE_CLIENTS_NODE");
  if (modules != nullptr && *modules != '\0') {
    clients.push_back(Script("kafkajs", {"env", std::string("NODE_PATH=") + modules, "node"},
                             "kafkajs_client.js"));
  }
  return clients;
}

/// The sandbox with a topic of two partitions.
class DemoBroker {
 public:
  /// Throws std::runtime_error when it does not start.
  DemoBroker()
      : sandbox_({ProgramBeside("tollbridge-sandbox"), "--listen", "127.0.0.1:0", "--kafka",
                  "--kafka-topic", kTopic + ":2"}) {
    const auto line = sandbox_.WaitForLine("kafka_brokers");
    if (!line) throw std::runtime_error("no broker: " + sandbox_.standard_error());
    brokers_ = boost::json::parse(*line).at("kafka_brokers").as_string();
  }
  const std::string& brokers() const { return brokers_; }

 private:
  Process sandbox_;
  std::string brokers_;
};

class ClientTest : public testing::TestWithParam<Client> {
 protected:
  /// The records from `first` on, written by the client.
  void ProduceBatch(int first) {
    std::string lines;
    for (int i = first; i < first + kBatch; ++i) {
      lines += GetParam().before_key + Numbered("key", i) + ":" + Numbered("value", i) + "\n";
    }
    const Finished finished = test::Run(
        GetParam().produce(broker_.brokers(), folder_.Write("records", lines)), {}, kLimit);
    ASSERT_EQ(finished.code, 0) << finished.output << finished.error;
  }
  Command Consume() const { return GetParam().consume(broker_.brokers()); }

  DemoBroker broker_;
  TempFolder folder_;
};

/// Whether the members have told all records from `first` on, each with its key and its header.
bool ToldBatch(int first, const std::vector<const Process*>& members) {
  std::set<std::string> told;
  for (const Process* member : members) {
    std::istringstream lines(member->standard_output());
    for (std::string line; std::getline(lines, line);) {
      for (int i = first; i < first + kBatch; ++i) {
        if (line.find(Numbered("value", i)) != std::string::npos &&
            line.find(Numbered("key", i)) != std::string::npos &&
            line.find("by-itself") != std::string::npos) {
          told.insert(Numbered("value", i));
        }
      }
    }
  }
  return told.size() == kBatch;
}

void Leave(Process& member) {
  member.Signal(SIGTERM);
  EXPECT_TRUE(member.WaitForExit(kLimit)) << member.standard_output();
}

TEST_P(ClientTest, ProducesAndSharesAGroupThatGoesOnBehindItsCommits) {
  ASSERT_NO_FATAL_FAILURE(ProduceBatch(0));
  std::set<std::int32_t> partitions;
  Topic topic(broker_.brokers(), kTopic);
  for (const TopicRecord& record : topic.ReadAll()) {
    partitions.insert(record.partition);
  }
  ASSERT_THAT(partitions, SizeIs(2));
  {
    Process member(Consume());
    ASSERT_TRUE(Eventually([&] { return ToldBatch(0, {&member}); }, kLimit))
        << member.standard_output() << member.standard_error();
    Leave(member);
  }
  Process one(Consume());
  Process other(Consume());
  const std::regex shares(GetParam().shares);
  for (const Process* member : {&one, &other}) {
    ASSERT_TRUE(Eventually([&] { return std::regex_search(member->standard_output(), shares); },
                           kRebalanceLimit))
        << "one:\n"
        << one.standard_output() << one.standard_error() << "the other:\n"
        << other.standard_output() << other.standard_error();
  }
  ASSERT_NO_FATAL_FAILURE(ProduceBatch(kBatch));
  EXPECT_TRUE(Eventually([&] { return ToldBatch(kBatch, {&one, &other}); }, kLimit))
      << one.standard_output() << "\n"
      << other.standard_output();
  for (Process* member : {&one, &other}) {
    EXPECT_THAT(member->standard_output(), HasSubstr("value-"));
    for (int i = 0; i < kBatch; ++i) {
      EXPECT_THAT(member->standard_output(), Not(HasSubstr(Numbered("value", i))));
    }
    Leave(*member);
  }
}

INSTANTIATE_TEST_SUITE_P(Kafka, ClientTest, testing::ValuesIn(Clients()),
                         [](const auto& client) { return client.param.name; });

/// Each in the shape of an event of the gateway, in JSON: a completed order of its own.
std::vector<TopicRecord> CompletedOrders(int first) {
  std::vector<TopicRecord> records;
  for (int i = first; i < first + kBatch; ++i) {
    const std::string order = Numbered("order", i);
    TopicRecord record;
    record.key = order;
    record.value = R"({"id": ")" + Numbered("event", i) + R"(", "orderId": ")" + order +
                   R"(", "rootOrderId": ")" + order +
                   R"(", "type": "tollbridge.payment.completed.v1", "kind": "EVENT_KIND_PAYMENT",
                       "what": "EVENT_WHAT_COMPLETED", "sequence": "1", "stream": "stream",
                       "currency": "EUR", "amount": "100"})";
    record.headers = {{"content-type", "application/json"}};
    records.push_back(record);
  }
  return records;
}

class LedgerTest : public testing::TestWithParam<LedgerProgram> {
 protected:
  Command Ledger(const std::string& database, const Command& options = {}) const {
    return GetParam().command +
           Command{"--brokers",  broker_.brokers(),       "--topic", kTopic, "--group", kGroup,
                   "--database", folder_.PathOf(database)} +
           options;
  }
  void RunToEnd(const std::string& database) const {
    const Finished finished = test::Run(Ledger(database, {"--until-end"}), {}, kRebalanceLimit);
    ASSERT_EQ(finished.code, 0) << finished.output << finished.error;
  }
  std::set<std::string> Booked(const std::string& database) const {
    const Finished finished = test::Run(Ledger(database, {"--report"}), {}, kLimit);
    EXPECT_EQ(finished.code, 0) << finished.error;
    const boost::json::object report = boost::json::parse(finished.output).as_object();
    std::set<std::string> orders;
    for (const auto& entry : report.at("orders").as_object()) orders.emplace(entry.key());
    return orders;
  }
  void Produce(int first) { ProduceAll(broker_.brokers(), kTopic, CompletedOrders(first)); }

  DemoBroker broker_;
  TempFolder folder_;
};

std::set<std::string> OrdersFrom(int first) {
  std::set<std::string> orders;
  for (int i = first; i < first + kBatch; ++i) orders.insert(Numbered("order", i));
  return orders;
}

TEST_P(LedgerTest, SharesAGroupThatGoesOnBehindItsCommits) {
  Produce(0);
  ASSERT_NO_FATAL_FAILURE(RunToEnd("first"));
  EXPECT_EQ(Booked("first"), OrdersFrom(0));
  Produce(kBatch);
  ASSERT_NO_FATAL_FAILURE(RunToEnd("second"));
  EXPECT_EQ(Booked("second"), OrdersFrom(kBatch));

  Process one(Ledger("one"));
  Process other(Ledger("other"));
  // They do not say what they share: whoever has a partition books what comes to it.
  const auto books = [](const Process& member) {
    return member.standard_output().find("booked ") != std::string::npos;
  };
  int next = 2 * kBatch;
  ASSERT_TRUE(Eventually(
      [&] {
        Produce(next);
        next += kBatch;
        return Eventually([&] { return books(one) && books(other); }, std::chrono::seconds(1));
      },
      kRebalanceLimit))
      << one.standard_error() << other.standard_error();
}

INSTANTIATE_TEST_SUITE_P(Example, LedgerTest, testing::ValuesIn(LedgerPrograms()),
                         [](const auto& program) { return program.param.language; });

TEST(ClientsTest, TheProgramsAreThere) {
  for (const char* name :
       {"TOLLBRIDGE_KAFKA_LIBS", "TOLLBRIDGE_CLIENTS_PYTHON", "TOLLBRIDGE_PYTHON"}) {
    EXPECT_NE(std::getenv(name), nullptr) << name << ": ./dev test sets it";
  }
  for (const char* name : {"TOLLBRIDGE_CLIENTS_NODE", "TOLLBRIDGE_GO_LEDGER"}) {
    EXPECT_NE(std::getenv(name), nullptr)
        << name << ": ./dev test sets it, to nothing where Node or Go is missing";
  }
}

}  // namespace
}  // namespace tollbridge::test
