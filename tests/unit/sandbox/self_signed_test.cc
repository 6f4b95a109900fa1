#include "sandbox/self_signed.h"

#include <absl/status/status.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/read_file.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::sandbox {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using testing::HasSubstr;
using testing::StartsWith;

const std::chrono::system_clock::time_point kNow = sys_days(std::chrono::year(2026) / 11 / 21);

struct FreeCertificate {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
using Certificate = std::unique_ptr<X509, FreeCertificate>;

Certificate Load(const std::string& path) {
  const std::string text = test::ReadFile(path);
  BIO* bio = BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  Certificate certificate(PEM_read_bio_X509(bio, nullptr, nullptr, nullptr));
  BIO_free(bio);
  return certificate;
}

class SelfSignedTest : public testing::Test {
 protected:
  TlsFiles Make(const std::vector<std::string>& hosts = {},
                std::chrono::system_clock::time_point now = kNow) {
    absl::StatusOr<TlsFiles> files = MakeSelfSigned(path_, hosts, now);
    EXPECT_TRUE(files.ok()) << files.status();
    return files.ok() ? *std::move(files) : TlsFiles{};
  }

  test::TempFolder folder_;
  std::string path_ = folder_.PathOf("new/tls");
};

TEST_F(SelfSignedTest, MakesTheFolderAndBothFiles) {
  const TlsFiles files = Make();
  EXPECT_EQ(files.certificate, path_ + "/certificate.pem");
  EXPECT_EQ(files.key, path_ + "/key.pem");
  EXPECT_THAT(test::ReadFile(files.certificate), StartsWith("-----BEGIN CERTIFICATE-----"));
  EXPECT_THAT(test::ReadFile(files.key), StartsWith("-----BEGIN PRIVATE KEY-----"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path_), {}), 2);
}

TEST_F(SelfSignedTest, OnlyTheOwnerReadsTheKey) {
  const TlsFiles files = Make();
  struct stat status{};
  ASSERT_EQ(::stat(files.key.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(SelfSignedTest, IsForThisMachineAndTheHostsGiven) {
  const Certificate certificate =
      Load(Make({"192.0.2.7", "sandbox.test", "0.0.0.0", "::"}).certificate);
  ASSERT_NE(certificate, nullptr);
  for (const char* address : {"127.0.0.1", "::1", "192.0.2.7"}) {
    EXPECT_EQ(X509_check_ip_asc(certificate.get(), address, 0), 1) << address;
  }
  for (const char* name : {"localhost", "sandbox.test"}) {
    EXPECT_EQ(X509_check_host(certificate.get(), name, 0, 0, nullptr), 1) << name;
  }
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "0.0.0.0", 0), 0);
  EXPECT_EQ(X509_check_host(certificate.get(), "shop.example", 0, 0, nullptr), 0);
}

TEST_F(SelfSignedTest, IsValidFor365Days) {
  const Certificate certificate = Load(Make().certificate);
  ASSERT_NE(certificate, nullptr);
  const auto is_valid = [&](std::chrono::system_clock::time_point when) {
    std::time_t time = std::chrono::system_clock::to_time_t(when);
    return X509_cmp_time(X509_get0_notBefore(certificate.get()), &time) < 0 &&
           X509_cmp_time(X509_get0_notAfter(certificate.get()), &time) > 0;
  };
  EXPECT_TRUE(is_valid(kNow));
  EXPECT_TRUE(is_valid(kNow + days(365) - std::chrono::seconds(1)));
  EXPECT_FALSE(is_valid(kNow + days(365) + std::chrono::seconds(1)));
  EXPECT_FALSE(is_valid(kNow - days(1)));
}

TEST_F(SelfSignedTest, SignsItselfWithItsEllipticCurveKey) {
  const TlsFiles files = Make();
  const Certificate certificate = Load(files.certificate);
  ASSERT_NE(certificate, nullptr);
  EXPECT_EQ(X509_self_signed(certificate.get(), 1), 1);
  EXPECT_EQ(EVP_PKEY_get_bits(X509_get0_pubkey(certificate.get())), 256);
  EXPECT_EQ(EVP_PKEY_get_base_id(X509_get0_pubkey(certificate.get())), EVP_PKEY_EC);
}

TEST_F(SelfSignedTest, PairThatIsStillGoodIsUsedAgain) {
  const TlsFiles files = Make({"192.0.2.7"});
  const std::string certificate = test::ReadFile(files.certificate);
  const std::string key = test::ReadFile(files.key);
  Make({"192.0.2.7"}, kNow + days(300));
  Make({}, kNow + days(1));
  EXPECT_EQ(test::ReadFile(files.certificate), certificate);
  EXPECT_EQ(test::ReadFile(files.key), key);
}

TEST_F(SelfSignedTest, PairThatEndsSoonIsReplaced) {
  const TlsFiles files = Make();
  const std::string before = test::ReadFile(files.certificate);
  Make({}, kNow + days(364) + std::chrono::hours(1));
  EXPECT_NE(test::ReadFile(files.certificate), before);
}

TEST_F(SelfSignedTest, PairForOtherHostsIsReplaced) {
  const TlsFiles files = Make();
  Make({"192.0.2.7"});
  EXPECT_EQ(X509_check_ip_asc(Load(files.certificate).get(), "192.0.2.7", 0), 1);
}

TEST_F(SelfSignedTest, KeyThatIsMissingOrDoesNotFitIsReplacedWithItsCertificate) {
  const TlsFiles files = Make();
  const std::string before = test::ReadFile(files.certificate);
  std::filesystem::remove(files.key);
  Make();
  EXPECT_NE(test::ReadFile(files.certificate), before);
  std::ofstream(files.key) << "garbage";
  Make();
  EXPECT_THAT(test::ReadFile(files.key), StartsWith("-----BEGIN PRIVATE KEY-----"));
}

TEST_F(SelfSignedTest, FilesOfSomeoneElseAreLeftAlone) {
  std::filesystem::create_directories(path_);
  for (const std::string name : {"certificate.pem", "key.pem"}) {
    const std::string file = folder_.Write("new/tls/" + name, "mine");
    const absl::Status status = MakeSelfSigned(path_, {}, kNow).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()), StartsWith(file + ": is there"));
    EXPECT_EQ(test::ReadFile(file), "mine");
    std::filesystem::remove(file);
  }
}

TEST_F(SelfSignedTest, FolderThatCannotBeMadeIsNamed) {
  const std::string file = folder_.Write("file", "");
  const absl::Status status = MakeSelfSigned(file + "/tls", {}, kNow).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr(file + "/tls: cannot be made"));
}

TEST_F(SelfSignedTest, FileThatCannotBeWrittenIsNamed) {
  // A folder in the way of the file that is written first: true for root, too.
  std::filesystem::create_directories(path_ + "/certificate.pem.new/x");
  const absl::Status status = MakeSelfSigned(path_, {}, kNow).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()),
              StartsWith(path_ + "/certificate.pem: cannot be written: "));
}

}  // namespace
}  // namespace tollbridge::sandbox
