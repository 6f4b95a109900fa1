#ifndef TOLLBRIDGE_TESTS_INTEGRATION_RPC_CERTIFICATES_H_
#define TOLLBRIDGE_TESTS_INTEGRATION_RPC_CERTIFICATES_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace tollbridge::test {

/// A key and its certificate, both PEM.
struct Certified {
  std::string key;
  std::string certificate;
};

/// An authority made for one test, with a key of its own, valid for an hour.
class Authority {
 public:
  Authority();
  ~Authority();
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;

  /// Its own certificate, for those who trust it.
  const std::string& certificate() const;
  /// A new key and a certificate for it. `names` are subject alternative names as openssl writes
  /// them (`IP:127.0.0.1`, `URI:spiffe://shop.example/checkout,DNS:checkout.shop.example`); empty
  /// for a certificate that has a common name only.
  Certified Issue(const std::string& names) const;
  /// Its list of what it has revoked, PEM: these certificates. `good_for`: until its next one.
  std::string Revoke(const std::vector<Certified>& certificates,
                     std::chrono::seconds good_for = std::chrono::hours(1)) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_INTEGRATION_RPC_CERTIFICATES_H_
