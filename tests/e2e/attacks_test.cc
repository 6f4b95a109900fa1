// What anybody who can connect to a port may try, against the program as it is deployed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/attacks/attacked_gateway.h"
#include "tests/e2e/attacks/attackers.h"
#include "tests/e2e/support/exports.h"
#include "tests/support/gateway_process.h"
#include "tests/support/webhook.h"
#include "tests/unit/base/wire/tls_client.h"

namespace tollbridge::test {
namespace {

using attacks::IdleConnections;
using wire::Renegotiation;

constexpr std::size_t kManyConnections = 10'000;

std::vector<std::string> ManyAddresses() {
  std::vector<std::string> sources;
  for (int i = 2; i < 52; ++i) sources.push_back("127.0.0." + std::to_string(i));
  return sources;
}

class AttacksTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { gateway_ = std::make_unique<AttackedGateway>(false); }
  static void TearDownTestSuite() { gateway_.reset(); }
  static AttackedGateway& gateway() { return *gateway_; }
  static std::uint16_t port() { return gateway_->port(); }

 private:
  static inline std::unique_ptr<AttackedGateway> gateway_;
};

TEST_F(AttacksTest, IdleConnectionsOfOneAddress) {
  gateway().Endures("10,000 idle connections of one address", "address", 5'000, [] {
    const double before = gateway().Refusals("address");
    IdleConnections idle(port(), kManyConnections, {attacks::kAttacker});
    EXPECT_TRUE(gateway().AwaitRefusals("address", before, 5'000));
    EXPECT_TRUE(Eventually([&] { return idle.CountOpen() <= 256; }));
  });
}

TEST_F(AttacksTest, IdleConnectionsOfManyAddresses) {
  // There are files for 512 of them; for the next ones those are closed that wait. Some do not come
  // to say a word.
  gateway().Endures("10,000 idle connections of fifty addresses", "connections", 5'000, [] {
    const double before = gateway().Refusals("connections");
    IdleConnections idle(port(), kManyConnections, ManyAddresses());
    EXPECT_TRUE(gateway().AwaitRefusals("connections", before, 5'000));
    EXPECT_TRUE(Eventually([&] { return idle.CountOpen() <= 512; }));
  });
}

TEST_F(AttacksTest, HalfACallOnEachOfManyConnections) {
  gateway().Endures("half a call on each of 10,000 connections", "connections", 5'000, [] {
    const double before = gateway().Refusals("connections");
    IdleConnections half(port(), kManyConnections, ManyAddresses(), attacks::HalfACall());
    EXPECT_TRUE(gateway().AwaitRefusals("connections", before, 5'000));
    EXPECT_TRUE(Eventually([&] { return half.CountOpen() <= 512; }));
  });
}

TEST_F(AttacksTest, AGzipBomb) {
  const std::string bomb = attacks::GzipBomb();
  gateway().Endures("a gzip bomb of 256 MiB", "compressed", 2, [&] {
    EXPECT_EQ(attacks::SendBomb(port(), bomb, true), "12");
    EXPECT_EQ(attacks::SendBomb(port(), bomb, false), "13");
  });
}

TEST_F(AttacksTest, HalfSentRequests) {
  gateway().Endures("60 half-sent requests on each of 50", "held_bytes", 300, [] {
    const double before = gateway().Refusals("held_bytes");
    const double late = gateway().Refusals("request_timeout");
    const attacks::HalfSentRequests half(port(), 50, 60'000);
    EXPECT_TRUE(gateway().AwaitRefusals("held_bytes", before, 300));
    EXPECT_TRUE(gateway().AwaitRefusals("request_timeout", late, 100));
  });
}

TEST_F(AttacksTest, SmallHalfSentRequests) {
  gateway().Endures("60 requests of a byte each on 200", "held_bytes", 2'000, [] {
    const double before = gateway().Refusals("held_bytes");
    const double late = gateway().Refusals("request_timeout");
    const attacks::HalfSentRequests half(port(), 200, 6);
    EXPECT_TRUE(gateway().AwaitRefusals("held_bytes", before, 2'000));
    EXPECT_TRUE(gateway().AwaitRefusals("request_timeout", late, 1'000));
  });
}

TEST_F(AttacksTest, HeadersOfCommas) {
  gateway().Endures("200 headers of 12,000 values each", "header_bytes", 200,
                    [] { attacks::HeadersOfCommas(port(), 200); });
}

TEST_F(AttacksTest, CallsOfManyHeaders) {
  gateway().Endures("30,000 calls of 480 headers of a byte each", "header_bytes", 30'000,
                    [] { attacks::CallsOfManyHeaders(port()); });
}

TEST_F(AttacksTest, ScrapersThatTakeNoPage) {
  const std::string& url = gateway().stack().metrics_url();
  // With a page for each it would be over the bound of memory.
  gateway().Endures("600 connections that ask for metrics", "connections", 0, [&] {
    const attacks::DeafScrapers scrapers(gateway().metrics_port(), 600);
    // So often that the strict form does not use up the ports of an address.
    for (int i = 0; i < 100; ++i) {
      for (const char* probe : {"/livez", "/readyz", "/metrics"}) {
        EXPECT_EQ(ProbeAt(url, probe).status, 200) << probe;
      }
    }
  });
}

/// Probes that an orchestrator sends, each on a connection of its own: how many get no answer.
int ProbesWithoutAnswer(const std::string& metrics_url, int count) {
  int without = 0;
  for (int i = 0; i < count; ++i) {
    for (const char* probe : {"/livez", "/readyz"}) {
      try {
        EXPECT_EQ(ProbeAt(metrics_url, probe).status, 200) << probe;
      } catch (const std::exception&) {
        ++without;
      }
    }
  }
  return without;
}

constexpr const char* kScrape = "HEAD /metrics HTTP/1.1\r\nHost: gateway.example\r\n\r\n";

TEST_F(AttacksTest, ScrapersThatWait) {
  std::vector<std::string> eight = ManyAddresses();
  eight.resize(8);
  const std::string& url = gateway().stack().metrics_url();
  gateway().Endures("128 scrapers of eight addresses", "connections", 0, [&] {
    const attacks::EndlessRequests scrapers(gateway().metrics_port(), kScrape, eight, 16);
    EXPECT_TRUE(Eventually([&] { return scrapers.answers() >= 200; }));
    EXPECT_EQ(ProbesWithoutAnswer(url, 50), 0);
    EXPECT_EQ(ProbeAt(url, "/metrics").status, 200);
  });
}

TEST_F(AttacksTest, ScrapersThatWaitAtTheAddressOfProbes) {
  const std::string& url = gateway().stack().metrics_url();
  gateway().Endures("16 scrapers of the address of probes", "connections", 0, [&] {
    {
      const attacks::EndlessRequests scrapers(gateway().metrics_port(), kScrape, {"127.0.0.1"}, 16);
      EXPECT_TRUE(Eventually([&] { return scrapers.answers() >= 200; }));
      // Of a hundred: where no scraper waits for a page as another one comes anew, who was not
      // answered yet makes room, and that may be the probe.
      EXPECT_LE(ProbesWithoutAnswer(url, 50), 3);
    }
    // Those that have gone wait for their pages for a while.
    EXPECT_TRUE(Eventually([&] { return ProbeAt(url, "/metrics").status == 200; }));
  });
}

TEST_F(AttacksTest, HeadersThatAreNotWhole) {
  gateway().Endures("headers that are not whole on 240", "request_timeout", 200, [] {
    const double before = gateway().Refusals("request_timeout");
    IdleConnections half(port(), 240, {attacks::kAttacker}, attacks::HalfAHeader());
    EXPECT_TRUE(gateway().AwaitRefusals("request_timeout", before, 200));
    EXPECT_TRUE(Eventually([&] { return half.CountOpen() == 0; }));
  });
}

TEST_F(AttacksTest, CallsWithoutAWindow) {
  gateway().Endures("100 calls without a window on each of 240", "unsent_bytes", 10'000, [] {
    const double before = gateway().Refusals("unsent_bytes");
    IdleConnections calls(port(), 240, {attacks::kAttacker}, attacks::CallsWithoutAWindow());
    EXPECT_TRUE(gateway().AwaitRefusals("unsent_bytes", before, 10'000));
  });
}

TEST_F(AttacksTest, RapidResets) {
  gateway().Endures("100,000 rapid resets", "resets", 100,
                    [] { attacks::RapidResets(port(), 100'000); });
}

TEST_F(AttacksTest, HeadersWithoutEnd) {
  gateway().Endures("HEADERS with 8 MiB of CONTINUATION", "header_bytes", 1,
                    [] { attacks::Continuations(port()); });
}

TEST_F(AttacksTest, PingsWithoutEnd) {
  gateway().Endures("a ping flood", "pings", 1, [] { attacks::PingFlood(port()); });
}

TEST_F(AttacksTest, SettingsWithoutEnd) {
  gateway().Endures("a settings flood", "settings", 1, [] { attacks::SettingsFlood(port()); });
}

TEST_F(AttacksTest, BytesOfOtherProtocols) {
  gateway().Endures("HTTP/1 and what is no HTTP/2", "protocol", 5,
                    [] { attacks::OtherProtocols(port()); });
}

TEST_F(AttacksTest, SlowReadersOfALongStream) {
  // 100 MB, or enough that no socket holds it.
  Seed(gateway().stack(), IsStrict() ? 250'000 : 50'000);
  // They have begun before: what the sandbox does until then delays all its callers.
  attacks::SlowReaders slow(port(), 11);
  ASSERT_TRUE(slow.AllHaveGotSome());
  gateway().Endures("slow readers of 100 MB", "stalled", 1, [&] {
    const double before = gateway().Refusals("stalled");
    const attacks::DeafReader deaf(port());
    EXPECT_TRUE(Eventually([&] {
      slow.OpenALittle();
      return gateway().Refusals("stalled") > before;
    }));
  });
  EXPECT_TRUE(slow.AllHaveGotSome());
}

class WebhookAttacksTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    gateway_ = std::make_unique<AttackedGateway>(false, "[rpc, webhooks]");
  }
  static void TearDownTestSuite() { gateway_.reset(); }
  static AttackedGateway& gateway() { return *gateway_; }

 private:
  static inline std::unique_ptr<AttackedGateway> gateway_;
};

TEST_F(WebhookAttacksTest, PipelinedWithoutEnd) {
  constexpr std::size_t kConnections = 400;
  const std::string url = gateway().stack().webhook_url();
  gateway().Endures("requests without end on 400 connections", "connections", 0, [&] {
    const attacks::EndlessRequests flood(gateway().webhooks_port(),
                                         "GET / HTTP/1.1\r\nHost: gateway.example\r\n\r\n",
                                         {attacks::kAttacker}, kConnections);
    EXPECT_TRUE(Eventually([&] { return flood.answers() >= 10 * kConnections; }));
    EXPECT_EQ(PostWebhook(url, "01890a5d-ac96-774b-bcce-b302099a8057"), 200);
    // Of those that need not wait for Kafka: what of the flood comes before each.
    std::vector<std::size_t> before;
    for (int i = 0; i < 21; ++i) {
      const std::size_t begin = flood.answers();
      EXPECT_EQ(PostWebhook(gateway().stack().ingress_origin() + "/webhooks/none", ""), 404);
      before.push_back(flood.answers() - begin);
    }
    std::ranges::nth_element(before, before.begin() + 10);
    EXPECT_LT(before[10], 10 * kConnections);
  });
}

class TlsAttacksTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { gateway_ = std::make_unique<AttackedGateway>(true); }
  static void TearDownTestSuite() { gateway_.reset(); }
  static AttackedGateway& gateway() { return *gateway_; }

 private:
  static inline std::unique_ptr<AttackedGateway> gateway_;
};

TEST_F(TlsAttacksTest, HandshakesThatStopHalfWay) {
  constexpr std::size_t kAtATime = 240;
  gateway().Endures("TLS handshakes that stop half way", "handshake", kAtATime, [] {
    attacks::HalfHandshakes half(gateway().port(), kAtATime);
    half.AwaitClose();
  });
}

TEST_F(TlsAttacksTest, HellosThatSayTheyAreLong) {
  gateway().Endures("240 messages of TLS that say they are long", "handshake", 240,
                    [] { attacks::LongHellos(gateway().port(), 240); });
}

TEST_F(TlsAttacksTest, HellosWithoutEnd) {
  gateway().Endures("5,000 hellos in TLS, and nothing more", "handshake", 20,
                    [] { attacks::HellosWithoutEnd(gateway().port(), 5'000); });
}

TEST_F(TlsAttacksTest, Renegotiation) {
  const RpcTls tls = gateway().stack().caller_tls().value();
  gateway().Endures("TLS renegotiation", "protocol", 50, [&] {
    for (int i = 0; i < 50; ++i) {
      ASSERT_EQ(wire::AskToRenegotiate(gateway().port(), tls, attacks::kAttacker),
                Renegotiation::kEnded);
    }
  });
}

TEST_F(TlsAttacksTest, KeysThatChangeWithoutEnd) {
  const RpcTls tls = gateway().stack().caller_tls().value();
  gateway().Endures("TLS keys that change without end", "protocol", 20, [&] {
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(wire::ChangesItsKeyInVain(gateway().port(), tls, 100'000, attacks::kAttacker));
    }
  });
}

TEST_F(TlsAttacksTest, BytesThatAreNoTls) {
  gateway().Endures("plaintext at the TLS port", "handshake", 5,
                    [] { attacks::OtherProtocols(gateway().port()); });
}

}  // namespace
}  // namespace tollbridge::test
