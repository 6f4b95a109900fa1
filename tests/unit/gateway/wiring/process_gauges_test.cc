#include "gateway/wiring/process_gauges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <optional>

#include <boost/asio/post.hpp>

#include "base/telemetry/metric_definitions.h"
#include "gateway/config/secret_file.h"
#include "tests/support/series.h"
#include "tests/support/test_certificates.h"

namespace tollbridge::gateway {
namespace {

using test::SeriesOf;

class ShardLagTest : public ::testing::Test {
 protected:
  ~ShardLagTest() override { shards_.Stop(); }

  std::optional<double> Scrape(const std::string& shard) {
    metrics_.RunCollectors();
    return SeriesOf(metrics_, telemetry::kShardLag, {shard});
  }
  /// Until all that was posted to the shard before has run.
  void Drain(std::size_t shard) {
    std::promise<void> done;
    boost::asio::post(shards_.at(shard).executor(), [&done] { done.set_value(); });
    done.get_future().wait();
  }

  telemetry::Metrics metrics_;
  ShardPool shards_{2};
};

TEST_F(ShardLagTest, AShardThatStandsStillShowsForHowLong) {
  ReportShardLag(metrics_, shards_);
  shards_.Start();
  std::promise<void> release;
  boost::asio::post(shards_.at(1).executor(),
                    [gate = release.get_future().share()] { gate.wait(); });
  EXPECT_EQ(Scrape("1"), 0) << "it was only asked";
  const double first = Scrape("1").value_or(0);
  EXPECT_GT(first, 0);
  EXPECT_GT(Scrape("1"), first) << "it grows";
  release.set_value();
  Drain(1);
  EXPECT_GT(Scrape("1"), first) << "the answer that took so long";
}

TEST_F(ShardLagTest, EachShardIsShown) {
  ReportShardLag(metrics_, shards_);
  shards_.Start();
  EXPECT_TRUE(Scrape("0"));
  EXPECT_TRUE(Scrape("1"));
}

TEST(CertificateGaugeTest, ShowsTheEndOfTheOneInForceWhateverComesOfTheFile) {
  const test::TestCertificates first("DNS:localhost");
  const test::TestCertificates longer("DNS:localhost", std::chrono::hours(48));
  const test::ExchangedCertificates files{first};
  telemetry::Metrics metrics;
  ReportCertificates(
      metrics,
      {{.use = "rpc.tls", .file = files.certificate_file(), .key_file = files.key_file()}});
  const auto scraped = [&] {
    metrics.RunCollectors();
    return SeriesOf(metrics, telemetry::kCertificateNotAfter, {"rpc.tls"}).value_or(0);
  };
  const double end = scraped();
  EXPECT_GT(end, 1.7e9);
  files.PutCertificateAlone(longer);
  EXPECT_EQ(scraped(), end) << "its key is another one";
  std::filesystem::remove(files.certificate_file());
  EXPECT_EQ(scraped(), end);
  files.Put(longer);
  EXPECT_GT(scraped(), end + 3600);
}

TEST(CertificateGaugeTest, AFileThatNeverHeldOneShowsNothing) {
  telemetry::Metrics metrics;
  ReportCertificates(metrics, {{.use = "rpc.tls", .file = "/nowhere/at/all.pem"}});
  metrics.RunCollectors();
  EXPECT_FALSE(SeriesOf(metrics, telemetry::kCertificateNotAfter, {"rpc.tls"}));
}

TEST(CertificateGaugeTest, AnAuthorityThatHasEndedIsShown) {
  const test::TestCertificates ended("DNS:localhost", std::chrono::hours(-1));
  telemetry::Metrics metrics;
  ReportCertificates(
      metrics, {{.use = "rpc.tls.client_ca_file", .file = ended.ca_file(), .authorities = true}});
  metrics.RunCollectors();
  const auto end =
      SeriesOf(metrics, telemetry::kCertificateNotAfter, {"rpc.tls.client_ca_file"}).value_or(0);
  EXPECT_GT(end, 1.7e9);
  EXPECT_LT(std::chrono::duration<double>(end),
            std::chrono::system_clock::now().time_since_epoch());
}

TEST(SecretFileGaugeTest, CountsFromTheStartOfTheProcess) {
  telemetry::Metrics metrics;
  ReportSecretFiles(metrics);
  metrics.RunCollectors();
  for (const std::string_view what : telemetry::kSecretKinds) {
    EXPECT_EQ(SeriesOf(metrics, telemetry::kSecretFileFailures, {std::string(what)}), 0)
        << "a first failure of " << what << " would be no increase else";
  }
  NoteSecretFileFailure(SecretKind::kCallers);
  for (int scrape = 0; scrape < 2; ++scrape) {
    metrics.RunCollectors();
    EXPECT_EQ(SeriesOf(metrics, telemetry::kSecretFileFailures, {"callers"}), 1);
    EXPECT_EQ(SeriesOf(metrics, telemetry::kSecretFileFailures, {"tls"}), 0);
  }
}

}  // namespace
}  // namespace tollbridge::gateway
