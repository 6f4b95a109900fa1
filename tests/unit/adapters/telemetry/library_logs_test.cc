#include "adapters/telemetry/library_logs.h"

#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <grpc/support/log.h>
#include <gtest/gtest.h>
#include <opentelemetry/sdk/common/global_log_handler.h>

#include "base/telemetry/log.h"

namespace tollbridge::telemetry_exporters {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LibraryLogsTest, WhatLibrariesPrintBecomesJsonLines) {
  const telemetry::LogCapture capture;
  RouteLibraryLogs();
  google::protobuf::Value invalid;
  invalid.set_string_value("\xff");
  (void)invalid.SerializeAsString();  // complains about UTF-8
  gpr_log("file.cc", 1, GPR_LOG_SEVERITY_ERROR, "from %s", "gRPC");
  OTEL_INTERNAL_LOG_WARN("from OpenTelemetry");
  EXPECT_THAT(
      capture.lines(),
      ElementsAre(HasSubstr(R"("severity":"error","event":"library_log","library":"protobuf")"),
                  HasSubstr(R"("library":"grpc","message":"from gRPC")"),
                  HasSubstr(R"("library":"opentelemetry","message":"from OpenTelemetry")")));
}

}  // namespace
}  // namespace tollbridge::telemetry_exporters
