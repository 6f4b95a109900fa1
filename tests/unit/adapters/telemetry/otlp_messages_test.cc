#include "adapters/telemetry/otlp_messages.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <opentelemetry/sdk/instrumentationscope/instrumentation_scope.h>
#include <opentelemetry/sdk/resource/resource.h>
#include <opentelemetry/sdk/trace/span_data.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tollbridge::telemetry_exporters {
namespace {

namespace pb = google::protobuf;
namespace sdk = opentelemetry::sdk;
namespace trace = opentelemetry::trace;
using ::testing::HasSubstr;

/// OpenTelemetry's own message, of the library that a program of ours does without.
const pb::Descriptor* Theirs(const std::string& name) {
  const pb::Descriptor* const found =
      pb::DescriptorPool::generated_pool()->FindMessageTypeByName("opentelemetry.proto." + name);
  EXPECT_NE(found, nullptr) << name;
  return found;
}

void ExpectSame(const pb::EnumDescriptor& ours, const pb::EnumDescriptor& theirs) {
  ASSERT_EQ(ours.value_count(), theirs.value_count()) << ours.full_name();
  for (int i = 0; i < ours.value_count(); ++i) {
    // What says nothing is UNSPECIFIED in ours, whatever it is called there.
    if (i > 0) EXPECT_EQ(ours.value(i)->name(), theirs.value(i)->name());
    EXPECT_EQ(ours.value(i)->number(), theirs.value(i)->number()) << ours.value(i)->name();
  }
}

/// Fields that ours has are as theirs.
void ExpectSame(const pb::Descriptor& ours, const pb::Descriptor& theirs) {
  for (int i = 0; i < ours.field_count(); ++i) {
    const pb::FieldDescriptor& field = *ours.field(i);
    const pb::FieldDescriptor* const other = theirs.FindFieldByNumber(field.number());
    ASSERT_NE(other, nullptr) << field.full_name();
    EXPECT_EQ(field.name(), other->name());
    EXPECT_EQ(field.type(), other->type()) << field.full_name();
    EXPECT_EQ(field.label(), other->label()) << field.full_name();
    if (field.enum_type() != nullptr) ExpectSame(*field.enum_type(), *other->enum_type());
  }
  for (int i = 0; i < ours.nested_type_count(); ++i) {
    const pb::Descriptor* const other = theirs.FindNestedTypeByName(ours.nested_type(i)->name());
    ASSERT_NE(other, nullptr) << ours.nested_type(i)->full_name();
    ExpectSame(*ours.nested_type(i), *other);
  }
}

TEST(OtlpMessagesTest, FieldsAreThoseOfOpenTelemetry) {
  const std::map<std::string, std::string> theirs = {
      {"ExportTracesRequest", "collector.trace.v1.ExportTraceServiceRequest"},
      {"ExportTracesResponse", "collector.trace.v1.ExportTraceServiceResponse"},
      {"PartialSuccess", "collector.trace.v1.ExportTracePartialSuccess"},
      {"ResourceSpans", "trace.v1.ResourceSpans"},
      {"ScopeSpans", "trace.v1.ScopeSpans"},
      {"Span", "trace.v1.Span"},
      {"Status", "trace.v1.Status"},
      {"Resource", "resource.v1.Resource"},
      {"InstrumentationScope", "common.v1.InstrumentationScope"},
      {"KeyValue", "common.v1.KeyValue"},
      {"AnyValue", "common.v1.AnyValue"},
      {"ArrayValue", "common.v1.ArrayValue"},
  };
  const pb::FileDescriptor& file = *otlp::v1::Span::descriptor()->file();
  for (int i = 0; i < file.message_type_count(); ++i) {
    const pb::Descriptor& ours = *file.message_type(i);
    ASSERT_TRUE(theirs.contains(ours.name())) << ours.name();
    const pb::Descriptor* const other = Theirs(theirs.at(ours.name()));
    ASSERT_NE(other, nullptr);
    ExpectSame(ours, *other);
  }
}

/// The batch, as OpenTelemetry's own messages read it.
std::string ReadByTheirs(const otlp::v1::ExportTracesRequest& batch) {
  const pb::Descriptor* const type = Theirs("collector.trace.v1.ExportTraceServiceRequest");
  const std::unique_ptr<pb::Message> read(
      pb::MessageFactory::generated_factory()->GetPrototype(type)->New());
  EXPECT_TRUE(read->ParseFromString(batch.SerializeAsString()));
  std::string text;
  pb::TextFormat::PrintToString(*read, &text);
  return text;
}

class Batch {
 public:
  sdk::trace::SpanData& Add() {
    auto span = std::make_unique<sdk::trace::SpanData>();
    sdk::trace::SpanData& added = *span;
    added.SetResource(resource_);
    added.SetInstrumentationScope(*scope_);
    spans_.push_back(std::move(span));
    return added;
  }

