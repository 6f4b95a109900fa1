// docs/contract holds the contract of both topics for machines: an AsyncAPI document and the
// descriptors. Here both are made anew and compared, and read as those would who use them.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/kafka/settings.h"
#include "base/config/pretty_json.h"
#include "services/domain/event_id.h"
#include "services/events/event_builder.h"
#include "tests/support/read_file.h"
#include "tests/unit/event_contract/asyncapi.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::contract {
namespace {

namespace pb = google::protobuf;
using testing::ElementsAreArray;
using testing::UnorderedElementsAreArray;

const std::filesystem::path kFolder = TOLLBRIDGE_SOURCE_DIR "/docs/contract";

/// Files come with what they import before them.
std::unique_ptr<pb::DescriptorPool> PoolOf(const pb::FileDescriptorSet& set) {
  auto pool = std::make_unique<pb::DescriptorPool>();
  for (const pb::FileDescriptorProto& file : set.file()) {
    EXPECT_NE(pool->BuildFile(file), nullptr) << file.name();
  }
  return pool;
}

std::string Made() {
  pb::FileDescriptorSet set;
  EXPECT_TRUE(set.ParseFromString(test::ReadFile(TOLLBRIDGE_COMMENTED_PROTOS)));
  return config::PrettyJson(AsyncApi(*PoolOf(set)));
}

/// The file as it is, which is written first when that is asked for.
std::string Kept(const std::string& name, const std::string& made) {
  if (std::getenv("TOLLBRIDGE_WRITE") != nullptr) {
    std::ofstream(kFolder / name, std::ios::binary) << made;
  }
  return test::ReadFile(kFolder / name);
}

boost::json::value Document() {
  return boost::json::parse(test::ReadFile(kFolder / "asyncapi.json"));
}

/// A record with everything in it that an event can have.
storage::v1::OutboxEntry Record(events::v1::PaymentEvent event) {
  event.set_id("id");
  event.set_type(domain::EventType(event.kind(), event.what()));
  event.set_order_id("order");
  event.set_root_order_id("root");
  event.set_stream("stream");
  return events::MakeOutboxEntry(
      event, {.traceparent = "a", .tracestate = "c", .origin_traceparent = "b"}, {});
}

/// All values of members named $ref, at any depth.
void References(const boost::json::value& at, std::vector<std::string>& found) {
  if (at.is_array()) {
    for (const auto& each : at.as_array()) References(each, found);
  }
  if (!at.is_object()) return;
  for (const auto& [name, value] : at.as_object()) {
    if (name == "$ref") found.emplace_back(value.as_string());
    References(value, found);
  }
}

TEST(ContractFilesTest, AreAsTheProtoFilesMakeThem) {
  const std::string document = Made();
  const std::string descriptors = DescriptorSet();
  constexpr char kHow[] = "./dev contract makes it anew";
  EXPECT_TRUE(Kept("asyncapi.json", document) == document) << kHow;
  EXPECT_TRUE(Kept("tollbridge.binpb", descriptors) == descriptors) << kHow;
}

TEST(AsyncApiTest, EachReferenceLeadsSomewhere) {
  const boost::json::value document = Document();
  EXPECT_EQ(document.at("asyncapi").as_string(), "3.0.0");
  std::vector<std::string> references;
  References(document, references);
  EXPECT_GT(references.size(), 100U);
  for (const std::string& reference : references) {
    ASSERT_TRUE(reference.starts_with("#/")) << reference;
    boost::system::error_code error;
    EXPECT_NE(document.find_pointer(reference.substr(1), error), nullptr) << reference;
  }
}

TEST(AsyncApiTest, HasBothTopicsAndWhoWritesToThem) {
  const boost::json::value document = Document();
  const kafka::Settings topics;
  const auto& channels = document.at("channels").as_object();
  ASSERT_EQ(channels.size(), 2U);
  EXPECT_EQ(channels.at("events").at("address").as_string(), topics.events_topic);
  EXPECT_EQ(channels.at("operations").at("address").as_string(), topics.operations_topic);
  for (const auto& [name, channel] : channels) {
    EXPECT_EQ(channel.at("bindings").at("kafka").at("topic"), channel.at("address"));
  }
  std::vector<std::string> sent_to;
  for (const auto& [name, operation] : document.at("operations").as_object()) {
    EXPECT_EQ(operation.at("action").as_string(), "send");
    sent_to.emplace_back(operation.at("channel").at("$ref").as_string());
  }
  EXPECT_THAT(sent_to, UnorderedElementsAreArray({"#/channels/events", "#/channels/operations"}));
}

TEST(AsyncApiTest, HasAMessageForEachTypeOfEventWithItsHeaders) {
  const boost::json::value document = Document();
  std::map<std::string, std::string> outcome_by_type;
  for (const auto& [name, reference] :
       document.at("channels").at("events").at("messages").as_object()) {
    if (name == "heartbeat") continue;
    const auto& message = document.at("components").at("messages").at(name);
    EXPECT_EQ(reference.at("$ref").as_string(), "#/components/messages/" + std::string(name));
    EXPECT_EQ(message.at("payload").at("$ref").as_string(), "#/components/schemas/PaymentEvent");
    const auto& headers = message.at("headers").at("allOf").as_array();
    EXPECT_EQ(headers.at(0).at("$ref").as_string(), "#/components/schemas/EventHeaders");
    const auto& own = headers.at(1).at("properties");
    EXPECT_EQ(own.at("ce_type").at("const"), message.at("name"));
    outcome_by_type[std::string(message.at("name").as_string())] =
        std::string(own.at("ce_isoutcome").at("const").as_string());
  }
  std::map<std::string, std::string> expected;
  const pb::EnumDescriptor& kinds = *events::v1::EventKind_descriptor();
  const pb::EnumDescriptor& whats = *events::v1::EventWhat_descriptor();
  for (int k = 1; k < kinds.value_count(); ++k) {
    for (int w = 1; w < whats.value_count(); ++w) {
      const bool is_progress = whats.value(w)->name() == "EVENT_WHAT_CREATED" ||
                               whats.value(w)->name() == "EVENT_WHAT_PROCESSING";
      expected[domain::EventType(static_cast<events::v1::EventKind>(kinds.value(k)->number()),
                                 static_cast<events::v1::EventWhat>(whats.value(w)->number()))] =
          is_progress ? "false" : "true";
    }
  }
  EXPECT_EQ(outcome_by_type, expected);
}

TEST(AsyncApiTest, HasEachHeaderThatIsSent) {
  const boost::json::value document = Document();
  const auto expect_all = [&](const char* schema, const storage::v1::OutboxEntry& record) {
    std::vector<std::string> sent;
    for (const storage::v1::Header& header : record.headers()) sent.push_back(header.name());
    std::vector<std::string> described;
    const auto& properties = document.at("components").at("schemas").at(schema).at("properties");
    for (const auto& [name, header] : properties.as_object()) {
      described.emplace_back(name);
      EXPECT_FALSE(header.at("description").as_string().empty());
    }
    EXPECT_THAT(described, ElementsAreArray(sent)) << schema;
  };
  expect_all("EventHeaders", Record({}));
  events::v1::Heartbeat heartbeat;
  heartbeat.mutable_published_before()->set_seconds(1);
  expect_all("HeartbeatHeaders", events::MakeHeartbeatEntry(heartbeat, Uuid(), {}));
}

TEST(AsyncApiTest, HasTheHeartbeatAmongTheEvents) {
  const boost::json::value document = Document();
  const auto& messages = document.at("channels").at("events").at("messages");
  EXPECT_EQ(messages.at("heartbeat").at("$ref").as_string(), "#/components/messages/heartbeat");
  const auto& message = document.at("components").at("messages").at("heartbeat");
  EXPECT_EQ(message.at("name").as_string(), "tollbridge.heartbeat.v1");
  EXPECT_EQ(message.at("payload").at("$ref").as_string(), "#/components/schemas/Heartbeat");
}

TEST(AsyncApiTest, HasEachFieldAsJsonNamesItAndNoneThatIsSecret) {
  const boost::json::value document = Document();
  for (const pb::Descriptor* type :
       {events::v1::PaymentEvent::descriptor(), events::v1::Heartbeat::descriptor(),
        operations::v1::OperationRecord::descriptor()}) {
    std::vector<std::string> fields;
    for (int i = 0; i < type->field_count(); ++i) fields.push_back(type->field(i)->json_name());
    std::vector<std::string> described;
    const auto& properties =
        document.at("components").at("schemas").at(type->name()).at("properties").as_object();
    for (const auto& [name, property] : properties) {
      described.emplace_back(name);
      EXPECT_FALSE(property.at("description").as_string().empty()) << name;
    }
    EXPECT_THAT(described, ElementsAreArray(fields));
  }
  const auto& order = document.at("components").at("schemas").at("Order").at("properties");
  EXPECT_TRUE(order.as_object().contains("merchantOrderId"));
  EXPECT_FALSE(order.as_object().contains("webhookUrl"));
  EXPECT_EQ(boost::json::serialize(document).find("vaultToken"), std::string::npos);
}

TEST(DescriptorSetTest, ReadsAnEventAndARecordOfAnOperation) {
  pb::FileDescriptorSet set;
  ASSERT_TRUE(set.ParseFromString(test::ReadFile(kFolder / "tollbridge.binpb")));
  const std::unique_ptr<pb::DescriptorPool> pool = PoolOf(set);
  pb::DynamicMessageFactory factory;
  events::v1::PaymentEvent event;
  event.set_kind(events::v1::EVENT_KIND_REFUND);
  event.set_what(events::v1::EVENT_WHAT_COMPLETED);
  event.mutable_order()->set_merchant_order_id("order 42");
  const storage::v1::OutboxEntry record = Record(event);
  const pb::Descriptor* type = pool->FindMessageTypeByName("tollbridge.events.v1.PaymentEvent");
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(type->index(), 0) << "what the frame of encoding confluent says of it";
  const std::unique_ptr<pb::Message> read(factory.GetPrototype(type)->New());
  ASSERT_TRUE(read->ParseFromString(record.payload()));
  events::v1::PaymentEvent expected;
  ASSERT_TRUE(expected.ParseFromString(record.payload()));
  EXPECT_EQ(read->DebugString(), expected.DebugString());
  EXPECT_NE(pool->FindMessageTypeByName("tollbridge.operations.v1.OperationRecord"), nullptr);
}

}  // namespace
}  // namespace tollbridge::contract
