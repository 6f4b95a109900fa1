#include "sandbox/self_signed.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace tollbridge::sandbox {
namespace {

using Moment = std::chrono::system_clock::time_point;

constexpr std::chrono::days kValidity{365};
// A certificate that ends while the sandbox runs would be no help.
constexpr std::chrono::days kLeftAtLeast{1};
// Clocks of other machines may be behind.
constexpr std::chrono::hours kBackdated{1};
constexpr const char* kCommonName = "tollbridge-sandbox";

template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* value) const {
    kFree(value);
  }
};
using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;
using Integer = std::unique_ptr<ASN1_INTEGER, Free<ASN1_INTEGER_free>>;
using Number = std::unique_ptr<BIGNUM, Free<BN_free>>;

bool IsAddress(const std::string& host) {
  boost::system::error_code problem;
  boost::asio::ip::make_address(host, problem);
  return !problem;
}

/// What the certificate is for: names and addresses, each once.
std::vector<std::string> AllHosts(const std::vector<std::string>& further) {
  std::vector<std::string> all = {"localhost", "127.0.0.1", "::1"};
  for (const std::string& host : further) {
    boost::system::error_code problem;
    const auto address = boost::asio::ip::make_address(host, problem);
    if (!problem && address.is_unspecified()) continue;
    if (std::ranges::find(all, host) == all.end()) all.push_back(host);
  }
  return all;
}

bool IsFor(X509* certificate, const std::string& host) {
  if (IsAddress(host)) return X509_check_ip_asc(certificate, host.c_str(), 0) == 1;
  return X509_check_host(certificate, host.data(), host.size(), 0, nullptr) == 1;
}

bool AddExtension(X509* certificate, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool SetSerial(X509* certificate) {
  const Number number(BN_new());
  // 20 octets at most, the first bit not set.
  if (number == nullptr || BN_rand(number.get(), 158, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) != 1) {
    return false;
  }
  const Integer serial(BN_to_ASN1_INTEGER(number.get(), nullptr));
  return serial != nullptr && X509_set_serialNumber(certificate, serial.get()) == 1;
}

bool SetValidity(X509* certificate, Moment now) {
  const auto set = [](ASN1_TIME* time, Moment moment) {
    return ASN1_TIME_set(time, std::chrono::system_clock::to_time_t(moment)) != nullptr;
  };
  return set(X509_getm_notBefore(certificate), now - kBackdated) &&
         set(X509_getm_notAfter(certificate), now + kValidity);
}

/// nullptr where OpenSSL fails, which is a defect or lack of memory.
Certificate Sign(EVP_PKEY* key, const std::vector<std::string>& hosts, Moment now) {
  Certificate certificate(X509_new());
  if (certificate == nullptr) return nullptr;
  std::string names;
  for (const std::string& host : hosts) {
    absl::StrAppend(&names, names.empty() ? "" : ",", IsAddress(host) ? "IP:" : "DNS:", host);
  }
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  const auto* common_name = reinterpret_cast<const unsigned char*>(kCommonName);
  const bool made =
      X509_set_version(certificate.get(), X509_VERSION_3) == 1 && SetSerial(certificate.get()) &&
      SetValidity(certificate.get(), now) &&
      X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, common_name, -1, -1, 0) == 1 &&
      X509_set_issuer_name(certificate.get(), subject) == 1 &&
      X509_set_pubkey(certificate.get(), key) == 1 &&
      AddExtension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
      AddExtension(certificate.get(), NID_key_usage, "critical,digitalSignature,keyCertSign") &&
      AddExtension(certificate.get(), NID_ext_key_usage, "serverAuth") &&
      AddExtension(certificate.get(), NID_subject_key_identifier, "hash") &&
      AddExtension(certificate.get(), NID_subject_alt_name, names) &&
      X509_sign(certificate.get(), key, EVP_sha256()) > 0;
  return made ? std::move(certificate) : nullptr;
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size <= 0 ? "" : std::string(data, static_cast<std::size_t>(size));
}

Bio OpenFile(const std::string& path) { return Bio(BIO_new_file(path.c_str(), "r")); }

Certificate ReadCertificate(const std::string& path) {
  const Bio file = OpenFile(path);
  if (file == nullptr) return nullptr;
  return Certificate(PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr));
}

