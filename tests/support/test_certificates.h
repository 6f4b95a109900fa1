#ifndef TOLLBRIDGE_TESTS_SUPPORT_TEST_CERTIFICATES_H_
#define TOLLBRIDGE_TESTS_SUPPORT_TEST_CERTIFICATES_H_

#include <chrono>
#include <filesystem>
#include <string>

#include "tests/support/temp_folder.h"

namespace tollbridge::test {

/// A CA and a certificate of it, made for one test, in files. The certificate is good for servers
/// and for clients. Throws std::runtime_error when it cannot be made.
class TestCertificates {
 public:
  /// `subject_alternative_name` in OpenSSL's form: "DNS:localhost,IP:127.0.0.1".
  /// Both end after `lasts`, which may be before now.
  explicit TestCertificates(const std::string& subject_alternative_name,
                            std::chrono::seconds lasts = std::chrono::hours(24));
  ~TestCertificates();
  TestCertificates(const TestCertificates&) = delete;
  TestCertificates& operator=(const TestCertificates&) = delete;

  std::string ca_file() const { return folder_ / "ca.pem"; }
  std::string certificate_file() const { return folder_ / "certificate.pem"; }
  std::string key_file() const { return folder_ / "key.pem"; }

 private:
  std::filesystem::path folder_;
};

/// Files that a program keeps reading, and that hold one certificate after the other. They are
/// overwritten in their place.
class ExchangedCertificates {
 public:
  explicit ExchangedCertificates(const TestCertificates& first) { Put(first); }

  void Put(const TestCertificates& next) const;
  /// Without its key, which does not fit then.
  void PutCertificateAlone(const TestCertificates& next) const;

  std::string ca_file() const { return folder_.PathOf("ca.pem"); }
  std::string certificate_file() const { return folder_.PathOf("certificate.pem"); }
  std::string key_file() const { return folder_.PathOf("key.pem"); }

 private:
  TempFolder folder_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_TEST_CERTIFICATES_H_
