#include "base/net/certificate_end.h"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <vector>

#include "base/core/file_stamp.h"

namespace tollbridge::net {
namespace {

using TimePoint = std::chrono::system_clock::time_point;

using Input = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

/// nullptr for what cannot be read; to open what is no file could wait for somebody who writes.
Input Open(const std::string& file) {
  return {StampOf({file}).readable.ok() ? BIO_new_file(file.c_str(), "r") : nullptr, BIO_free};
}

Certificate Next(BIO* in) { return {PEM_read_bio_X509(in, nullptr, nullptr, nullptr), X509_free}; }

std::optional<TimePoint> EndOf(const X509& certificate) {
  std::tm civil{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &civil) != 1) return std::nullopt;
  return std::chrono::system_clock::from_time_t(timegm(&civil));
}

std::vector<TimePoint> EndsIn(const std::string& file) {
  std::vector<TimePoint> ends;
  const Input in = Open(file);
  while (in != nullptr) {
    const Certificate certificate = Next(in.get());
    if (certificate == nullptr) break;
    if (const std::optional<TimePoint> end = EndOf(*certificate)) ends.push_back(*end);
  }
  ERR_clear_error();  // That there is no further one is an error to the library.
  return ends;
}

/// Else OpenSSL would ask a terminal for the passphrase of an encrypted key, and wait.
int NoPassphrase(char*, int, int, void*) { return -1; }

}  // namespace

std::optional<TimePoint> FirstCertificateEnd(const std::string& file) {
  const std::vector<TimePoint> ends = EndsIn(file);
  if (ends.empty()) return std::nullopt;
  return std::ranges::min(ends);
}

std::optional<TimePoint> LastCertificateEnd(const std::string& file) {
  const std::vector<TimePoint> ends = EndsIn(file);
  if (ends.empty()) return std::nullopt;
  return std::ranges::max(ends);
}

bool IsKeyOf(const std::string& key_file, const std::string& certificate_file) {
  const Input certificate_in = Open(certificate_file);
  const Input key_in = Open(key_file);
  if (certificate_in == nullptr || key_in == nullptr) return false;
  const Certificate certificate = Next(certificate_in.get());
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(key_in.get(), nullptr, &NoPassphrase, nullptr), EVP_PKEY_free);
  const bool fits = certificate != nullptr && key != nullptr &&
                    X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  return fits;
}

}  // namespace tollbridge::net