  otlp::v1::ExportTracesRequest ToOtlp() {
    return telemetry_exporters::ToOtlp({spans_.data(), spans_.size()});
  }

 private:
  sdk::resource::Resource resource_ =
      sdk::resource::Resource::Create({{"service.name", "gateway"}});
  std::unique_ptr<sdk::instrumentationscope::InstrumentationScope> scope_ =
      sdk::instrumentationscope::InstrumentationScope::Create("recorder", "7");
  std::vector<std::unique_ptr<sdk::trace::Recordable>> spans_;
};

TEST(OtlpMessagesTest, OpenTelemetryReadsAllOfASpan) {
  constexpr std::uint8_t kTraceId[16] = {1, 2, 3};
  constexpr std::uint8_t kSpanId[8] = {4, 5};
  constexpr std::uint8_t kParentId[8] = {6};
  Batch batch;
  sdk::trace::SpanData& span = batch.Add();
  span.SetIdentity({trace::TraceId(kTraceId), trace::SpanId(kSpanId),
                    trace::TraceFlags(trace::TraceFlags::kIsSampled), false},
                   trace::SpanId(kParentId));
  span.SetName("CreateOrder");
  span.SetSpanKind(trace::SpanKind::kServer);
  span.SetStartTime(opentelemetry::common::SystemTimestamp(std::chrono::nanoseconds(1000)));
  span.SetDuration(std::chrono::nanoseconds(234));
  span.SetStatus(trace::StatusCode::kError, "it broke");
  span.SetAttribute("text", "a");
  span.SetAttribute("number", 12);
  span.SetAttribute("large", std::uint64_t{1} << 40);
  span.SetAttribute("share", 0.5);
  span.SetAttribute("yes", true);
  const std::vector<opentelemetry::nostd::string_view> names = {"b", "c"};
  span.SetAttribute("names", names);
  span.AddEvent("retried", opentelemetry::common::SystemTimestamp(std::chrono::nanoseconds(1100)));
  const std::map<std::string, std::string> none;
  span.AddLink({trace::TraceId(kTraceId), trace::SpanId(kParentId), trace::TraceFlags(), true},
               opentelemetry::common::KeyValueIterableView(none));

  const std::string text = ReadByTheirs(batch.ToOtlp());
  for (const std::string& part : {
           R"(value {
        string_value: "gateway")",
           R"(scope {
      name: "recorder"
      version: "7")",
           R"(trace_id: "\001\002\003\000\000\000\000\000\000\000\000\000\000\000\000\000"
      span_id: "\004\005\000\000\000\000\000\000"
      parent_span_id: "\006\000\000\000\000\000\000\000"
      name: "CreateOrder"
      kind: SPAN_KIND_SERVER
      start_time_unix_nano: 1000
      end_time_unix_nano: 1234)",
           R"(string_value: "a")", R"(int_value: 12)", R"(int_value: 1099511627776)",
           R"(double_value: 0.5)", R"(bool_value: true)",
           R"(values {
              string_value: "b")",
           R"(events {
        time_unix_nano: 1100
        name: "retried")",
           R"(links {
        trace_id: "\001\002\003)",
           R"(status {
        message: "it broke"
        code: STATUS_CODE_ERROR)",
           R"(flags: 1)"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(OtlpMessagesTest, SpansOfAProcessAreTogether) {
  Batch batch;
  batch.Add().SetName("first");
  batch.Add().SetName("second");
  const otlp::v1::ExportTracesRequest request = batch.ToOtlp();
  ASSERT_EQ(request.resource_spans_size(), 1);
  ASSERT_EQ(request.resource_spans(0).scope_spans_size(), 1);
  EXPECT_EQ(request.resource_spans(0).scope_spans(0).spans_size(), 2);
}

}  // namespace
}  // namespace tollbridge::telemetry_exporters
