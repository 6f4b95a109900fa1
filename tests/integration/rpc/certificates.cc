#include "tests/integration/rpc/certificates.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstddef>

namespace tollbridge::test {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

template <typename Write>
std::string ToPem(Write write) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
  EXPECT_EQ(write(bio.get()), 1);
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string ToPem(EVP_PKEY* key) {
  return ToPem([key](BIO* bio) {
    return PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

std::string ToPem(X509* certificate) {
  return ToPem([certificate](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
}

Key NewKey() { return {EVP_EC_gen("P-256"), EVP_PKEY_free}; }

void Extend(X509* certificate, int extension, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> made(
      X509V3_EXT_conf_nid(nullptr, &context, extension, value.c_str()), X509_EXTENSION_free);
  ASSERT_NE(made, nullptr) << value;
  X509_add_ext(certificate, made.get(), -1);
}

/// Not signed yet, nor with an issuer.
Certificate NewCertificate(EVP_PKEY* key, const std::string& common_name) {
  static long serial = 0;
  Certificate certificate(X509_new(), X509_free);
  X509* x = certificate.get();
  X509_set_version(x, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(x), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(x), -3600);
  X509_gmtime_adj(X509_getm_notAfter(x), 3600);
  X509_set_pubkey(x, key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                             0);
  return certificate;
}

}  // namespace

class Authority::Impl {
 public:
  Impl() : key_(NewKey()), certificate_(NewCertificate(key_.get(), NewName())) {
    X509_set_issuer_name(certificate_.get(), X509_get_subject_name(certificate_.get()));
    Extend(certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
    EXPECT_NE(X509_sign(certificate_.get(), key_.get(), EVP_sha256()), 0);
    pem_ = ToPem(certificate_.get());
  }

  const std::string& pem() const { return pem_; }

  std::string Revoke(const std::vector<Certified>& certificates,
                     std::chrono::seconds good_for) const {
    const std::unique_ptr<X509_CRL, decltype(&X509_CRL_free)> list(X509_CRL_new(), X509_CRL_free);
    X509_CRL_set_version(list.get(), 1);
    X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(certificate_.get()));
    const std::unique_ptr<ASN1_TIME, decltype(&ASN1_TIME_free)> time(ASN1_TIME_new(),
                                                                     ASN1_TIME_free);
    X509_gmtime_adj(time.get(), -7200);
    X509_CRL_set1_lastUpdate(list.get(), time.get());
    X509_gmtime_adj(time.get(), good_for.count());
    X509_CRL_set1_nextUpdate(list.get(), time.get());
    X509_gmtime_adj(time.get(), -60);
    for (const Certified& each : certificates) {
      const std::unique_ptr<BIO, decltype(&BIO_free)> bio(
          BIO_new_mem_buf(each.certificate.data(), static_cast<int>(each.certificate.size())),
          BIO_free);
      const Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr),
                                    X509_free);
      X509_REVOKED* const entry = X509_REVOKED_new();
      X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(certificate.get()));
      X509_REVOKED_set_revocationDate(entry, time.get());
      X509_CRL_add0_revoked(list.get(), entry);
    }
    X509_CRL_sort(list.get());
    EXPECT_NE(X509_CRL_sign(list.get(), key_.get(), EVP_sha256()), 0);
    return ToPem([&](BIO* bio) { return PEM_write_bio_X509_CRL(bio, list.get()); });
  }

  Certified Issue(const std::string& names) const {
    const Key key = NewKey();
    const Certificate certificate = NewCertificate(key.get(), "spiffe://shop.example/common-name");
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate_.get()));
    if (!names.empty()) Extend(certificate.get(), NID_subject_alt_name, names);
    EXPECT_NE(X509_sign(certificate.get(), key_.get(), EVP_sha256()), 0);
    return {ToPem(key.get()), ToPem(certificate.get())};
  }

 private:
  /// Of this authority alone: where two are trusted, it is by name that one is found.
  static std::string NewName() {
    static int number = 0;
    return "test authority " + std::to_string(++number);
  }

  Key key_;
  Certificate certificate_;
  std::string pem_;
};

Authority::Authority() : impl_(std::make_unique<Impl>()) {}
Authority::~Authority() = default;
const std::string& Authority::certificate() const { return impl_->pem(); }
Certified Authority::Issue(const std::string& names) const { return impl_->Issue(names); }

std::string Authority::Revoke(const std::vector<Certified>& certificates,
                              std::chrono::seconds good_for) const {
  return impl_->Revoke(certificates, good_for);
}

}  // namespace tollbridge::test
