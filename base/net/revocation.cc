#include "base/net/revocation.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <vector>

#include "base/core/status_macros.h"

namespace tollbridge::net {
namespace {

using std::chrono::system_clock;

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct FreeList {
  void operator()(X509_CRL* list) const { X509_CRL_free(list); }
};
struct FreeCheck {
  void operator()(X509_STORE_CTX* check) const { X509_STORE_CTX_free(check); }
};
using List = std::unique_ptr<X509_CRL, FreeList>;

/// All of the file; INVALID_ARGUMENT when one cannot be read: what it revokes would be let in.
absl::StatusOr<std::vector<List>> ReadLists(const std::string& file) {
  std::vector<List> lists;
  const std::unique_ptr<BIO, FreeBio> bio(BIO_new_file(file.c_str(), "r"));
  while (bio != nullptr) {
    List list(PEM_read_bio_X509_CRL(bio.get(), nullptr, nullptr, nullptr));
    if (list == nullptr) break;
    lists.push_back(std::move(list));
  }
  // That there are no more of them is an error to the library too.
  const unsigned long end = ERR_peek_last_error();
  ERR_clear_error();
  if (bio != nullptr && ERR_GET_REASON(end) != PEM_R_NO_START_LINE) {
    return absl::InvalidArgumentError(
        absl::StrCat("TLS: ", file, ": list ", lists.size() + 1, " cannot be read"));
  }
  return lists;
}

bool IsOf(X509_CRL* list, X509* authority) {
  if (X509_NAME_cmp(X509_CRL_get_issuer(list), X509_get_subject_name(authority)) != 0) return false;
  const bool signed_by_it = X509_CRL_verify(list, X509_get0_pubkey(authority)) == 1;
  ERR_clear_error();
  return signed_by_it;
}

std::string NameOf(X509* certificate) {
  std::array<char, 256> text{};
  X509_NAME_oneline(X509_get_subject_name(certificate), text.data(), static_cast<int>(text.size()));
  return text.data();
}

/// time_point::max() where it says nothing.
system_clock::time_point EndOf(X509_CRL* list) {
  const ASN1_TIME* const end = X509_CRL_get0_nextUpdate(list);
  std::tm parts{};
  if (end == nullptr || ASN1_TIME_to_tm(end, &parts) != 1) return system_clock::time_point::max();
  return system_clock::from_time_t(timegm(&parts));
}

/// Of the handshake's check of a chain: one error after the other.
int GoOnWithOldLists(int good, X509_STORE_CTX* check) {
  if (X509_STORE_CTX_get_error(check) != X509_V_ERR_CRL_HAS_EXPIRED) return good;
  X509_STORE_CTX_set_error(check, X509_V_OK);
  return 1;
}

/// Of a check that only asks whether a certificate is on a list.
int NoteRevoked(int, X509_STORE_CTX* check) {
  if (X509_STORE_CTX_get_error(check) == X509_V_ERR_CERT_REVOKED) {
    *static_cast<bool*>(X509_STORE_CTX_get_app_data(check)) = true;
  }
  return 1;
}

}  // namespace

absl::StatusOr<system_clock::time_point> UseRevocationLists(SSL_CTX* context,
                                                            const std::string& file) {
  TB_ASSIGN_OR_RETURN(const std::vector<List> lists, ReadLists(file));
  if (lists.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("TLS: ", file, ": has no list of revocations"));
  }
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  const STACK_OF(X509_OBJECT)* const trusted = X509_STORE_get0_objects(store);
  for (int i = 0; i < sk_X509_OBJECT_num(trusted); ++i) {
    X509* const authority = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(trusted, i));
    if (authority == nullptr) continue;
    if (std::ranges::none_of(lists,
                             [&](const List& list) { return IsOf(list.get(), authority); })) {
      return absl::InvalidArgumentError(
          absl::StrCat("TLS: ", file, ": has no list of ", NameOf(authority)));
    }
  }
  system_clock::time_point end = system_clock::time_point::max();
  for (const List& list : lists) {
    X509_STORE_add_crl(store, list.get());
    end = std::min(end, EndOf(list.get()));
  }
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
  SSL_CTX_set_verify(context, SSL_CTX_get_verify_mode(context), &GoOnWithOldLists);
  return end;
}

bool IsRevoked(SSL_CTX* context, const SSL* peer) {
  X509* const certificate = SSL_get0_peer_certificate(peer);
  if (certificate == nullptr) return false;
  const std::unique_ptr<X509_STORE_CTX, FreeCheck> check(X509_STORE_CTX_new());
  if (check == nullptr || X509_STORE_CTX_init(check.get(), SSL_CTX_get_cert_store(context),
                                              certificate, SSL_get_peer_cert_chain(peer)) != 1) {
    return false;
  }
  bool revoked = false;
  X509_STORE_CTX_set_app_data(check.get(), &revoked);
  X509_STORE_CTX_set_verify_cb(check.get(), &NoteRevoked);
  X509_verify_cert(check.get());
  ERR_clear_error();
  return revoked;
}

}  // namespace tollbridge::net
