#include "tests/support/test_certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace tollbridge::test {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

void Check(bool ok) {
  if (!ok) throw std::runtime_error("OpenSSL: making a test certificate failed");
}

Key NewKey() { return {EVP_EC_gen("P-256"), &EVP_PKEY_free}; }

void AddExtension(X509* certificate, int nid, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
  Check(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

void SetName(X509_NAME* name, const char* common_name) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(common_name);
  Check(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, bytes, -1, -1, 0) == 1);
}

Certificate NewCertificate(const char* common_name, EVP_PKEY* key, long serial,
                           std::chrono::seconds lasts) {
  Certificate certificate(X509_new(), &X509_free);
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -24 * 3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), lasts.count());
  X509_set_pubkey(certificate.get(), key);
  SetName(X509_get_subject_name(certificate.get()), common_name);
  return certificate;
}

void Overwrite(const std::string& from, const std::string& path) {
  std::filesystem::copy_file(from, path, std::filesystem::copy_options::overwrite_existing);
}

template <typename WriteTo>
void WriteFile(const std::filesystem::path& path, WriteTo write_to) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  Check(file != nullptr && write_to(file) == 1);
  std::fclose(file);
}

}  // namespace

TestCertificates::TestCertificates(const std::string& subject_alternative_name,
                                   std::chrono::seconds lasts) {
  std::string folder = std::filesystem::temp_directory_path() / "tollbridge-test-XXXXXX";
  Check(mkdtemp(folder.data()) != nullptr);
  folder_ = folder;

  const Key ca_key = NewKey();
  // A name of its own: OpenSSL finds the authority of a certificate by it.
  const std::string ca_name = "test CA " + folder_.filename().string();
  const Certificate ca = NewCertificate(ca_name.c_str(), ca_key.get(), 1, lasts);
  X509_set_issuer_name(ca.get(), X509_get_subject_name(ca.get()));
  AddExtension(ca.get(), NID_basic_constraints, "critical,CA:TRUE");
  Check(X509_sign(ca.get(), ca_key.get(), EVP_sha256()) != 0);

  const Key key = NewKey();
  const Certificate leaf = NewCertificate("test server", key.get(), 2, lasts);
  X509_set_issuer_name(leaf.get(), X509_get_subject_name(ca.get()));
  AddExtension(leaf.get(), NID_subject_alt_name, subject_alternative_name);
  Check(X509_sign(leaf.get(), ca_key.get(), EVP_sha256()) != 0);

  WriteFile(ca_file(), [&](std::FILE* f) { return PEM_write_X509(f, ca.get()); });
  WriteFile(certificate_file(), [&](std::FILE* f) { return PEM_write_X509(f, leaf.get()); });
  WriteFile(key_file(), [&](std::FILE* f) {
    return PEM_write_PrivateKey(f, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

TestCertificates::~TestCertificates() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void ExchangedCertificates::PutCertificateAlone(const TestCertificates& next) const {
  Overwrite(next.certificate_file(), certificate_file());
}

void ExchangedCertificates::Put(const TestCertificates& next) const {
  PutCertificateAlone(next);
  Overwrite(next.key_file(), key_file());
  Overwrite(next.ca_file(), ca_file());
}

}  // namespace tollbridge::test
