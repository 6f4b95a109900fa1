#include "base/net/certificate_end.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <string>

#include "tests/support/read_file.h"
#include "tests/support/temp_folder.h"
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

TEST(CertificateEndTest, OfSeveralTheFirstOrTheLastToEnd) {
  const test::TestCertificates ended("DNS:localhost", std::chrono::hours(-1));
  const test::TestCertificates good("DNS:localhost");
  const test::TempFolder folder;
  const std::string one = test::ReadFile(ended.ca_file());
  const std::string other = test::ReadFile(good.ca_file());
  for (const std::string& both : {one + other, other + one}) {
    const std::string bundle = folder.Write("bundle.pem", both);
    EXPECT_EQ(FirstCertificateEnd(bundle), FirstCertificateEnd(ended.ca_file()));
    EXPECT_EQ(LastCertificateEnd(bundle), FirstCertificateEnd(good.ca_file()));
  }
  EXPECT_FALSE(LastCertificateEnd(good.key_file()));
}

TEST(CertificateEndTest, APipeIsNotOpened) {
  const test::TempFolder folder;
  const std::string pipe = folder.PathOf("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(FirstCertificateEnd(pipe));
}

TEST(CertificateEndTest, AKeyIsThatOfItsCertificateAlone) {
  const test::TestCertificates first("DNS:localhost");
  const test::TestCertificates second("DNS:localhost");
  EXPECT_TRUE(IsKeyOf(first.key_file(), first.certificate_file()));
  EXPECT_FALSE(IsKeyOf(first.key_file(), second.certificate_file()));
  EXPECT_FALSE(IsKeyOf(first.certificate_file(), first.certificate_file()));
  EXPECT_FALSE(IsKeyOf("/nowhere/at/all.pem", first.certificate_file()));
}

}  // namespace
}  // namespace tollbridge::net
