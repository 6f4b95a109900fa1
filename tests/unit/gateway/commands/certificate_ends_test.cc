#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "gateway/commands/check_online.h"
#include "tests/support/test_certificates.h"

namespace tollbridge::gateway {
namespace {

using std::chrono::hours;
using test::TestCertificates;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Findings Check(const TestCertificates& shown, const TestCertificates& trusted) {
  Config config;
  config.process.roles = {"rpc"};
  config.rpc.tls = {.enabled = true,
                    .certificate_file = shown.certificate_file(),
                    .private_key_file = shown.key_file(),
                    .ca_file = trusted.ca_file()};
  Findings findings;
  CheckCertificateEnds(config, {}, &findings);
  return findings;
}

TEST(CertificateEndsTest, AnAuthorityOfCallersThatHasEndedIsAnErrorAsACertificateIs) {
  const TestCertificates ended("DNS:localhost", hours(-1));
  const TestCertificates good("DNS:localhost", hours(24) * 100);
  EXPECT_THAT(Check(good, ended).errors,
              ElementsAre(AllOf(HasSubstr("rpc.tls.client_ca_file: the last of its authorities"),
                                HasSubstr("it is over"))));
  EXPECT_THAT(Check(ended, good).errors,
              ElementsAre(AllOf(HasSubstr("rpc.tls: its certificate"), HasSubstr("it is over"))));
}

TEST(CertificateEndsTest, OneThatEndsSoonIsAWarning) {
  const TestCertificates soon("DNS:localhost", hours(24));
  const TestCertificates good("DNS:localhost", hours(24) * 100);
  const Findings findings = Check(good, soon);
  EXPECT_THAT(findings.errors, IsEmpty());
  EXPECT_THAT(findings.warnings, ElementsAre(HasSubstr("rpc.tls.client_ca_file: the last of")));
  EXPECT_THAT(findings.well, ElementsAre(HasSubstr("rpc.tls: its certificate ends")));
}

}  // namespace
}  // namespace tollbridge::gateway
