// docs/guides/consumers.md lists the fields, kinds, whats and headers of events, and the fields of
// records of operations. Here its tables are compared with the .proto and with what is built.

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "services/domain/wire_names.h"
#include "services/events/event_builder.h"
#include "tollbridge/events/v1/events.pb.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::events {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

std::vector<std::string> Lines() {
  std::ifstream file(TOLLBRIDGE_SOURCE_DIR "/docs/guides/consumers.md");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// The names in the first column of the table whose heading begins with `| heading |`.
std::vector<std::string> FirstColumn(const std::string& heading) {
  std::vector<std::string> names;
  bool inside = false;
  for (const std::string& line : Lines()) {
    if (line.starts_with("| " + heading + " |")) inside = true;
    if (!line.starts_with("|")) inside = false;
    if (!inside || !line.starts_with("| `")) continue;
    names.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  return names;
}

std::vector<std::string> WireValues(const google::protobuf::EnumDescriptor& type) {
  std::vector<std::string> values;
  for (int i = 0; i < type.value_count(); ++i) {
    const std::string_view value = domain::WireNameOf(type, type.value(i)->number());
    if (!value.empty()) values.emplace_back(value);
  }
  return values;
}

TEST(ConsumersPageTest, HasEveryFieldInTheOrderOfTheProto) {
  std::vector<std::string> fields;
  const google::protobuf::Descriptor& event = *v1::PaymentEvent::descriptor();
  for (int i = 0; i < event.field_count(); ++i) fields.push_back(event.field(i)->name());
  EXPECT_THAT(FirstColumn("field"), ElementsAreArray(fields));
}

TEST(ConsumersPageTest, HasEveryFieldOfAHeartbeat) {
  std::vector<std::string> fields;
  const google::protobuf::Descriptor& heartbeat = *v1::Heartbeat::descriptor();
  for (int i = 0; i < heartbeat.field_count(); ++i) fields.push_back(heartbeat.field(i)->name());
  EXPECT_THAT(FirstColumn("field of a heartbeat"), ElementsAreArray(fields));
}

TEST(ConsumersPageTest, HasEveryKindAndEveryWhat) {
  EXPECT_THAT(FirstColumn("kind"),
              UnorderedElementsAreArray(WireValues(*v1::EventKind_descriptor())));
  EXPECT_THAT(FirstColumn("what"),
              UnorderedElementsAreArray(WireValues(*v1::EventWhat_descriptor())));
}

TEST(ConsumersPageTest, HasEveryHeaderThatIsSent) {
  v1::PaymentEvent event;
  event.set_id("id");
  event.set_type("type");
  event.set_order_id("order");
  event.set_root_order_id("root");
  event.set_stream("stream");
  const storage::v1::OutboxEntry entry = MakeOutboxEntry(
      event, {.traceparent = "a", .tracestate = "c", .origin_traceparent = "b"}, {});
  std::vector<std::string> headers;
  for (const storage::v1::Header& header : entry.headers()) headers.push_back(header.name());
  EXPECT_THAT(FirstColumn("header"), ElementsAreArray(headers));
}

TEST(ConsumersPageTest, HasEveryFieldOfARecordOfAnOperation) {
  std::vector<std::string> fields;
  const google::protobuf::Descriptor& record = *operations::v1::OperationRecord::descriptor();
  for (int i = 0; i < record.field_count(); ++i) fields.push_back(record.field(i)->name());
  EXPECT_THAT(FirstColumn("field of a record"), ElementsAreArray(fields));
}

TEST(ConsumersPageTest, TellsTheSizeOverWhichTheOrderIsLeftOut) {
  static_assert(kMaxEventBytes == 512 * 1024);
  std::string page;
  for (const std::string& line : Lines()) page += line + "\n";
  EXPECT_THAT(page, HasSubstr("512 KiB"));
}

}  // namespace
}  // namespace tollbridge::events
