#include "base/net/certificate_end.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/test_certificates.h"

namespace tollbridge::net {
namespace {

TEST(CertificateEndTest, IsInTheFuture) {
  const test::TestCertificates certificates("DNS:localhost");
  const auto end = FirstCertificateEnd(certificates.certificate_file());
  ASSERT_TRUE(end);
  const auto now = std::chrono::system_clock::now();
  EXPECT_GT(*end, now);
  EXPECT_LT(*end, now + std::chrono::years(200));
}

TEST(CertificateEndTest, AFileWithoutACertificateHasNone) {
  const test::TestCertificates certificates("DNS:localhost");
  EXPECT_FALSE(FirstCertificateEnd(certificates.key_file()));
  EXPECT_FALSE(FirstCertificateEnd("/nowhere/at/all.pem"));
}

}  // namespace
}  // namespace tollbridge::net
