#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "gateway/config/adapter_settings.h"
#include "gateway/config/secrets.h"
#include "gateway/config/trace_headers.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::gateway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TracesSettingsTest : public ::testing::Test {
 protected:
  TracesSettingsTest() {
    config_.traces.otlp_endpoint = "http://collector.example:4318/v1/traces";
    config_.traces.headers_file = folder_.PathOf("headers");
  }

  absl::StatusOr<telemetry_exporters::TracingSettings> With(const std::string& headers) {
    folder_.Write("headers", headers);
    const absl::StatusOr<Secrets> secrets = LoadSecrets(config_, {.traces = true});
    if (!secrets.ok()) return secrets.status();
    return TracesSettings(config_, *secrets);
  }

  test::TempFolder folder_;
  Config config_;
};

TEST_F(TracesSettingsTest, HeadersComeFromTheirFile) {
  const auto settings = With("authorization: Bearer a:b \n\n x-tenant:\tshop\n");
  ASSERT_TRUE(settings.ok()) << settings.status();
  const http::Headers headers = settings->otlp_headers();
  EXPECT_EQ(headers.Find("Authorization"), "Bearer a:b");
  EXPECT_EQ(headers.Find("x-tenant"), "shop");
  EXPECT_EQ(headers.size(), 2U);
}

TEST_F(TracesSettingsTest, ALineThatIsNoHeaderIsNamedByItsNumber) {
  for (const std::string line : {"hush", "hush:", ": hush", "a b: hush", "Host: hush"}) {
    EXPECT_THAT(std::string(With("x-tenant: shop\n" + line + "\n").status().message()),
                AllOf(HasSubstr("traces.headers_file[1]: "), Not(HasSubstr("hush"))))
        << line;
  }
}

TEST_F(TracesSettingsTest, TheFileIsReadAgainWhenItHasChanged) {
  BootTime now{std::chrono::hours(1)};
  const auto put = [&](const std::string& content) { folder_.Write("headers", content); };
  put("authorization: Bearer before");
  const auto headers = TraceHeaders::Open(folder_.PathOf("headers"), [&] { return now; });
  ASSERT_TRUE(headers.ok()) << headers.status();
  // What is in force when the file has been left alone for two looks.
  const auto later = [&] {
    for (int look = 0; look < 2; ++look) {
      now += std::chrono::seconds(1);
      (*headers)->Get();
    }
    return std::string((*headers)->Get().Find("authorization").value_or("none"));
  };
  EXPECT_EQ(later(), "Bearer before");
  put("authorization: Bearer after\nx-tenant: shop");
  EXPECT_EQ(later(), "Bearer after");
  const std::uint64_t failures = SecretFileFailures(SecretKind::kSecret);
  put("authorization: Bearer broken\nno header");
  EXPECT_EQ(later(), "Bearer after") << "the last good headers";
  EXPECT_EQ(SecretFileFailures(SecretKind::kSecret), failures + 1);
  EXPECT_EQ(later(), "Bearer after");
  EXPECT_EQ(SecretFileFailures(SecretKind::kSecret), failures + 3)
      << "with each look while it lasts";
  put("authorization: Bearer mended");
  EXPECT_EQ(later(), "Bearer mended");
}

TEST_F(TracesSettingsTest, TheFileIsReadOnlyWhereSomethingIsExported) {
  EXPECT_THAT(std::string(LoadSecrets(config_, {.traces = true}).status().message()),
              HasSubstr("traces.headers_file"));
  config_.traces.otlp_endpoint = "";
  EXPECT_TRUE(LoadSecrets(config_, {.traces = true}).ok());
}

TEST_F(TracesSettingsTest, WhatCannotBeUsedIsNamed) {
  config_.traces.otlp_endpoint = "collector:4318";
  EXPECT_THAT(std::string(With("a: b").status().message()), HasSubstr("traces.otlp_endpoint: "));
  config_.traces.otlp_endpoint = "https://collector.example/v1/traces";
  config_.traces.ca_file = "/nothing/ca.pem";
  EXPECT_THAT(std::string(With("a: b").status().message()), HasSubstr("/nothing/ca.pem"));
  config_.traces.ca_file = "";
  EXPECT_NE(With("a: b")->otlp_tls, nullptr);
}

}  // namespace
}  // namespace tollbridge::gateway