/// A key with a passphrase is none of ours: it is not asked for.
Key ReadKey(const std::string& path) {
  const Bio file = OpenFile(path);
  if (file == nullptr) return nullptr;
  const auto no_passphrase = [](char*, int, int, void*) { return -1; };
  return Key(PEM_read_bio_PrivateKey(file.get(), nullptr, no_passphrase, nullptr));
}

/// Made by MakeSelfSigned once: nothing else may be replaced.
bool IsOurs(X509* certificate) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) return false;
  const ASN1_STRING* name = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
  const std::string_view text(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name)),
                              static_cast<std::size_t>(ASN1_STRING_length(name)));
  return text == kCommonName && X509_self_signed(certificate, 1) == 1;
}

bool IsStillGood(X509* certificate, EVP_PKEY* key, const std::vector<std::string>& hosts,
                 Moment now) {
  std::time_t begin = std::chrono::system_clock::to_time_t(now);
  std::time_t end = std::chrono::system_clock::to_time_t(now + kLeftAtLeast);
  return X509_check_private_key(certificate, key) == 1 &&
         X509_cmp_time(X509_get0_notBefore(certificate), &begin) < 0 &&
         X509_cmp_time(X509_get0_notAfter(certificate), &end) > 0 &&
         std::ranges::all_of(hosts,
                             [&](const std::string& host) { return IsFor(certificate, host); });
}

absl::Status CannotWrite(const std::string& path) {
  return absl::UnavailableError(absl::StrCat(path, ": cannot be written: ", std::strerror(errno)));
}

/// Through a file beside it, so that a reader sees the old one or the new one.
absl::Status WriteFile(const std::string& path, std::string_view text, mode_t mode) {
  const std::string fresh = path + ".new";
  ::unlink(fresh.c_str());
  const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0) return CannotWrite(path);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(file, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      ::close(file);
      return CannotWrite(path);
    }
    written += static_cast<std::size_t>(count);
  }
  if (::close(file) != 0 || ::rename(fresh.c_str(), path.c_str()) != 0) return CannotWrite(path);
  return absl::OkStatus();
}

absl::Status WritePair(const TlsFiles& files, const std::vector<std::string>& hosts, Moment now) {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate = key == nullptr ? nullptr : Sign(key.get(), hosts, now);
  const Bio key_text(BIO_new(BIO_s_mem()));
  const Bio certificate_text(BIO_new(BIO_s_mem()));
  if (certificate == nullptr || key_text == nullptr || certificate_text == nullptr ||
      PEM_write_bio_PKCS8PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                    nullptr) != 1 ||
      PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1) {
    return absl::InternalError("OpenSSL cannot make a self-signed certificate");
  }
  // The certificate first: by it the next call knows that the key, where it is an old one or
  // missing, is ours to replace.
  absl::Status written = WriteFile(files.certificate, TextOf(certificate_text.get()), 0644);
  if (written.ok()) written = WriteFile(files.key, TextOf(key_text.get()), 0600);
  return written;
}

bool Exists(const std::string& path) {
  std::error_code problem;
  return std::filesystem::exists(path, problem);
}

}  // namespace

absl::StatusOr<TlsFiles> MakeSelfSigned(const std::string& folder,
                                        const std::vector<std::string>& hosts, Moment now) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) {
    return absl::UnavailableError(absl::StrCat(folder, ": cannot be made: ", problem.message()));
  }
  const std::filesystem::path path(folder);
  TlsFiles files{.certificate = (path / "certificate.pem").string(),
                 .key = (path / "key.pem").string()};
  const std::vector<std::string> all_hosts = AllHosts(hosts);
  const Certificate certificate = ReadCertificate(files.certificate);
  const Key key = ReadKey(files.key);
  if (certificate != nullptr && key != nullptr &&
      IsStillGood(certificate.get(), key.get(), all_hosts, now)) {
    return files;
  }
  // A key is told to be ours by the certificate beside it.
  const bool ours = certificate != nullptr && IsOurs(certificate.get());
  for (const std::string& file : {files.certificate, files.key}) {
    if (!ours && Exists(file)) {
      return absl::FailedPreconditionError(
          absl::StrCat(file, ": is there and was not made by --tls-self-signed"));
    }
  }
  if (absl::Status written = WritePair(files, all_hosts, now); !written.ok()) return written;
  return files;
}

}  // namespace tollbridge::sandbox
