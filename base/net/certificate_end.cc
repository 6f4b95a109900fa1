#include "base/net/certificate_end.h"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>

namespace tollbridge::net {
namespace {

using TimePoint = std::chrono::system_clock::time_point;

std::optional<TimePoint> EndOf(const X509& certificate) {
  std::tm civil{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &civil) != 1) return std::nullopt;
  return std::chrono::system_clock::from_time_t(timegm(&civil));
}

}  // namespace

std::optional<TimePoint> FirstCertificateEnd(const std::string& file) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> in(BIO_new_file(file.c_str(), "r"), BIO_free);
  std::optional<TimePoint> first;
  while (in != nullptr) {
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(
        PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr), X509_free);
    if (certificate == nullptr) break;
    const std::optional<TimePoint> end = EndOf(*certificate);
    if (end && (!first || *end < *first)) first = end;
  }
  ERR_clear_error();  // That there is no further one is an error to the library.
  return first;
}

}  // namespace tollbridge::net
