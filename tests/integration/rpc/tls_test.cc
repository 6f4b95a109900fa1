#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "tests/integration/rpc/echo_server.h"
#include "tollbridge/testing/v1/echo.pb.h"

namespace tollbridge::rpc {
namespace {

using test::GrpcClient;
using tollbridge::testing::v1::EchoRequest;

struct Pem {
  std::string key;
  std::string certificate;
};

template <typename Write>
std::string ToPem(Write write) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
  EXPECT_EQ(write(bio.get()), 1);
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

// A self-signed certificate for 127.0.0.1, its own authority.
Pem SelfSigned() {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
  X509* x = certificate.get();
  X509_set_version(x, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
  X509_gmtime_adj(X509_getm_notBefore(x), -3600);
  X509_gmtime_adj(X509_getm_notAfter(x), 3600);
  X509_set_pubkey(x, key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
  X509_set_issuer_name(x, X509_get_subject_name(x));
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, x, x, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> names(
      X509V3_EXT_conf_nid(nullptr, &context, NID_subject_alt_name, "IP:127.0.0.1"),
      X509_EXTENSION_free);
  X509_add_ext(x, names.get(), -1);
  EXPECT_NE(X509_sign(x, key.get(), EVP_sha256()), 0);
  return {ToPem([&](BIO* bio) {
            return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          }),
          ToPem([&](BIO* bio) { return PEM_write_bio_X509(bio, x); })};
}

class TlsTest : public ::testing::Test {
 protected:
  TlsTest() {
    std::string pattern = ::testing::TempDir() + "rpc-tls-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~TlsTest() override { std::filesystem::remove_all(folder_); }

  std::string File(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  ServerSettings Settings(const std::string& client_ca) {
    ServerSettings settings;
    settings.tls = ServerTls{File("chain.pem", server_.certificate), File("key.pem", server_.key),
                             client_ca.empty() ? "" : File("ca.pem", client_ca)};
    return settings;
  }

  static test::RpcStatus Say(EchoServer& server, const std::optional<test::RpcTls>& tls) {
    EchoRequest request;
    request.set_text("x");
    GrpcClient client(server.address(), tls);
    return client
        .Call("tollbridge.testing.v1.Echo.Say", request, {.deadline = std::chrono::seconds(10)})
        .status;
  }

  std::filesystem::path folder_;
  Pem server_ = SelfSigned();
  Pem caller_ = SelfSigned();
};

TEST_F(TlsTest, ServesTlsAndNothingElse) {
  EchoServer server(Settings(""));
  EXPECT_TRUE(Say(server, test::RpcTls{server_.certificate, "", ""}).ok());
  EXPECT_EQ(Say(server, std::nullopt).code_name(), "UNAVAILABLE");
}

TEST_F(TlsTest, WithAClientAuthorityRefusesCallersWithoutItsCertificate) {
  EchoServer server(Settings(caller_.certificate));
  EXPECT_TRUE(
      Say(server, test::RpcTls{server_.certificate, caller_.key, caller_.certificate}).ok());
  EXPECT_EQ(Say(server, test::RpcTls{server_.certificate, "", ""}).code_name(), "UNAVAILABLE");
  const Pem stranger = SelfSigned();
  EXPECT_EQ(Say(server, test::RpcTls{server_.certificate, stranger.key, stranger.certificate})
                .code_name(),
            "UNAVAILABLE");
}

}  // namespace
}  // namespace tollbridge::rpc
